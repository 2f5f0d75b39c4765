// Zip archives, as far as .npz needs them: members stored or deflated, ZIP64 or not; not encrypted, in one file.
//
// A zip file says everything twice: before each member and in the directory at its end. A reader compares all of it, and
// the parts must fill the file to the byte, so that a damaged archive is refused and no member can get lost.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  std::uint64_t data = 0;    ///< where its bytes begin; known to a reader
};

class ZipReader {
 public:
  /// Reads and checks everything but the members' bytes. FileError where the file is no archive, is damaged, or has
  /// another member than `known` or one of them twice.
  ZipReader(InputFile file, std::span<const std::string_view> known);

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
    std::uint64_t end;  ///< where the records begin that say the above
  };

  [[nodiscard]] Directory find_directory();
  [[nodiscard]] Directory find_directory64(const Directory& directory, std::uint64_t locator);
  /// Takes one entry from the front of the directory.
  [[nodiscard]] ZipMember take_member(std::string_view& directory) const;
  void require_known(std::span<const std::string_view> known) const;
  /// Compares the members with what stands before and after their bytes, one after the other up to the directory.
  void check_members(std::uint64_t directory);
  void read_local_header(ZipMember& member);
  void check_descriptor(const ZipMember& member, std::uint64_t start, std::uint64_t end);
  void read_at(std::uint64_t offset, char* to, std::size_t count);
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_about(const ZipMember& member) const;

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
