#include "cli/config_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <utility>

#include "cli/kept_files.hpp"
#include "cli/suggestion.hpp"
#include "cli/verb.hpp"
#include "data/number_text.hpp"
#include "data/output_file.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::cli {
namespace {

/// Options of a run, not of what it computes.
constexpr std::array<std::string_view, 13> kNotKept = {"help",    "config",  "save-config", "output", "warps",
                                                       "figures", "force",   "resume",      "json",   "quiet",
                                                       "verbose", "dry-run", "max-size"};

/// Of a file that save_config writes; the verb follows.
constexpr std::string_view kFirstWords = "# diffeo ";

bool is_key_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
}

/// One line of a configuration, taken from left to right.
class ConfigLine {
 public:
  ConfigLine(std::string_view text, std::string file, std::size_t line)
      : rest_(text), file_(std::move(file)), line_(line) {}

  [[nodiscard]] bool done() {
    skip_blanks();
    return rest_.empty() || rest_.front() == '#';
  }
  [[nodiscard]] bool accept(char letter) {
    skip_blanks();
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char letter, const char* where) {
    if (!accept(letter)) fail(message("expected ", letter, " ", where));
  }

  [[nodiscard]] std::string name() {
    skip_blanks();
    const auto end = std::ranges::find_if_not(rest_, is_key_letter);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    if (size == 0) fail("expected a name");
    return taken(size);
  }

  [[nodiscard]] std::string value() {
    if (accept('[')) return list();
    return single_value("expected a number, true, false, text in quotes or a list");
  }

  void require_end() {
    if (!done()) fail("expected the end of the line");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw FileError({file_, line_}, expected + ", got " + files::in_quotes(rest_));
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  [[nodiscard]] std::string taken(std::size_t size) {
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }

  /// Anything but a list: lists hold no lists.
  [[nodiscard]] std::string single_value(const char* expected) {
    skip_blanks();
    if (rest_.starts_with('"') || rest_.starts_with('\'')) return quoted();
    const std::string word = taken(std::min(rest_.find_first_of(" \t,]#\r"), rest_.size()));
    if (word == "true" || word == "false" || files::number_in(word)) return word;
    rest_ = word;
    fail(expected);
  }

  [[nodiscard]] std::string list() {
    std::string text;
    while (!accept(']')) {
      text +=
          (text.empty() ? "" : ",") + single_value("expected a number, true, false or text in quotes within a list");
      if (accept(',')) continue;
      expect(']', "after a list");
      break;
    }
    return text;
  }

  [[nodiscard]] std::string quoted() {
    const char quote = rest_.front();
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (quote == '"' && rest_[i] == '\\' && i + 1 < rest_.size()) {
        text += unescaped(rest_[++i]);
      } else {
        text += rest_[i];
      }
    }
    fail("expected a closing quote");
  }

  [[nodiscard]] char unescaped(char letter) const {
    switch (letter) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case '"':
      case '\\':
        return letter;
      default:
        fail("expected \\n, \\t, \\\" or \\\\ in text");
    }
  }

  std::string_view rest_;
  std::string file_;
  std::size_t line_;
};

std::vector<std::string> keys_of(const CLI::App& verb) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "config" && name != "save-config") keys.push_back(name);
    }
  }
  return keys;
}

const CLI::App* verb_named(const CLI::App& program, const std::string& name) {
  const auto verbs = program.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return verbs.empty() ? nullptr : verbs.front();
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

/// Whether somebody typed the option, by any of its names.
bool is_typed(const CLI::Option& option, const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    const std::string name = argument.substr(0, argument.find('='));
    const auto is_long = [&](const std::string& own) { return name == "--" + own; };
    const auto is_short = [&](const std::string& own) {
      return argument.starts_with("-" + own) && !argument.starts_with("--");
    };
    return std::ranges::any_of(option.get_lnames(), is_long) || std::ranges::any_of(option.get_snames(), is_short);
  });
}

/// The file that the arguments name; empty where they name none.
std::string config_named(const std::vector<std::string>& arguments) {
  constexpr std::string_view kAssigned = "--config=";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(kAssigned)) return arguments[i].substr(kAssigned.size());
    if (arguments[i] == "--config" && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return "";
}

/// What has to be typed instead of the entry; nothing for a flag that is not set.
std::vector<std::string> typed(const ConfigEntry& entry, const CLI::Option& option, const std::string& file) {
  if (!is_flag(option)) return {"--" + entry.key + "=" + entry.value};
  if (entry.value != "true" && entry.value != "false") {
    throw FileError({file, entry.line}, "expected true or false for " + entry.key + ", got " + entry.value);
  }
  return entry.value == "true" ? std::vector<std::string>{"--" + entry.key} : std::vector<std::string>{};
}

std::string config_value(const std::string& text, const std::string& type) {
  const bool is_list_of_numbers = type == "N,N,..." || type == "X,X,...";
  if (is_list_of_numbers) return "[" + text + "]";
  if (text == "true" || text == "false" || files::number_in(text)) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter == '\n' ? std::string("\\n") : letter == '\t' ? std::string("\\t") : std::string(1, letter);
  }
  return quoted + '"';
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

Config read_config(const std::filesystem::path& path) {
  Config config;
  files::TextSource source{files::InputFile(path)};
  std::string table;
  while (source.next_line()) {
    const std::size_t number = source.line();
    const std::string text(source.field(files::kLineEnds));
    ConfigLine line(text, path.string(), number);
    if (line.done()) continue;
    if (line.accept('[')) {
      table = line.name();
      line.expect(']', "after the name of a table");
      config.tables.push_back({table, number});
    } else {
      ConfigEntry entry{table, line.name(), "", number};
      line.expect('=', "after a key");
      entry.value = line.value();
      config.entries.push_back(std::move(entry));
    }
    line.require_end();
  }
  return config;
}

void add_config_options(CLI::App& verb, ConfigOptions& options) {
  verb.add_option("--config", options.from,
                  "Options from a file of lines such as cells = 16; what is typed here wins over it")
      ->type_name("FILE");
  verb.add_option("--save-config", options.save, "Write the options in use to a file that --config understands")
      ->type_name("FILE");
}

std::vector<std::string> with_config(const CLI::App& program, std::vector<std::string> arguments) {
  const std::string file = config_named(arguments);
  const CLI::App* const verb = arguments.empty() ? nullptr : verb_named(program, arguments.front());
  if (file.empty() || verb == nullptr || verb->get_option_no_throw("--config") == nullptr) return arguments;
  const std::vector<std::string> as_typed = arguments;
  const std::vector<std::string> keys = keys_of(*verb);
  const Config config = read_config(file);
  for (const ConfigTable& table : config.tables) {
    if (verb_named(program, table.name) != nullptr) continue;
    throw FileError({file, table.line}, message("expected a table named after a verb, got [", table.name, "]",
                                                suggestion(table.name, verb_names(program))));
  }
  for (const ConfigEntry& entry : config.entries) {
    if (!entry.table.empty() && entry.table != verb->get_name()) continue;
    if (std::ranges::find(keys, entry.key) == keys.end()) {
      throw FileError({file, entry.line}, message("expected an option of ", verb->get_name(), ", got ", entry.key,
                                                  suggestion(entry.key, keys)));
    }
    const CLI::Option& option = *verb->get_option_no_throw("--" + entry.key);
    if (is_typed(option, as_typed)) continue;
    for (std::string& argument : typed(entry, option, file)) arguments.push_back(std::move(argument));
  }
  return arguments;
}

void require_saveable(const ConfigOptions& options) {
  require_place_for(options.save);
  require_own_kind("--save-config", options.save, kind_that_begins("a configuration that diffeo wrote", kFirstWords));
}

void save_config(const CLI::App& verb, const ConfigOptions& options, const ResolvedOptions& resolved) {
  if (options.save.empty()) return;
  require_saveable(options);
  files::OutputFile file(options.save);
  file.write(std::string(kFirstWords) + verb.get_name() + "\n[" + verb.get_name() + "]\n");
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& key = option->get_lnames().front();
    if (std::ranges::find(kNotKept, key) != kNotKept.end()) continue;
    std::string text = option->count() > 0 ? joined(option->results()) : option->get_default_str();
    if (is_flag(*option)) text = option->count() > 0 ? "true" : "false";
    if (const auto found = resolved.find(key); found != resolved.end()) text = found->second;
    if (text.empty()) continue;  // an option without a default that was not given
    file.write(key + " = " + config_value(text, option->get_type_name()) + "\n");
  }
  file.commit();
}

std::function<void()> saving_config(const CLI::App& verb, const ConfigOptions& options, ResolvedOptions resolved,
                                    std::function<void()> work) {
  return [&verb, options, resolved = std::move(resolved), work = std::move(work)] {
    require_saveable(options);
    work();
    save_config(verb, options, resolved);
  };
}

}  // namespace diffeo::cli
