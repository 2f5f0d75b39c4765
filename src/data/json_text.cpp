#include "data/json_text.hpp"

#include "data/printable.hpp"

namespace diffeo::files {
namespace {

using Json = nlohmann::ordered_json;

struct NestedTooDeep {};

/// nlohmann's number of the error that an object has no entry of a name; the name stands in quotes.
constexpr int kNoSuchEntry = 403;

}  // namespace

Json parsed_json(std::string_view text) {
  const auto check_depth = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kDeepestJson) throw NestedTooDeep();
    return true;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), check_depth, false);
    return json.is_discarded() ? Json() : json;
  } catch (const NestedTooDeep&) {
    return {};
  }
}

std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string json_problem(const nlohmann::json::exception& problem) {
  const std::string_view text = problem.what();
  const std::size_t first = text.find('\'');
  const std::size_t last = text.rfind('\'');
  if (problem.id != kNoSuchEntry || first == last) return "an entry of another type";
  return "no entry " + printable(text.substr(first + 1, last - first - 1));
}

}  // namespace diffeo::files
