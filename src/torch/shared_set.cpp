#include "shared_set.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "diffeo/error.hpp"
#include "diffeo/tensor_file.hpp"
#include "digest.hpp"

namespace diffeo {

struct SharedSet::Part {
  std::size_t channels = 1;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> labels;  // numbers of class_names; empty without labels
  std::vector<std::string> class_names;
};

namespace {

NamedTensor numbers(std::string name, const std::vector<std::int64_t>& values) {
  return make_tensor(std::move(name), {static_cast<std::int64_t>(values.size())},
                     std::span<const std::int64_t>(values));
}

std::vector<std::int64_t> numbers_of(const TensorFile& file, const std::string& name) {
  return file.find(name)->values<std::int64_t>();
}

}  // namespace

std::string SharedSet::told(const Dataset& own) {
  std::vector<std::int64_t> lengths;
  for (std::size_t item = 0; item < own.cases(); ++item) lengths.push_back(static_cast<std::int64_t>(own.length(item)));
  std::vector<std::int64_t> name_lengths;
  std::vector<std::uint8_t> letters;  // names are any bytes
  for (const std::string& name : own.class_names()) {
    name_lengths.push_back(static_cast<std::int64_t>(name.size()));
    letters.insert(letters.end(), name.begin(), name.end());
  }
  TensorFile file;
  file.tensors.push_back(numbers("channels", {static_cast<std::int64_t>(own.channels())}));
  file.tensors.push_back(numbers("lengths", lengths));
  file.tensors.push_back(numbers("labels", {own.labels().begin(), own.labels().end()}));
  file.tensors.push_back(numbers("name_lengths", name_lengths));
  file.tensors.push_back(
      make_tensor("letters", {static_cast<std::int64_t>(letters.size())}, std::span<const std::uint8_t>(letters)));
  const std::vector<std::byte> bytes = encode_tensor_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SharedSet::Part SharedSet::part_of(const std::string& told) {
  const TensorFile file = decode_tensor_file(std::as_bytes(std::span(told)), "what a process has told");
  Part part;
  part.channels = static_cast<std::size_t>(numbers_of(file, "channels").front());
  part.lengths = numbers_of(file, "lengths");
  part.labels = numbers_of(file, "labels");
  const std::vector<std::uint8_t> letters = file.find("letters")->values<std::uint8_t>();
  auto first = letters.begin();
  for (const std::int64_t length : numbers_of(file, "name_lengths")) {
    part.class_names.emplace_back(first, first + length);
    first += length;
  }
  return part;
}

SharedSet::SharedSet(const Dataset& own, Group group) : own_(own), group_(std::move(group)) {
  std::vector<Part> parts;
  for (const std::string& told : group_.gathered(told(own))) parts.push_back(part_of(told));
  group_.together([&] { check(parts); });
  number_cases(parts);
  name_classes(parts);
}

void SharedSet::check(const std::vector<Part>& parts) {
  if (parts.size() == 1) return;
  const auto cases = [&](std::size_t sum, const Part& part) { return sum + part.lengths.size(); };
  for (std::size_t process = 0; process < parts.size(); ++process) {
    const Part& part = parts[process];
    require(!part.lengths.empty(), "training: expected a series for each of the ", parts.size(), " processes, got ",
            std::accumulate(parts.begin(), parts.end(), std::size_t{0}, cases));
    require(part.channels == parts.front().channels, "training: expected ", parts.front().channels,
            " channels in all processes, as process 0 has, got ", part.channels, " in process ", process);
    require(part.labels.empty() == parts.front().labels.empty(),
            "training: expected labels in all processes or in none, got some of process ",
            part.labels.empty() ? 0 : process, " and none of process ", part.labels.empty() ? process : 0);
  }
}

void SharedSet::number_cases(const std::vector<Part>& parts) {
  const auto size_of = [](const Part& part) { return part.lengths.size(); };
  const std::size_t turns = size_of(*std::ranges::max_element(parts, {}, size_of));
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t process = 0; process < parts.size(); ++process) {
      if (turn >= size_of(parts[process])) continue;
      const bool is_own = process == group_.rank();
      if (is_own) own_items_.push_back(lengths_.size());
      places_.push_back(is_own ? turn : kElsewhere);
      lengths_.push_back(static_cast<std::size_t>(parts[process].lengths[turn]));
    }
  }
}

/// Where all processes know the same classes, in their order: those of one file; else in the order in which they come.
void SharedSet::name_classes(const std::vector<Part>& parts) {
  if (parts.front().labels.empty()) return;
  const auto knows_the_same = [&](const Part& part) { return part.class_names == parts.front().class_names; };
  if (std::ranges::all_of(parts, knows_the_same)) class_names_ = parts.front().class_names;
  std::map<std::string, std::size_t> known;
  for (const std::string& name : class_names_) known.emplace(name, known.size());
  std::vector<std::size_t> turns(parts.size(), 0);
  for (std::size_t process = 0; labels_.size() < cases(); process = (process + 1) % parts.size()) {
    const Part& part = parts[process];
    if (turns[process] == part.labels.size()) continue;
    const std::string& name = part.class_names[static_cast<std::size_t>(part.labels[turns[process]++])];
    const auto [found, is_new] = known.emplace(name, known.size());
    if (is_new) class_names_.push_back(name);
    labels_.push_back(found->second);
  }
}

std::size_t SharedSet::longest() const noexcept { return lengths_.empty() ? 0 : *std::ranges::max_element(lengths_); }

BatchShare SharedSet::share_of(std::span<const std::size_t> items) const {
  BatchShare share;
  share.cases = items.size();
  for (std::size_t position = 0; position < items.size(); ++position) {
    const std::size_t item = items[position];
    share.longest = std::max(share.longest, lengths_[item]);
    if (places_[item] == kElsewhere) continue;
    share.items.push_back(item);
    share.places.push_back(places_[item]);
    share.positions.push_back(static_cast<std::int64_t>(position));
  }
  return share;
}

std::string SharedSet::digest() const {
  CaseDigests digests;
  for (std::size_t i = 0; i < own_.cases(); ++i) digests.add(own_items_[i], own_, i);
  CaseDigests all;
  for (const std::string& text : group_.gathered(digests.text())) all.add(text);
  return all.text();
}

}  // namespace diffeo
