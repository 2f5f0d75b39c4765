// The options of alignment without a network (diffeo/align_options.hpp) on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo::cli {

/// All but length and threads, which other verbs have too. `options` must outlive the parsing; `group` heads them in
/// the help.
std::vector<CLI::Option*> add_align_options(CLI::App& verb, AlignOptions& options, const std::string& group);

/// --length and --threads.
CLI::Option* add_length_option(CLI::App& verb, std::size_t& length);
CLI::Option* add_threads_option(CLI::App& verb, std::size_t& threads);

/// CLI::ValidationError, as for any option, for values that the library refuses.
void require_valid_options(const AlignOptions& options);

/// The series without their labels.
[[nodiscard]] Dataset without_labels(const Dataset& set);

}  // namespace diffeo::cli
