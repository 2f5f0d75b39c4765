#include "cli/study_documents.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "diffeo/version.hpp"

namespace diffeo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json study_head(const char* name) {
  return {{"study", name}, {"version", version()}, {"compiler", compiler()}, {"instruction_set", instruction_set()}};
}

Json setting_document(const StudySetting& setting) {
  Json document = {{"source", field_source_name(setting.source)},
                   {"fields", setting.fields},
                   {"points", setting.points},
                   {"cells", setting.cells},
                   {"basis", basis_name(setting.basis)}};
  if (setting.source == FieldSource::prior) document["length_scale"] = setting.length_scale;
  if (setting.source != FieldSource::ones) document["seed"] = setting.seed;
  return document;
}

Json error_document(const PrecisionError& error) {
  return {{"value", error.value}, {"gradient", error.gradient}, {"by_differences", error.by_differences}};
}

/// One field of all the errors in a table of tables.
template <class Table, class Member>
Json column_of(const Table& table, Member member) {
  Json rows = Json::array();
  for (const auto& each : table) {
    Json& row = rows.emplace_back(Json::array());
    for (const auto& entry : each) row.push_back(entry.*member);
  }
  return rows;
}

Json errors_document(const PrecisionFindings& findings) {
  const PrecisionErrors& errors = *findings.errors;
  Json document = {{"displacement", errors.displacement},
                   {"largest_gradient", errors.largest_gradient},
                   {"single_precision", error_document(errors.single_precision)},
                   {"runge_kutta", Json::array()},
                   {"alternating",
                    {{"value", column_of(errors.alternating, &PrecisionError::value)},
                     {"gradient", column_of(errors.alternating, &PrecisionError::gradient)},
                     {"by_differences", column_of(errors.alternating, &PrecisionError::by_differences)}}}};
  for (std::size_t i = 0; i < errors.runge_kutta.size(); ++i) {
    Json entry = {{"steps", findings.options.runge_kutta_steps[i]}};
    entry.update(error_document(errors.runge_kutta[i]));
    document["runge_kutta"].push_back(entry);
  }
  return document;
}

Json scheme_times_document(const std::vector<SchemeTime>& times) {
  Json rows = Json::array();
  for (const SchemeTime& each : times) {
    Json row = {{"scheme", each.scheme}};
    if (each.steps > 0) row["steps"] = each.steps;
    if (each.inner_steps > 0) row["inner_steps"] = each.inner_steps;
    row["forward_ms"] = each.forward;
    row["gradient_ms"] = each.gradient;
    rows.push_back(row);
  }
  return rows;
}

std::string scientific(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(2) << value;
  return text.str();
}

std::string milliseconds(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4) << value;
  return text.str();
}

/// A line of words, each right-aligned in its column but the first.
std::string table_row(const std::string& first, const std::vector<std::string>& others) {
  std::ostringstream row;
  row << std::left << std::setw(28) << first << std::right;
  for (const std::string& each : others) row << std::setw(16) << each;
  row << '\n';
  return row.str();
}

std::string error_row(const std::string& name, const PrecisionError& error) {
  return table_row(name, {scientific(error.value), scientific(error.gradient), scientific(error.by_differences)});
}

std::string alternating_name(std::size_t steps, std::size_t inner) {
  return "alternating " + std::to_string(steps) + " x " + std::to_string(inner);
}

std::string error_table(const PrecisionFindings& findings) {
  const PrecisionErrors& errors = *findings.errors;
  std::string text = table_row("error", {"value", "gradient", "by differences"});
  text += error_row("closed form, float32", errors.single_precision);
  for (std::size_t n : {1, 2, 5, 10, 20}) {
    if (n > errors.alternating.size() || n > errors.alternating.front().size()) continue;
    text += error_row(alternating_name(n, n), errors.alternating[n - 1][n - 1]);
  }
  for (std::size_t i = 0; i < errors.runge_kutta.size(); ++i) {
    text += error_row("Runge-Kutta " + std::to_string(findings.options.runge_kutta_steps[i]), errors.runge_kutta[i]);
  }
  return text;
}

std::string time_table(const std::vector<SchemeTime>& times) {
  std::string text = table_row("milliseconds", {"forward", "gradient"});
  for (const SchemeTime& each : times) {
    const std::string name = each.scheme == "alternating"   ? alternating_name(each.steps, each.inner_steps)
                             : each.scheme == "runge-kutta" ? "Runge-Kutta " + std::to_string(each.steps)
                                                            : "closed form";
    text += table_row(name, {milliseconds(each.forward), milliseconds(each.gradient)});
  }
  return text;
}

}  // namespace

Json document_of(const PrecisionFindings& findings) {
  Json document = study_head("precision");
  document["setting"] = setting_document(findings.options.setting);
  document["setting"]["size"] = findings.options.setting.size;
  if (findings.errors) document["errors"] = errors_document(findings);
  if (findings.times) {
    document["threads"] = findings.options.threads;
    document["times"] = scheme_times_document(*findings.times);
  }
  return document;
}

Json document_of(const SquaringFindings& findings) {
  Json document = study_head("squaring");
  document["setting"] = setting_document(findings.options.setting);
  document["sizes"] = findings.options.sizes;
  if (findings.errors) {
    const auto& sizes = findings.errors->sizes;
    document["errors"] = {{"displacement", findings.errors->displacements},
                          {"gradient_size", findings.errors->gradients},
                          {"value", column_of(sizes, &SquaringError::value)},
                          {"gradient", column_of(sizes, &SquaringError::gradient)},
                          {"largest_value", column_of(sizes, &SquaringError::largest_value)},
                          {"largest_gradient", column_of(sizes, &SquaringError::largest_gradient)}};
  }
  if (findings.times) {
    document["threads"] = findings.options.threads;
    document["times"] = {{"forward_ms", column_of(*findings.times, &SquaringTime::forward)},
                         {"gradient_ms", column_of(*findings.times, &SquaringTime::gradient)}};
  }
  return document;
}

Json document_of(const TimingFindings& findings) {
  Json document = study_head("timing");
  document["precision"] = "float32";
  document["threads"] = findings.threads;
  document["times"] = Json::array();
  for (const SweepTime& each : findings.times) {
    document["times"].push_back({{"varied", each.varied},
                                 {"cells", each.size.cells},
                                 {"points", each.size.points},
                                 {"warps", each.size.warps},
                                 {"forward_ms", each.forward},
                                 {"gradient_ms", each.gradient}});
  }
  return document;
}

std::string table_of(const PrecisionFindings& findings) {
  return (findings.errors ? error_table(findings) : "") + (findings.times ? time_table(*findings.times) : "");
}

std::string table_of(const SquaringFindings& findings) {
  std::vector<std::string> heads;
  if (findings.errors) heads.insert(heads.end(), {"value, rms", "gradient, rms"});
  if (findings.times) heads.insert(heads.end(), {"forward, ms", "gradient, ms"});
  std::string text = table_row("size, squarings", heads);
  for (std::size_t size = 0; size < findings.options.sizes.size(); ++size) {
    for (std::size_t n = 0; n <= findings.options.most_squarings; ++n) {
      std::vector<std::string> words;
      if (findings.errors) {
        const SquaringError& error = findings.errors->sizes[size][n];
        words.insert(words.end(), {scientific(error.value), scientific(error.gradient)});
      }
      if (findings.times) {
        const SquaringTime& time = (*findings.times)[size][n];
        words.insert(words.end(), {milliseconds(time.forward), milliseconds(time.gradient)});
      }
      std::ostringstream name;
      name << findings.options.sizes[size] << ", " << n;
      text += table_row(name.str(), words);
    }
  }
  return text;
}

std::string table_of(const TimingFindings& findings) {
  std::string text = table_row("cells x points x warps", {"forward, ms", "gradient, ms"});
  for (const SweepTime& each : findings.times) {
    std::ostringstream name;
    name << each.size.cells << " x " << each.size.points << " x " << each.size.warps;
    text += table_row(name.str(), {milliseconds(each.forward), milliseconds(each.gradient)});
  }
  return text;
}

std::string study_file_text(const Json& document) {
  std::string text = "{";
  for (const auto& [key, value] : document.items()) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + Json(key).dump() + ": " + value.dump();
  }
  return text + "\n}\n";
}

}  // namespace diffeo::cli
