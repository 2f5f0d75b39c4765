// diffeo completion: what a shell needs to complete verbs, options, choices and files; made from the program's own
// description, so that it cannot be out of date.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/choices.hpp"
#include "cli/verb.hpp"

namespace diffeo::cli {
namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

/// -o and --output for -o,--output.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() != 0; }

/// a, b and c for a|b|c.
std::vector<std::string> parts_of_type(const CLI::Option& option) {
  std::vector<std::string> parts(1);
  for (const char letter : option.get_type_name()) {
    letter == '|' ? parts.emplace_back() : parts.back() += std::string(1, letter);
  }
  return parts;
}

/// Capitals, as in FILE, say what kind of value comes; other words stand for themselves.
bool is_kind(const std::string& word) { return !word.empty() && word.front() >= 'A' && word.front() <= 'Z'; }

/// A type such as warp|euclidean|dba lists what may come.
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> parts = parts_of_type(option);
  return parts.size() == 1 || is_kind(parts.front()) ? std::vector<std::string>() : parts;
}

/// FILE, or several kinds of files: MODEL|WARPS|FILE|DIR.
bool is_file(const CLI::Option& option) {
  constexpr std::string_view kFiles[] = {"FILE", "MODEL", "WARPS", "TRAIN", "OTHER", "ARCHIVE", "DIR", "RESULTS"};
  return std::ranges::all_of(parts_of_type(option), [&](const std::string& part) {
    return std::ranges::find(kFiles, part) != std::end(kFiles);
  });
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::vector<std::string> all_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_of(app)) {
    for (std::string& name : names_of(*option)) names.push_back(std::move(name));
  }
  return names;
}

/// What may stand in the place of the positional arguments, where it is a choice.
std::vector<std::string> positional_choices(const CLI::App& verb) {
  std::vector<std::string> choices;
  for (const CLI::Option* option : options_of(verb)) {
    if (!names_of(*option).empty()) continue;
    for (std::string& choice : choices_of(*option)) choices.push_back(std::move(choice));
  }
  return choices;
}

/// The value of the option before the cursor: choices, nothing, or files (which is what happens without a reply).
std::string bash_values(const CLI::App& verb) {
  std::string text;
  for (const CLI::Option* option : options_of(verb)) {
    if (names_of(*option).empty() || !takes_value(*option) || is_file(*option)) continue;
    const std::vector<std::string> choices = choices_of(*option);
    text += "        " + joined(names_of(*option), "|") + ") ";
    text += choices.empty() ? "compopt +o default; return ;;\n"
                            : "COMPREPLY=($(compgen -W \"" + joined(choices, " ") + "\" -- \"$word\")); return ;;\n";
  }
  for (const CLI::Option* option : options_of(verb)) {
    if (takes_value(*option) && is_file(*option) && !names_of(*option).empty()) {
      text += "        " + joined(names_of(*option), "|") + ") return ;;\n";
    }
  }
  return text;
}

std::string bash_verb(const CLI::App& verb) {
  std::string text = "    " + verb.get_name() + ")\n";
  if (const std::string values = bash_values(verb); !values.empty()) {
    text += "      case $before in\n" + values + "      esac\n";
  }
  text += "      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"" + joined(all_names(verb), " ") +
          "\" -- \"$word\")); return; fi\n";
  const std::vector<std::string> choices = positional_choices(verb);
  if (!choices.empty()) {
    text += "      COMPREPLY=($(compgen -W \"" + joined(choices, " ") + "\" -- \"$word\"))\n";
  }
  return text + "      ;;\n";
}

std::string bash_script(const CLI::App& program) {
  std::string text =
      "# bash completion of diffeo: source <(diffeo completion bash)\n"
      "_diffeo() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"" +
      joined(verb_names(program), " ") + " " + joined(all_names(program), " ") +
      "\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* verb : verbs_of(program)) text += bash_verb(*verb);
  return text + "  esac\n}\ncomplete -o default -F _diffeo diffeo\n";
}

/// Help in a description of zsh: brackets, colons and quotes mean something there.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
      result += letter;
    }
  }
  return result;
}

std::string zsh_value(const CLI::Option& option) {
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty()) return ":(" + joined(choices, " ") + ")";
  return is_file(option) ? ":_files" : ": ";
}

std::string zsh_option(const CLI::Option& option) {
  const std::vector<std::string> names = names_of(option);
  if (names.empty()) return "      ':" + zsh_text(option.get_name()) + zsh_value(option) + "' \\\n";
  std::string text;
  for (const std::string& name : names) {
    text += "      '(" + joined(names, " ") + ")" + name + "[" + zsh_text(option.get_description()) + "]";
    if (takes_value(option)) text += ":" + zsh_text(option.get_type_name()) + zsh_value(option);
    text += "' \\\n";
  }
  return text;
}

std::string zsh_script(const CLI::App& program) {
  std::string text =
      "#compdef diffeo\n"
      "# zsh completion of diffeo: diffeo completion zsh >DIRECTORY-OF-FPATH/_diffeo\n"
      "_diffeo() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const CLI::App* verb : verbs_of(program)) {
    text += "    '" + verb->get_name() + ":" + zsh_text(verb->get_description()) + "'\n";
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    if [[ $words[2] == -* ]]; then compadd -- " +
      joined(all_names(program), " ") +
      "; else _describe verb verbs; fi\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $verb in\n";
  for (const CLI::App* verb : verbs_of(program)) {
    text += "    " + verb->get_name() + ")\n      _arguments \\\n";
    for (const CLI::Option* option : options_of(*verb)) text += zsh_option(*option);
    text += "      && return\n      ;;\n";
  }
  return text + "  esac\n}\nif [[ $funcstack[1] == _diffeo ]]; then _diffeo \"$@\"; else compdef _diffeo diffeo; fi\n";
}

}  // namespace

void add_completion(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("completion", "Print a script that lets a shell complete diffeo's arguments");
  verb->group("Verbs");
  const auto shell = std::make_shared<std::string>();
  take_one_of(verb->add_option("shell", *shell, "Which one")->required(), {"bash", "zsh"});
  verb->footer("For bash: source <(diffeo completion bash), here or in ~/.bashrc.");
  verb->callback([shell, &program, &action] {
    action = [shell, &program] { std::cout << (*shell == "bash" ? bash_script(program) : zsh_script(program)); };
  });
}

}  // namespace diffeo::cli
