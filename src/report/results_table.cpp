#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "diffeo/error.hpp"
#include "report/html.hpp"
#include "report/results_sections.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kPropertyColumns = 5;                            // type, cases of both kinds, length, classes
constexpr std::string_view kSoundRows = " rows without fault or gap";  // short, as it makes the first column wide
constexpr std::string_view kSoundMean =
    " The last mean is over the rows in which every published figure is there and can be right: one that is struck out "
    "or missing leaves its whole row out, for the measured methods too.";

/// Signs for faults in the order in which they first appear: a, b, c.
class FaultSigns {
 public:
  explicit FaultSigns(const std::optional<PublishedTable>& published) {
    if (!published) return;
    for (const std::vector<PublishedValue>& row : published->values) {
      for (const PublishedValue& each : row) add(each.fault);
    }
  }

  [[nodiscard]] std::string sign(const std::string& fault) const { return signs_.at(fault); }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  void add(const std::string& fault) {
    if (fault.empty() || signs_.contains(fault)) return;
    const std::size_t number = faults_.size();
    signs_[fault] = number < 26 ? std::string(1, static_cast<char>('a' + number)) : std::to_string(number + 1);
    faults_.push_back(fault);
  }

  std::map<std::string, std::string> signs_;
  std::vector<std::string> faults_;
};

std::string sortable_head(std::string_view words, std::string_view kind) {
  return message("<th scope=\"col\" class=\"", kind, "\" data-sort=\"", kind, "\">", escaped(words), "</th>");
}

std::string count_cell(std::size_t count) {
  return message("<td class=\"number\">", data_element(static_cast<double>(count), grouped(count)), "</td>");
}

std::string property_cells(const DatasetProperties& properties) {
  return message("<td>", escaped(properties.type), "</td>", count_cell(properties.training_cases),
                 count_cell(properties.test_cases), count_cell(properties.length), count_cell(properties.classes));
}

std::string score_cell(const ResultsMaterial& material, std::size_t set, std::size_t method) {
  const std::vector<double>& scores = material.scores().scores[set];
  const bool is_best = scores[method] == std::ranges::max(scores);
  std::string html = message("<td class=\"number", is_best ? " best" : "", "\">",
                             data_element(scores[method], accuracy_text(scores[method])));
  if (!material.report.spreads.empty()) {
    const std::optional<double> spread = material.report.spreads[set][method];
    if (spread) html += message(" <span class=\"spread\">±\u00a0", accuracy_text(*spread), "</span>");
  }
  return html + "</td>";
}

std::string published_cell(const PublishedValue& published, const FaultSigns& signs) {
  if (!published.value) return "<td class=\"number published quiet\">–</td>";
  const std::string value = data_element(*published.value, accuracy_text(*published.value));
  if (published.fault.empty()) return message("<td class=\"number published\">", value, "</td>");
  return message("<td class=\"number published fault\" title=\"", escaped(published.fault), "\"><s>", value,
                 "</s><sup>", signs.sign(published.fault), "</sup></td>");
}

std::size_t published_columns(const ResultsMaterial& material) {
  return material.report.published ? material.report.published->methods.size() : 0;
}

/// Which columns were measured, and which published.
std::string column_groups(const ResultsMaterial& material) {
  if (published_columns(material) == 0) return "";
  const auto group = [](std::string_view words, std::size_t columns) {
    return message("<th scope=\"colgroup\" colspan=\"", columns, "\">", words, "</th>");
  };
  return message("<tr><td></td>", group("measured", material.methods()),
                 group("published", published_columns(material)),
                 material.report.properties.empty() ? "" : group("the data", kPropertyColumns), "</tr>");
}

std::string table_head(const ResultsMaterial& material) {
  std::string html = message("<thead>", column_groups(material), "<tr>", sortable_head("data set", "text"));
  for (const std::string& method : material.scores().methods) html += sortable_head(method, "number");
  if (published_columns(material) > 0) {
    for (const std::string& method : material.report.published->methods) html += sortable_head(method, "number");
  }
  if (!material.report.properties.empty()) {
    html += sortable_head("type", "text");
    for (const std::string_view words : {"train", "test", "length", "classes"}) html += sortable_head(words, "number");
  }
  return html + "</tr></thead>\n";
}

std::string table_row(const ResultsMaterial& material, std::size_t set, const FaultSigns& signs) {
  std::string html = message("<tr><th scope=\"row\">", escaped(material.scores().datasets[set]), "</th>");
  for (std::size_t method = 0; method < material.methods(); ++method) html += score_cell(material, set, method);
  if (material.report.published) {
    for (const PublishedValue& each : material.report.published->values[set]) html += published_cell(each, signs);
  }
  if (!material.report.properties.empty()) html += property_cells(material.report.properties[set]);
  return html + "</tr>\n";
}

/// Neither a fault nor a gap in the row: so the means of all columns are over the same data sets.
bool is_without_fault(const ResultsMaterial& material, std::size_t set) {
  return std::ranges::all_of(material.report.published->values[set],
                             [](const PublishedValue& each) { return each.fault.empty() && each.value; });
}

/// Means over some data sets; nothing for a published method without a value on one of them.
std::string mean_row(const ResultsMaterial& material, std::string_view name, const std::vector<std::size_t>& sets) {
  std::string html = message("<tr><th scope=\"row\">", name, "</th>");
  const auto add = [&](const std::function<std::optional<double>(std::size_t)>& value, std::string_view kind) {
    double sum = 0.0;
    bool is_whole = !sets.empty();
    for (const std::size_t set : sets) {
      const std::optional<double> each = value(set);
      is_whole = is_whole && each.has_value();
      sum += each.value_or(0.0);
    }
    const double mean = is_whole ? sum / static_cast<double>(sets.size()) : 0.0;
    html +=
        message("<td class=\"number", kind, "\">", is_whole ? data_element(mean, accuracy_text(mean)) : "–", "</td>");
  };
  for (std::size_t method = 0; method < material.methods(); ++method) {
    add([&](std::size_t set) { return std::optional(material.scores().scores[set][method]); }, "");
  }
  for (std::size_t method = 0; method < published_columns(material); ++method) {
    add([&](std::size_t set) { return material.report.published->values[set][method].value; }, " published");
  }
  if (!material.report.properties.empty()) html += message("<td colspan=\"", kPropertyColumns, "\"></td>");
  return html + "</tr>\n";
}

std::string table_foot(const ResultsMaterial& material, const FaultSigns& signs) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> sound;
  for (std::size_t set = 0; set < material.datasets(); ++set) {
    all.push_back(set);
    if (material.report.published && is_without_fault(material, set)) sound.push_back(set);
  }
  std::string html = message("<tfoot>\n", mean_row(material, "mean", all));
  if (!signs.faults().empty()) {
    html += mean_row(material, message("mean of ", sound.size(), kSoundRows), sound);
  }
  return html + "</tfoot>\n";
}

std::string table_caption(const ResultsMaterial& material, const FaultSigns& signs) {
  std::string text = message("<b>Accuracy ",
                             material.report.scores_are_cross_validated
                                 ? "on every data set, by cross-validation inside its training set"
                                 : "on every test set",
                             ".</b> The best measured value of a row is set in bold.");
  if (!material.report.spreads.empty()) {
    text += " After ± stands the standard deviation over the seeds (divided by their number less one).";
  }
  if (material.report.published) text += message(" ", escaped(material.report.published->source));
  if (signs.faults().empty()) return text;
  text += message(kSoundMean, " Published values that cannot be compared are struck out:\n<ul class=\"faults\">\n");
  for (const std::string& fault : signs.faults()) {
    text += message("<li><sup>", signs.sign(fault), "</sup> ", escaped(fault), "</li>\n");
  }
  return text + "</ul>\n";
}

}  // namespace

std::string table_section(const ResultsMaterial& material) {
  const FaultSigns signs(material.report.published);
  std::string html = message("<figure><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">",
                             "<table id=\"accuracies\" class=\"sortable\">", table_head(material), "<tbody>\n");
  for (std::size_t set = 0; set < material.datasets(); ++set) html += table_row(material, set, signs);
  html += message("</tbody>\n", table_foot(material, signs), "</table></div><figcaption>",
                  table_caption(material, signs), "</figcaption></figure>\n");
  return results_section("results", "Results", html);
}

}  // namespace diffeo::report
