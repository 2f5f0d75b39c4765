// Items by their labels: groups in the order in which their names first appear.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace diffeo::figures {

struct LabelledGroup {
  std::string name;
  std::vector<std::size_t> items;
};

[[nodiscard]] inline std::vector<LabelledGroup> grouped_items(std::span<const std::string> labels) {
  std::vector<LabelledGroup> groups;
  for (std::size_t item = 0; item < labels.size(); ++item) {
    auto group = std::ranges::find(groups, labels[item], &LabelledGroup::name);
    if (group == groups.end()) group = groups.insert(groups.end(), {labels[item], {}});
    group->items.push_back(item);
  }
  return groups;
}

}  // namespace diffeo::figures
