// diffeo generate: series made by formula, into a file.
#include "diffeo/generate.hpp"

#include <algorithm>
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
#include "data/json_text.hpp"
#include "diffeo/files.hpp"
#include "diffeo/generate_warped.hpp"

namespace diffeo::cli {
namespace {

std::vector<std::string> warped_kinds() { return {warped_kind_names().begin(), warped_kind_names().end()}; }

/// "cbf", "synthetic-control", "bumps" and the kinds whose true times are known.
std::vector<std::string> all_kinds() {
  std::vector<std::string> kinds = {"cbf", "synthetic-control", "bumps"};
  for (const std::string& kind : warped_kinds()) kinds.push_back(kind);
  return kinds;
}

/// Given, or each kind's own default.
struct WarpedArguments {
  std::optional<std::string> family;
  std::optional<double> height, width, length_spread, missing;
  std::optional<std::size_t> peaks;
};

/// An option that some kinds alone have.
struct KindOption {
  CLI::Option* option;
  std::vector<std::string> kinds;

  [[nodiscard]] bool goes_with(const std::string& kind) const { return std::ranges::find(kinds, kind) != kinds.end(); }
};

struct GenerateOptions {
  std::string kind;
  std::size_t cases = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> length;
  BumpsOptions bumps;
  WarpedArguments warped;
  std::optional<double> displacement, noise;
  std::optional<std::size_t> channels;
  std::string file;
  StreamFormat format;
  Reporting reporting;
  ConfigOptions config;
};

template <class T, class Given>
void replace(T& value, const std::optional<Given>& given) {
  if (given) value = *given;
}

Dataset generated_bumps(const GenerateOptions& options, std::uint64_t seed) {
  BumpsOptions bumps = options.bumps;
  replace(bumps.length, options.length);
  replace(bumps.channels, options.channels);
  replace(bumps.displacement, options.displacement);
  replace(bumps.noise, options.noise);
  return generate_bumps(options.cases, seed, bumps).dataset;
}

Dataset generated_warped(const GenerateOptions& options, std::uint64_t seed) {
  const WarpedKind kind = warped_kind(options.kind);
  WarpedOptions warped = default_warped_options(kind);
  if (options.warped.family) warped.family = warp_family(*options.warped.family);
  replace(warped.length, options.length);
  replace(warped.channels, options.channels);
  replace(warped.displacement, options.displacement);
  replace(warped.noise, options.noise);
  replace(warped.height, options.warped.height);
  replace(warped.width, options.warped.width);
  replace(warped.length_spread, options.warped.length_spread);
  replace(warped.missing, options.warped.missing);
  replace(warped.peaks, options.warped.peaks);
  return generate_warped(kind, options.cases, seed, warped).dataset;
}

Dataset generated(const GenerateOptions& options, std::uint64_t seed) {
  if (options.kind == "cbf") {
    return options.length ? generate_cbf(options.cases, seed, *options.length) : generate_cbf(options.cases, seed);
  }
  if (options.kind == "synthetic-control") {
    return options.length ? generate_synthetic_control(options.cases, seed, *options.length)
                          : generate_synthetic_control(options.cases, seed);
  }
  return options.kind == "bumps" ? generated_bumps(options, seed) : generated_warped(options, seed);
}

void print(const GenerateOptions& options, const Dataset& set, std::uint64_t seed) {
  std::ostream& stream = is_stream(options.file) ? std::cerr : std::cout;  // the series themselves go to stdout
  if (options.reporting.json) {
    const nlohmann::ordered_json document = {
        {"kind", options.kind},         {"cases", set.cases()}, {"channels", set.channels()}, {"length", set.longest()},
        {"classes", set.class_names()}, {"seed", seed},         {"file", options.file}};
    stream << files::json_line(document) << std::endl;
    return;
  }
  if (is_stream(options.file) && options.reporting.quiet) return;
  stream << shown_name(options.file) << ": " << set.cases() << (set.cases() == 1 ? " case of " : " cases of ")
         << set.channels() << (set.channels() == 1 ? " channel and " : " channels and ") << set.longest()
         << " time steps, " << set.class_names().size() << (set.class_names().size() == 1 ? " class" : " classes")
         << ", seed " << seed << std::endl;
}

void generate(const CLI::App& verb, const GenerateOptions& options, const std::vector<KindOption>& of_kinds) {
  const std::uint64_t seed = options.seed ? *options.seed : drawn_seed();
  std::map<std::string, std::string> resolved = {{"seed", std::to_string(seed)}};
  for (const KindOption& each : of_kinds) {
    if (!each.goes_with(options.kind)) resolved[each.option->get_lnames().front()] = "";
  }
  require_saveable(options.config);
  const Dataset set = generated(options, seed);
  write_series(options.file, set, options.format);
  save_config(verb, options.config, resolved);
  print(options, set, seed);
}

constexpr int kMostParts = 65'536;  // classes, channels, bumps, peaks and cells
constexpr double kMostOfANumber = 1e6;

CLI::Option* as_count(CLI::Option* option, const std::string& group) {
  return option->check(CLI::Range(1, kMostParts).description(""))->type_name("N")->group(group);
}

CLI::Option* as_number(CLI::Option* option, double most, const std::string& group) {
  return option->check(CLI::Range(0.0, most).description(""))->type_name("X")->group(group);
}

/// The options that bumps alone has.
std::vector<KindOption> add_bumps_options(CLI::App& verb, BumpsOptions& options) {
  const std::string group = "Options of bumps";
  const auto count = [&](const char* name, std::size_t& value, const char* help) {
    return KindOption{as_count(verb.add_option(name, value, help), group)->capture_default_str(), {"bumps"}};
  };
  return {count("--classes", options.classes, "Classes, each with a template of its own"),
          count("--bumps", options.bumps, "Bumps in a channel of a template"),
          count("--cells", options.cells, "Cells of the velocity fields"),
          {as_number(verb.add_option("--length-scale", options.length_scale, "Smoothness of the warps"), kMostOfANumber,
                     group)
               ->capture_default_str(),
           {"bumps"}}};
}

/// The options of the kinds whose true times are known, and those that bumps has too. Each kind has defaults of its own.
std::vector<KindOption> add_warped_options(CLI::App& verb, GenerateOptions& options) {
  const std::vector<std::string> warped = warped_kinds();
  std::vector<std::string> and_bumps = {"bumps"};
  and_bumps.insert(and_bumps.end(), warped.begin(), warped.end());
  const std::string group = "Options of " + listed(warped);
  const std::string shared = "Options of bumps and those kinds; each has its own default";
  const auto number = [&](const char* name, std::optional<double>& value, double most, const char* help) {
    return KindOption{as_number(verb.add_option(name, value, help), most, group), warped};
  };
  CLI::Option* family = verb.add_option("--family", options.warped.family, "Formula of the warps")->group(group);
  take_one_of(family, {warp_family_names().begin(), warp_family_names().end()});
  return {{family, warped},
          number("--height", options.warped.height, kMostOfANumber, "Standard deviation of the heights, relative"),
          number("--width", options.warped.width, kMostOfANumber, "Standard deviation of the widths, relative"),
          number("--length-spread", options.warped.length_spread, 0.9, "Share by which series may be shorter"),
          number("--missing", options.warped.missing, 0.5, "Share of each series that is missing, in one stretch"),
          {as_count(verb.add_option("--peaks", options.warped.peaks, "Peaks of the kind peaks"), group), {"peaks"}},
          {as_count(verb.add_option("--channels", options.channels, "Channels, which share the warp of their case"),
                    shared),
           and_bumps},
          {as_number(verb.add_option("--displacement", options.displacement,
                                     "Largest move of a warp, of the length; at most 0.3 for bumps"),
                     0.5, shared),
           and_bumps},
          {as_number(verb.add_option("--noise", options.noise, "Standard deviation of the noise, of the amplitude"),
                     kMostOfANumber, shared),
           and_bumps}};
}

void require_options_of_kind(const std::vector<KindOption>& of_kinds, const std::string& kind) {
  for (const KindOption& each : of_kinds) {
    if (each.option->count() > 0 && !each.goes_with(kind)) {
      throw CLI::ValidationError(each.option->get_name() + ": expected with " + listed(each.kinds) + " only, got " +
                                 kind);
    }
  }
}

}  // namespace

void add_generate(CLI::App& program, Action& action) {
  CLI::App* verb =
      program.add_subcommand("generate", "Make series by formula: cbf, synthetic-control, bumps, two-peaks, ...");
  verb->group("Verbs");
  const auto options = std::make_shared<GenerateOptions>();
  take_one_of(verb->add_option("kind", options->kind, "What the series are made by")->required(), all_kinds());
  verb->add_option("--cases", options->cases, "How many; the classes take turns")
      ->required()
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->type_name("N");
  verb->add_option("--seed", options->seed, "The same seed gives the same series; drawn and printed if not given")
      ->check(whole_seed())
      ->type_name("S");
  verb->add_option("--length", options->length, "Time steps; each kind has its own default")
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->type_name("N");
  verb->add_option("-o,--output", options->file, "Where to: .tsv, .csv, .ts, .arff or .npz, or -")
      ->required()
      ->type_name("FILE");
  add_stream_format(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was made as JSON; on stderr where the series go to stdout");
  add_config_options(*verb, options->config);
  std::vector<KindOption> of_kinds = add_bumps_options(*verb, options->bumps);
  for (const KindOption& each : add_warped_options(*verb, *options)) of_kinds.push_back(each);
  verb->callback([options, of_kinds, verb, &action] {
    require_options_of_kind(of_kinds, options->kind);
    action = [options, of_kinds, verb] { generate(*verb, *options, of_kinds); };
  });
}

}  // namespace diffeo::cli
