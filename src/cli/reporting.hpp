// What a verb says, and to whom: the flags that every verb has.
//
//   stdout   what was asked for: a line for people, or with --json one object for machines
//   stderr   progress and remarks; none with --quiet, more with --verbose
#pragma once

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

namespace diffeo::cli {

struct Reporting {
  bool json = false;
  bool quiet = false;
  bool verbose = false;

  /// A remark on stderr, unless it is quiet.
  void remark(const std::string& text) const {
    if (!quiet) std::cerr << text << std::endl;
  }
  /// A detail on stderr, where details are wanted.
  void detail(const std::string& text) const {
    if (verbose && !quiet) std::cerr << text << std::endl;
  }
};

/// `reporting` must outlive the parsing.
inline void add_reporting(CLI::App& verb, Reporting& reporting, const std::string& json_help) {
  verb.add_flag("--json", reporting.json, json_help);
  verb.add_flag("--quiet", reporting.quiet, "No progress and no remarks on stderr");
  verb.add_flag("--verbose", reporting.verbose, "More remarks on stderr, unless it is quiet");
}

}  // namespace diffeo::cli
