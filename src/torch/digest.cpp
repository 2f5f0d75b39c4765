#include "digest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace diffeo {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3U;
constexpr std::size_t kHexDigits = 16;

}  // namespace

void Digest::add(std::span<const std::byte> bytes) noexcept {
  for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * kPrime;
}

void Digest::add(std::string_view text) noexcept {
  const std::uint64_t size = text.size();
  add(std::as_bytes(std::span(&size, 1)));
  add(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Digest::text() const {
  std::array<char, kHexDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), state_, kHexDigits).ptr;
  const std::string number(digits.data(), end);
  return std::string(kHexDigits - number.size(), '0') + number;
}

std::string digest_of(const Dataset& set) {
  Digest digest;
  digest.add(std::as_bytes(set.values()));
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const std::uint64_t length = set.length(item);
    digest.add(std::as_bytes(std::span(&length, 1)));
    if (set.labelled()) digest.add(set.label(item));
  }
  return digest.text();
}

std::string digest_of(const TensorFile& file) {
  std::vector<const NamedTensor*> tensors;
  for (const NamedTensor& tensor : file.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, {}, [](const NamedTensor* tensor) -> const std::string& { return tensor->name; });
  Digest digest;
  for (const NamedTensor* tensor : tensors) {
    digest.add(tensor->name);
    digest.add(name_of(tensor->dtype));
    digest.add(std::as_bytes(std::span(tensor->shape)));
    digest.add(tensor->bytes);
  }
  for (const auto& [key, value] : file.metadata) {
    if (key == "digest") continue;
    digest.add(key);
    digest.add(value);
  }
  return digest.text();
}

}  // namespace diffeo
