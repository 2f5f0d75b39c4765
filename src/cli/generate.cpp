// diffeo generate: series made by formula, into a file.
#include "diffeo/generate.hpp"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/choices.hpp"
#include "cli/config_file.hpp"
#include "cli/reporting.hpp"
#include "cli/seed.hpp"
#include "cli/series_arguments.hpp"
#include "cli/verb.hpp"
#include "diffeo/files.hpp"

namespace diffeo::cli {
namespace {

const std::vector<std::string> kKinds = {"cbf", "synthetic-control", "bumps"};

struct GenerateOptions {
  std::string kind;
  std::size_t cases = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> length;
  BumpsOptions bumps;
  std::string file;
  StreamFormat format;
  Reporting reporting;
  ConfigOptions config;
};

Dataset generated(const GenerateOptions& options, std::uint64_t seed) {
  if (options.kind == "cbf") {
    return options.length ? generate_cbf(options.cases, seed, *options.length) : generate_cbf(options.cases, seed);
  }
  if (options.kind == "synthetic-control") {
    return options.length ? generate_synthetic_control(options.cases, seed, *options.length)
                          : generate_synthetic_control(options.cases, seed);
  }
  BumpsOptions bumps = options.bumps;
  bumps.length = options.length.value_or(bumps.length);
  return generate_bumps(options.cases, seed, bumps).dataset;
}

void print(const GenerateOptions& options, const Dataset& set, std::uint64_t seed) {
  std::ostream& stream = is_stream(options.file) ? std::cerr : std::cout;  // the series themselves go to stdout
  if (options.reporting.json) {
    const nlohmann::ordered_json document = {
        {"kind", options.kind},         {"cases", set.cases()}, {"channels", set.channels()}, {"length", set.longest()},
        {"classes", set.class_names()}, {"seed", seed},         {"file", options.file}};
    stream << document.dump() << std::endl;
    return;
  }
  if (is_stream(options.file) && options.reporting.quiet) return;
  stream << shown_name(options.file) << ": " << set.cases() << (set.cases() == 1 ? " case of " : " cases of ")
         << set.channels() << (set.channels() == 1 ? " channel and " : " channels and ") << set.longest()
         << " time steps, " << set.class_names().size() << (set.class_names().size() == 1 ? " class" : " classes")
         << ", seed " << seed << std::endl;
}

void generate(const CLI::App& verb, const GenerateOptions& options, const std::vector<CLI::Option*>& of_bumps) {
  const std::uint64_t seed = options.seed ? *options.seed : drawn_seed();
  std::map<std::string, std::string> resolved = {{"seed", std::to_string(seed)}};
  for (const CLI::Option* option : of_bumps) {
    if (options.kind != "bumps") resolved[option->get_lnames().front()] = "";
  }
  require_saveable(options.config);
  const Dataset set = generated(options, seed);
  write_series(options.file, set, options.format);
  save_config(verb, options.config, resolved);
  print(options, set, seed);
}

/// The options that bumps alone has.
std::vector<CLI::Option*> add_bumps_options(CLI::App& verb, BumpsOptions& options) {
  const auto count = [&](const char* name, std::size_t& value, const char* help) {
    return verb.add_option(name, value, help)
        ->check(CLI::Range(1, 65'536).description(""))
        ->type_name("N")
        ->capture_default_str()
        ->group("Options of bumps");
  };
  const auto number = [&](const char* name, double& value, double most, const char* help) {
    return verb.add_option(name, value, help)
        ->check(CLI::Range(0.0, most).description(""))
        ->type_name("X")
        ->capture_default_str()
        ->group("Options of bumps");
  };
  return {count("--classes", options.classes, "Classes, each with a template of its own"),
          count("--channels", options.channels, "Channels, which share the warp of their case"),
          count("--bumps", options.bumps, "Bumps in a channel of a template"),
          count("--cells", options.cells, "Cells of the velocity fields"),
          number("--length-scale", options.length_scale, 1e6, "Smoothness of the warps"),
          number("--displacement", options.displacement, 0.3, "The farthest a warp moves anything, of the length"),
          number("--noise", options.noise, 1e6, "Standard deviation of the noise, of the amplitude")};
}

}  // namespace

void add_generate(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("generate", "Make series by formula: cbf, synthetic-control or bumps");
  verb->group("Verbs");
  const auto options = std::make_shared<GenerateOptions>();
  take_one_of(verb->add_option("kind", options->kind, "What the series are made by")->required(), kKinds);
  verb->add_option("--cases", options->cases, "How many; the classes take turns")
      ->required()
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->type_name("N");
  verb->add_option("--seed", options->seed, "The same seed gives the same series; drawn and printed if not given")
      ->check(whole_seed())
      ->type_name("S");
  verb->add_option("--length", options->length, "Time steps; 60 for synthetic-control, 128 for the others if not given")
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->type_name("N");
  verb->add_option("-o,--output", options->file, "Where to: .tsv, .csv, .ts, .arff or .npz, or -")
      ->required()
      ->type_name("FILE");
  add_stream_format(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was made as JSON; on stderr where the series go to stdout");
  add_config_options(*verb, options->config);
  const std::vector<CLI::Option*> of_bumps = add_bumps_options(*verb, options->bumps);
  verb->callback([options, of_bumps, verb, &action] {
    for (const CLI::Option* option : of_bumps) {
      if (option->count() > 0 && options->kind != "bumps") {
        throw CLI::ValidationError(option->get_name() + ": expected with bumps only, got " + options->kind);
      }
    }
    action = [options, of_bumps, verb] { generate(*verb, *options, of_bumps); };
  });
}

}  // namespace diffeo::cli
