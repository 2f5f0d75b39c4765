// Zip archives, as far as .npz needs them: members stored or deflated, ZIP64 or not; not encrypted, in one file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"
#include "data/input_file.hpp"
#include "data/output_file.hpp"

namespace diffeo::files {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< of its local header
};

class ZipReader {
 public:
  /// Reads the directory; FileError where the file is no archive, or cut short.
  explicit ZipReader(InputFile file);

  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }
  [[nodiscard]] const std::vector<ZipMember>& members() const noexcept { return members_; }
  /// nullptr where there is none of that name.
  [[nodiscard]] const ZipMember* find(std::string_view name) const noexcept;
  /// The bytes of a member, unpacked as they are read; the checksum is compared at the end. One at a time.
  [[nodiscard]] std::unique_ptr<ByteSource> open(const ZipMember& member);

 private:
  struct Directory {
    std::uint64_t members;
    std::uint64_t size;
    std::uint64_t offset;
  };

  [[nodiscard]] Directory find_directory();
  [[nodiscard]] Directory find_directory64(std::uint64_t end);
  /// Takes one entry from the front of the directory.
  [[nodiscard]] ZipMember take_member(std::string_view& directory) const;
  void read_at(std::uint64_t offset, char* to, std::size_t count);
  [[noreturn]] void fail(const std::string& problem) const;

  InputFile file_;
  std::vector<ZipMember> members_;
};

/// Members are stored, not compressed: noise does not shrink, and stored ones can be read at any place.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file) : file_(file), body_(*this) {}

  /// What is written to the sink from here to `end` is the member of that name.
  [[nodiscard]] ByteSink& begin(const std::string& name);
  /// Size and checksum are known now, and take their place before the member.
  void end();
  /// Writes the directory.
  void finish();

 private:
  /// The open member: the last of members_.
  class Body final : public ByteSink {
   public:
    explicit Body(ZipWriter& writer) : writer_(writer) {}
    void write(std::string_view bytes) override;

   private:
    ZipWriter& writer_;
  };

  void write(std::string_view bytes);

  OutputFile& file_;
  Body body_;
  std::uint64_t written_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace diffeo::files
