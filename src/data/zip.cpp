#include "data/zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

// PKWARE's APPNOTE: signatures, sizes of the fixed parts, and numbers that mean "see the ZIP64 field".
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint16_t kField64 = 1;
constexpr std::uint32_t kElsewhere32 = 0xFFFFFFFF;
constexpr std::uint16_t kElsewhere16 = 0xFFFF;
constexpr std::uint16_t kVersion64 = 45;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kFirstOfJanuary1980 = 0x21;
constexpr std::uint64_t kLargestDirectory = std::uint64_t{1} << 26;
/// Deflate cannot shrink more than that: a larger claim is a lie, found before memory is asked for.
constexpr std::uint64_t kBestRatio = 1032;
constexpr std::size_t kPackedBytesAtOnce = std::size_t{1} << 16;

std::uint16_t u16(const char* bytes) { return little_endian<std::uint16_t>(bytes); }
std::uint32_t u32(const char* bytes) { return little_endian<std::uint32_t>(bytes); }
std::uint64_t u64(const char* bytes) { return little_endian<std::uint64_t>(bytes); }

std::uint32_t add_to_checksum(std::uint32_t checksum, const char* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes), count));
}

/// A member's bytes, compared with its checksum when the last has been read.
class MemberBytes : public ByteSource {
 public:
  MemberBytes(InputFile& file, const ZipMember& member)
      : ByteSource(file.name() + ": " + member.name, member.size),
        file_(file),
        packed_left_(member.packed_size),
        unread_(member.size),
        expected_(member.checksum) {}

 protected:
  [[nodiscard]] std::size_t read_packed(char* to, std::size_t count) {
    const std::size_t got = file_.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(count, packed_left_)));
    packed_left_ -= got;
    return got;
  }

 private:
  [[nodiscard]] std::size_t read_some(char* to, std::size_t count) final {
    const std::size_t got = unpack(to, count);
    checksum_ = add_to_checksum(checksum_, to, got);
    unread_ -= got;
    if (unread_ == 0 && checksum_ != expected_) {
      throw FileError({name()}, "expected data that fits its checksum, got others: the file is damaged");
    }
    return got;
  }
  [[nodiscard]] virtual std::size_t unpack(char* to, std::size_t count) = 0;

  InputFile& file_;
  std::uint64_t packed_left_;
  std::uint64_t unread_;
  std::uint32_t checksum_ = 0;
  std::uint32_t expected_;
};

class StoredBytes final : public MemberBytes {
  using MemberBytes::MemberBytes;
  [[nodiscard]] std::size_t unpack(char* to, std::size_t count) override { return read_packed(to, count); }
};

class DeflatedBytes final : public MemberBytes {
 public:
  DeflatedBytes(InputFile& file, const ZipMember& member) : MemberBytes(file, member), packed_(kPackedBytesAtOnce) {
    constexpr int kRawDeflate = -MAX_WBITS;
    if (inflateInit2(&stream_, kRawDeflate) != Z_OK) throw std::bad_alloc();
  }
  ~DeflatedBytes() override { inflateEnd(&stream_); }

 private:
  [[nodiscard]] std::size_t unpack(char* to, std::size_t count) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(count, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        stream_.avail_in = static_cast<uInt>(read_packed(packed_.data(), packed_.size()));
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
      }
      const bool starved = stream_.avail_in == 0;
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      if (outcome == Z_STREAM_END || (starved && outcome == Z_BUF_ERROR)) break;
      if (outcome != Z_OK) throw FileError({name()}, "expected deflated data, got others: the file is damaged");
    }
    return wanted - stream_.avail_out;
  }

  std::vector<char> packed_;
  z_stream stream_{};
};

/// The sizes and the offset that the directory gives elsewhere when they do not fit into 32 bits.
bool take_field64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::size_t size = u16(extra.data() + 2);
    if (extra.size() < 4 + size) return false;
    if (u16(extra.data()) == kField64) {
      const char* next = extra.data() + 4;
      const char* const end = next + size;
      for (std::uint64_t* number : {&member.size, &member.packed_size, &member.offset}) {
        if (*number != kElsewhere32) continue;
        if (end - next < 8) return false;
        *number = u64(next);
        next += 8;
      }
    }
    extra.remove_prefix(4 + size);
  }
  return true;
}

/// What a local header and a directory entry have in common.
void append_common(std::string& bytes, const ZipMember& member) {
  append_little_endian(bytes, kVersion64);
  append_little_endian(bytes, member.flags);
  append_little_endian(bytes, member.method);
  append_little_endian(bytes, std::uint16_t{0});  // midnight
  append_little_endian(bytes, kFirstOfJanuary1980);
  append_little_endian(bytes, member.checksum);
  append_little_endian(bytes, kElsewhere32);
  append_little_endian(bytes, kElsewhere32);
  append_little_endian(bytes, static_cast<std::uint16_t>(member.name.size()));
}

std::string local_header(const ZipMember& member) {
  std::string header;
  append_little_endian(header, kLocalSignature);
  append_common(header, member);
  append_little_endian(header, std::uint16_t{20});
  header += member.name;
  append_little_endian(header, kField64);
  append_little_endian(header, std::uint16_t{16});
  append_little_endian(header, member.size);
  append_little_endian(header, member.packed_size);
  return header;
}

}  // namespace

void ZipReader::fail(const std::string& problem) const { throw FileError({name()}, problem); }

void ZipReader::read_at(std::uint64_t offset, char* to, std::size_t count) {
  if (offset > file_.size() || count > file_.size() - offset) {
    fail(message("expected ", count, " bytes at ", offset, ", got a file of ", file_.size(), ": it is cut short"));
  }
  file_.seek(offset);
  FileBytes(file_, count).read(to, count);
}

ZipReader::ZipReader(InputFile file) : file_(std::move(file)) {
  const Directory directory = find_directory();
  if (directory.size > kLargestDirectory || directory.size > file_.size()) {
    fail("expected a smaller directory, got one too large: the file is damaged");
  }
  std::string text(static_cast<std::size_t>(directory.size), '\0');
  read_at(directory.offset, text.data(), text.size());
  std::string_view rest = text;
  for (std::uint64_t i = 0; i < directory.members; ++i) members_.push_back(take_member(rest));
}

/// The end of the archive says where its directory is; before the end there may be a comment of any text.
ZipReader::Directory ZipReader::find_directory() {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_.size(), kEndBytes + kLongestComment));
  const std::uint64_t start = file_.size() - size;
  std::string tail(size, '\0');
  read_at(start, tail.data(), size);
  std::string signature;
  append_little_endian(signature, kEndSignature);
  const std::size_t end = size < kEndBytes ? std::string::npos : tail.rfind(signature, size - kEndBytes);
  if (end == std::string::npos) {
    fail("expected an .npz archive, got a file without a directory: no archive, or cut short");
  }
  const Directory directory{u16(&tail[end + 10]), u32(&tail[end + 12]), u32(&tail[end + 16])};
  const bool elsewhere =
      directory.members == kElsewhere16 || directory.size == kElsewhere32 || directory.offset == kElsewhere32;
  return elsewhere ? find_directory64(start + end) : directory;
}

ZipReader::Directory ZipReader::find_directory64(std::uint64_t end) {
  constexpr const char* kProblem = "expected a ZIP64 directory, got none: the file is damaged";
  char locator[kLocator64Bytes];
  if (end < sizeof locator) fail(kProblem);
  read_at(end - sizeof locator, locator, sizeof locator);
  if (u32(locator) != kLocator64Signature) fail(kProblem);
  char record[kEnd64Bytes];
  read_at(u64(locator + 8), record, sizeof record);
  if (u32(record) != kEnd64Signature) fail(kProblem);
  return {u64(record + 32), u64(record + 40), u64(record + 48)};
}

ZipMember ZipReader::take_member(std::string_view& directory) const {
  if (directory.size() < kCentralBytes || u32(directory.data()) != kCentralSignature) {
    fail("expected another entry in the directory, got other data: the file is damaged");
  }
  const char* const entry = directory.data();
  const std::size_t name_size = u16(entry + 28);
  const std::size_t extra_size = u16(entry + 30);
  const std::size_t entry_size = kCentralBytes + name_size + extra_size + u16(entry + 32);
  if (directory.size() < entry_size) {
    fail("expected a whole entry in the directory, got part of one: the file is damaged");
  }
  ZipMember member{.name = std::string(entry + kCentralBytes, name_size),
                   .method = u16(entry + 10),
                   .flags = u16(entry + 8),
                   .checksum = u32(entry + 16),
                   .packed_size = u32(entry + 20),
                   .size = u32(entry + 24),
                   .offset = u32(entry + 42)};
  if (!take_field64({entry + kCentralBytes + name_size, extra_size}, member)) {
    fail("expected the sizes of " + member.name + ", got part of them: the file is damaged");
  }
  directory.remove_prefix(entry_size);
  return member;
}

const ZipMember* ZipReader::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const ZipMember& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

std::unique_ptr<ByteSource> ZipReader::open(const ZipMember& member) {
  if (member.flags & kEncrypted) fail("expected " + member.name + " in the clear, got it encrypted");
  if (member.method != kStored && member.method != kDeflated) {
    fail(message("expected ", member.name, " stored or deflated, got compression method ", member.method));
  }
  const bool possible =
      member.method == kStored ? member.size == member.packed_size : member.size / kBestRatio <= member.packed_size;
  if (member.packed_size > file_.size() || !possible)
    fail("expected sizes of " + member.name + " that can be, got others: the file is damaged");
  char local[kLocalBytes];
  read_at(member.offset, local, sizeof local);
  if (u32(local) != kLocalSignature)
    fail("expected " + member.name + " where the directory says, got other data: the file is damaged");
  file_.seek(member.offset + kLocalBytes + u16(local + 26) + u16(local + 28));
  if (member.method == kStored) return std::make_unique<StoredBytes>(file_, member);
  return std::make_unique<DeflatedBytes>(file_, member);
}

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::Body::write(std::string_view bytes) {
  ZipMember& member = writer_.members_.back();
  member.checksum = add_to_checksum(member.checksum, bytes.data(), bytes.size());
  member.size += bytes.size();
  writer_.write(bytes);
}

ByteSink& ZipWriter::begin(const std::string& name) {
  const ZipMember member{.name = name, .method = kStored, .offset = written_};
  write(local_header(member));
  members_.push_back(member);
  return body_;
}

void ZipWriter::end() {
  ZipMember& member = members_.back();
  member.packed_size = member.size;
  file_.write_over(member.offset, local_header(member));
}

void ZipWriter::finish() {
  const std::uint64_t start = written_;
  for (const ZipMember& member : members_) {
    std::string entry;
    append_little_endian(entry, kCentralSignature);
    append_little_endian(entry, kVersion64);
    append_common(entry, member);
    append_little_endian(entry, std::uint16_t{28});
    entry.append(10, '\0');  // no comment, first disk, no attributes
    append_little_endian(entry, kElsewhere32);
    entry += member.name;
    append_little_endian(entry, kField64);
    append_little_endian(entry, std::uint16_t{24});
    append_little_endian(entry, member.size);
    append_little_endian(entry, member.packed_size);
    append_little_endian(entry, member.offset);
    write(entry);
  }
  const std::uint64_t size = written_ - start;
  const std::uint64_t end64 = written_;
  std::string end;
  append_little_endian(end, kEnd64Signature);
  append_little_endian(end, std::uint64_t{kEnd64Bytes - 12});
  append_little_endian(end, kVersion64);
  append_little_endian(end, kVersion64);
  end.append(8, '\0');  // first disk
  append_little_endian(end, std::uint64_t{members_.size()});
  append_little_endian(end, std::uint64_t{members_.size()});
  append_little_endian(end, size);
  append_little_endian(end, start);
  append_little_endian(end, kLocator64Signature);
  end.append(4, '\0');
  append_little_endian(end, end64);
  append_little_endian(end, std::uint32_t{1});
  append_little_endian(end, kEndSignature);
  end.append(4, '\0');
  append_little_endian(end, static_cast<std::uint16_t>(members_.size()));
  append_little_endian(end, static_cast<std::uint16_t>(members_.size()));
  append_little_endian(end, kElsewhere32);
  append_little_endian(end, kElsewhere32);
  append_little_endian(end, std::uint16_t{0});
  write(end);
}

}  // namespace diffeo::files
