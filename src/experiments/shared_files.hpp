// Files that several processes read and write at the same time, with nothing but what every file system has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace diffeo {

/// An open file; it closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// Everything from `start` on; nothing where there is no such file.
[[nodiscard]] std::optional<std::string> shared_content(const std::filesystem::path& file, std::size_t start = 0);

/// FileAccessError, with `file` as the name.
void write_all(const Descriptor& descriptor, const std::filesystem::path& file, std::string_view text);
void bring_to_disk(const Descriptor& descriptor, const std::filesystem::path& file);
/// The names in a folder: that of a new file or folder is on disk only when this is. None is the current one.
void bring_folder_to_disk(const std::filesystem::path& folder);

/// That folder and those above it that there are not yet, on disk.
void create_folders(const std::filesystem::path& folder);

/// What of a file survives: a crash of the machine, or crashes of processes only.
enum class Durability { while_the_machine_runs, on_disk };

/// A file with that content under a name that nobody has yet. Whoever else tries at the same time, one succeeds, and
/// nobody ever sees a part of it. Whether it was us.
[[nodiscard]] bool create_whole(const std::filesystem::path& file, std::string_view text, Durability durability);

/// As create_whole, on disk, but what is there already is replaced at once.
void replace_whole(const std::filesystem::path& file, std::string_view text);

/// A word that nobody else will come up with.
[[nodiscard]] std::string random_token();

}  // namespace diffeo
