#include "data/zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "data/text_source.hpp"
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
/// Sizes and checksum follow the member's bytes: whoever wrote it could not go back.
constexpr std::uint16_t kDescribedAfter = 8;
constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
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
  void require_room(std::uint64_t bytes) const final { file_.require_room(name(), bytes); }

 protected:
  [[nodiscard]] std::size_t read_packed(char* to, std::size_t count) {
    const std::size_t got = file_.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(count, packed_left_)));
    packed_left_ -= got;
    return got;
  }
  [[nodiscard]] std::uint64_t packed_left() const noexcept { return packed_left_; }

 private:
  [[nodiscard]] std::size_t read_some(char* to, std::size_t count) final {
    const std::size_t got = unpack(to, count);
    checksum_ = add_to_checksum(checksum_, to, got);
    unread_ -= got;
    if (unread_ == 0 && (checksum_ != expected_ || !is_at_end())) {
      throw FileError({name()}, "expected data that fits its checksum, got others: the file is damaged");
    }
    return got;
  }
  [[nodiscard]] virtual std::size_t unpack(char* to, std::size_t count) = 0;
  /// Whether nothing is left when the last byte has been unpacked.
  [[nodiscard]] virtual bool is_at_end() = 0;

  InputFile& file_;
  std::uint64_t packed_left_;
  std::uint64_t unread_;
  std::uint32_t checksum_ = 0;
  std::uint32_t expected_;
};

class StoredBytes final : public MemberBytes {
  using MemberBytes::MemberBytes;
  [[nodiscard]] std::size_t unpack(char* to, std::size_t count) override { return read_packed(to, count); }
  [[nodiscard]] bool is_at_end() override { return true; }  // both sizes are the same
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
      ended_ = outcome == Z_STREAM_END;
      if (ended_ || (starved && outcome == Z_BUF_ERROR)) break;
      if (outcome != Z_OK) throw FileError({name()}, "expected deflated data, got others: the file is damaged");
    }
    return wanted - stream_.avail_out;
  }

  /// The mark of the end may not have been reached with the last byte: it must be all that comes.
  [[nodiscard]] bool is_at_end() override {
    char more = 0;
    const bool ends_here = ended_ || (unpack(&more, 1) == 0 && ended_);
    return ends_here && stream_.avail_in == 0 && packed_left() == 0;
  }

  std::vector<char> packed_;
  z_stream stream_{};
  bool ended_ = false;
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

void ZipReader::fail_about(const ZipMember& member) const {
  fail("expected the directory to agree with what stands before and after " + member.name +
       ", got others: the file is damaged");
}

ZipReader::ZipReader(InputFile file, std::span<const std::string_view> known) : file_(std::move(file)) {
  const Directory directory = find_directory();
  if (directory.size > kLargestDirectory || directory.size > directory.end ||
      directory.offset != directory.end - directory.size) {
    fail("expected a directory that ends where its size says, got another: the file is damaged");
  }
  std::string text(static_cast<std::size_t>(directory.size), '\0');
  read_at(directory.offset, text.data(), text.size());
  std::string_view rest = text;
  for (std::uint64_t i = 0; i < directory.members; ++i) members_.push_back(take_member(rest));
  if (!rest.empty()) {
    fail(message("expected ", directory.members, " entries in the directory, got more: the file is damaged"));
  }
  require_known(known);
  check_members(directory.offset);
}

/// The end of the archive says where its directory is; after it there may be a comment of any text.
ZipReader::Directory ZipReader::find_directory() {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_.size(), kEndBytes + kLongestComment));
  const std::uint64_t start = file_.size() - size;
  std::string tail(size, '\0');
  read_at(start, tail.data(), size);
  const auto is_end = [&](std::size_t place) {
    return u32(&tail[place]) == kEndSignature && place + kEndBytes + u16(&tail[place + 20]) == size;
  };
  std::size_t end = size < kEndBytes ? 0 : size - kEndBytes;
  while (end > 0 && !is_end(end)) --end;
  if (size < kEndBytes || !is_end(end)) {
    fail("expected an .npz archive, got a file without a directory: no archive, or cut short");
  }
  const Directory directory{u16(&tail[end + 10]), u32(&tail[end + 12]), u32(&tail[end + 16]), start + end};
  if (u32(&tail[end + 4]) != 0 || u16(&tail[end + 8]) != directory.members) {
    fail("expected an archive in one file, got part of one");
  }
  const bool elsewhere =
      directory.members == kElsewhere16 || directory.size == kElsewhere32 || directory.offset == kElsewhere32;
  char locator[4] = {};
  if (directory.end >= kLocator64Bytes) read_at(directory.end - kLocator64Bytes, locator, sizeof locator);
  if (u32(locator) == kLocator64Signature) return find_directory64(directory, directory.end - kLocator64Bytes);
  if (elsewhere) fail("expected a ZIP64 directory, got none: the file is damaged");
  return directory;
}

/// `directory` is what the older record says, of which all that does not fit there is elsewhere.
ZipReader::Directory ZipReader::find_directory64(const Directory& directory, std::uint64_t locator_offset) {
  const auto require_sound = [&](bool is_sound) {
    if (!is_sound) fail("expected records of a ZIP64 directory that agree, got others: the file is damaged");
  };
  char locator[kLocator64Bytes];
  read_at(locator_offset, locator, sizeof locator);
  const std::uint64_t offset = u64(locator + 8);
  require_sound(u32(locator + 4) == 0 && u32(locator + 16) == 1 && offset <= locator_offset &&
                locator_offset - offset >= kEnd64Bytes);
  char record[kEnd64Bytes];
  read_at(offset, record, sizeof record);
  const Directory large{u64(record + 32), u64(record + 40), u64(record + 48), offset};
  require_sound(u32(record) == kEnd64Signature && u64(record + 4) == locator_offset - offset - 12 &&
                u64(record + 16) == 0 && u64(record + 24) == large.members);
  require_sound((directory.members == kElsewhere16 || directory.members == large.members) &&
                (directory.size == kElsewhere32 || directory.size == large.size) &&
                (directory.offset == kElsewhere32 || directory.offset == large.offset));
  return large;
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
  if (u16(entry + 34) != 0) fail("expected an archive in one file, got part of one");
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

void ZipReader::require_known(std::span<const std::string_view> known) const {
  const auto listed = [&] {
    std::string text;
    for (const std::string_view name : known) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
  };
  for (const ZipMember& member : members_) {
    if (std::ranges::find(known, member.name) == known.end()) {
      fail(message("expected no other arrays than ", listed(), ", got ", in_quotes(member.name)));
    }
    if (find(member.name) != &member) fail(message("expected ", member.name, " once, got it twice"));
  }
}

void ZipReader::check_members(std::uint64_t directory) {
  std::vector<ZipMember*> order;
  for (ZipMember& member : members_) order.push_back(&member);
  std::ranges::sort(order, {}, [](const ZipMember* member) { return member->offset; });
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ZipMember& member = *order[i];
    const std::uint64_t next = i + 1 < order.size() ? order[i + 1]->offset : directory;
    if (member.offset != position || next > directory) fail_about(member);
    read_local_header(member);
    if (member.data > next || member.packed_size > next - member.data) fail_about(member);
    check_descriptor(member, member.data + member.packed_size, next);
    position = next;
  }
  if (position != directory) fail("expected members before the directory, got other data: the file is damaged");
}

/// Where the sizes come after the bytes, they may be zero before them.
void ZipReader::read_local_header(ZipMember& member) {
  char local[kLocalBytes];
  read_at(member.offset, local, sizeof local);
  const std::size_t name_size = u16(local + 26);
  const std::size_t extra_size = u16(local + 28);
  std::string rest(name_size + extra_size, '\0');
  read_at(member.offset + kLocalBytes, rest.data(), rest.size());
  ZipMember same{.name = rest.substr(0, name_size),
                 .method = u16(local + 8),
                 .flags = u16(local + 6),
                 .checksum = u32(local + 14),
                 .packed_size = u32(local + 18),
                 .size = u32(local + 22)};
  const bool is_whole = take_field64(std::string_view(rest).substr(name_size), same);
  const auto agrees = [&](std::uint64_t before, std::uint64_t listed) {
    return before == listed || ((member.flags & kDescribedAfter) != 0 && before == 0);
  };
  if (u32(local) != kLocalSignature || !is_whole || same.name != member.name || same.method != member.method ||
      same.flags != member.flags || !agrees(same.checksum, member.checksum) ||
      !agrees(same.packed_size, member.packed_size) || !agrees(same.size, member.size)) {
    fail_about(member);
  }
  member.data = member.offset + kLocalBytes + rest.size();
}

/// What follows a member: nothing, or its checksum and sizes, of 4 or 8 bytes, with or without a signature.
void ZipReader::check_descriptor(const ZipMember& member, std::uint64_t start, std::uint64_t end) {
  std::string expected;
  if ((member.flags & kDescribedAfter) != 0) {
    const std::uint64_t size = end - start;
    if (size == 16 || size == 24) append_little_endian(expected, kDescriptorSignature);
    append_little_endian(expected, member.checksum);
    for (const std::uint64_t each : {member.packed_size, member.size}) {
      if (size >= 20) {
        append_little_endian(expected, each);
      } else {
        append_little_endian(expected, static_cast<std::uint32_t>(each));
      }
    }
  }
  if (end - start != expected.size()) fail_about(member);
  std::string found(expected.size(), '\0');
  read_at(start, found.data(), found.size());
  if (found != expected) fail_about(member);
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
  file_.seek(member.data);
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
