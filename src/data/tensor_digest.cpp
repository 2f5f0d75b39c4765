// Digests of tensor files (diffeo/tensor_file.hpp): SHA-256 of a text that has every length before what is so long, so that
// different content gives different text.
#include <sodium/crypto_hash_sha256.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {
namespace {

constexpr const char* kDigestKey = "digest";
constexpr std::string_view kDigestMethod = "sha256:";

class Sha256 {
 public:
  Sha256() { crypto_hash_sha256_init(&state_); }

  void add(std::uint64_t number) {
    std::string bytes;
    files::append_little_endian(bytes, number);
    add_bytes(std::as_bytes(std::span(bytes)));
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    add_bytes(bytes);
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

  [[nodiscard]] std::string hexadecimal() {
    std::array<unsigned char, crypto_hash_sha256_BYTES> bytes{};
    crypto_hash_sha256_final(&state_, bytes.data());
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
    return text;
  }

 private:
  void add_bytes(std::span<const std::byte> bytes) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }

  crypto_hash_sha256_state state_{};
};

std::string digest_of(const TensorFile& file) {
  std::vector<const NamedTensor*> tensors;
  for (const NamedTensor& tensor : file.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, {}, [](const NamedTensor* tensor) -> const std::string& { return tensor->name; });
  Sha256 digest;
  digest.add(tensors.size());
  for (const NamedTensor* tensor : tensors) {
    digest.add(tensor->name);
    digest.add(name_of(tensor->dtype));
    digest.add(tensor->shape.size());
    for (const std::int64_t extent : tensor->shape) digest.add(static_cast<std::uint64_t>(extent));
    digest.add(tensor->bytes);
  }
  for (const auto& [key, value] : file.metadata) {
    if (key == kDigestKey) continue;
    digest.add(key);
    digest.add(value);
  }
  return std::string(kDigestMethod) + digest.hexadecimal();
}

}  // namespace

void add_digest(TensorFile& file) { file.metadata[kDigestKey] = digest_of(file); }

void require_digest(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(kDigestKey);
  if (found == file.metadata.end() || !found->second.starts_with(kDigestMethod)) {
    throw FileError({name}, message("expected a digest that starts with ", kDigestMethod, ", got ",
                                    found == file.metadata.end() ? "none" : files::in_quotes(found->second)));
  }
  if (found->second != digest_of(file)) {
    throw FileError({name}, "expected content that fits its digest, got another: the file is damaged");
  }
}

}  // namespace diffeo
