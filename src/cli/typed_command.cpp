#include "cli/typed_command.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace diffeo::cli {
namespace {

bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("-_./=,:+@%").find(letter) != std::string_view::npos;
}

std::string for_shell(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string text(1, '\'');
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text.append(1, '\'');
}

}  // namespace

std::string typed_command(int argc, const char* const* argv) {
  std::string command = argc > 0 ? for_shell(argv[0]) : std::string("diffeo");
  for (int i = 1; i < argc; ++i) command.append(" ").append(for_shell(argv[i]));
  return command;
}

std::string with_option(const std::string& command, const std::string& option) {
  const bool is_there = (command + " ").find(" " + option + " ") != std::string::npos;
  return is_there ? command : command + " " + option;
}

}  // namespace diffeo::cli
