// What stands in for the verbs that need a network where there is no libtorch: they say what is missing.
// DIFFEO_NEEDED_TORCH is the version to install where libtorch is looked for when the command starts
// (python/diffeo_command).
#include <stdexcept>
#include <string>

#include "cli/aligner_model.hpp"
#include "cli/network_maker.hpp"
#include "cli/report_inputs.hpp"
#include "cli/torch_part.hpp"
#include "cli/verb.hpp"

namespace diffeo::cli {
namespace {

#ifdef DIFFEO_NEEDED_TORCH
const std::string kMissing =
    "networks need torch " DIFFEO_NEEDED_TORCH ", which is not installed; pip install torch==" DIFFEO_NEEDED_TORCH;
const std::string kInHelp = "needs torch " DIFFEO_NEEDED_TORCH;
#else
const std::string kMissing =
    "this program was built without libtorch, which networks need; build it with -DDIFFEO_BUILD_TORCH=ON";
const std::string kInHelp = "not in this program: built without libtorch";
#endif

void add_missing(CLI::App& program, Action& action, const std::string& name, const std::string& help) {
  CLI::App* verb = program.add_subcommand(name, help + " (" + kInHelp + ")");
  verb->group("Verbs");
  verb->allow_extras();
  verb->callback([name, &action] { action = [name] { throw std::runtime_error(name + ": " + kMissing); }; });
}

}  // namespace

AlignmentReport report_of_model(const std::string&, const NamedSeries&) {
  throw std::runtime_error("report: " + kMissing);
}

AlignerModel load_network(const std::string& verb, const std::string&) {
  throw std::runtime_error(verb + ": " + kMissing);
}

std::string torch_version() { return "without torch"; }

void use_one_torch_thread() {}

NetworkMaker network_maker(const std::string& verb) { throw std::runtime_error(verb + ": " + kMissing); }

void add_fit(CLI::App& program, Action& action, const std::string&, const Launch&) {
  add_missing(program, action, "fit", "Train an aligner on a set of series");
}

void add_classify(CLI::App& program, Action& action) {
  add_missing(program, action, "classify", "Classify series by the nearest centroid of a model");
}

}  // namespace diffeo::cli
