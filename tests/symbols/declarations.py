"""Definitions in a C++ file that a second file could repeat without an error of the linker.

These are classes, enums, and inline or template functions and variables at namespace scope. Unnamed
namespaces and static functions belong to one file, so they are left out. This reads tokens, not all of C++:
it expects the format of this project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<skipped> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* | \s+ )
      | (?P<text> (?:u8|[uUL])?R"(?P<end>[^(]*)\(.*?\)(?P=end)" | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
      | (?P<word> [0-9][\w'.]* | \w+ ) | (?P<sign> :: | -> | . )""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
KEYS = ("class", "struct", "union", "enum")
OPENS = {"(": ")", "[": "]", "{": "}"}
NO_NAMES = ("decltype", "requires", "alignas", "__launch_bounds__")  # what may stand before brackets, too
MADE_ANYWHERE = {"inline", "constexpr", "consteval", "template"}


@dataclass(frozen=True)
class Definition:
    kind: str  # class, function or variable
    name: str  # with namespaces; of functions also the types of the parameters
    line: int


@dataclass(frozen=True)
class Token:
    text: str
    line: int


def definitions_in(text: str) -> list[Definition]:
    return list(_Reader(_tokens(text)).definitions(()))


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    line = 1
    for match in TOKEN.finditer(text):
        if match["text"]:
            found.append(Token('""', line))
        elif not match["skipped"]:
            found.append(Token(match[0], line))
        line += match[0].count("\n")
    return found


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def definitions(self, namespace: tuple[str, ...]) -> Iterator[Definition]:
        """Up to the end of the namespace."""
        while self.at < len(self.tokens) and self.tokens[self.at].text != "}":
            line = self.tokens[self.at].line
            head = self._head()
            opens = self.at < len(self.tokens) and self.tokens[self.at].text == "{"
            if opens and _names_of_namespace(head) is not None:
                names = _names_of_namespace(head) or []
                self.at += 1
                inside = list(self.definitions((*namespace, *names)))
                self.at += 1
                if names or head[0] == "extern":
                    yield from inside
                continue
            yield from _defined(head, namespace, line, opens)
            if opens:
                self._skip_group()
            elif self.at < len(self.tokens):
                self.at += 1

    def _head(self) -> list[str]:
        """The declaration up to its body, or to the semicolon."""
        head: list[str] = []
        while self.at < len(self.tokens):
            text = self.tokens[self.at].text
            if text == ";" or (
                text == "{" and not (_initializes_members(head) and head[-1] not in (")", "}"))
            ):
                break
            if text in OPENS:
                begin = self.at
                self._skip_group()
                head += [token.text for token in self.tokens[begin : self.at]]
            else:
                head.append(text)
                self.at += 1
        return head

    def _skip_group(self) -> None:
        closing = [OPENS[self.tokens[self.at].text]]
        self.at += 1
        while closing and self.at < len(self.tokens):
            text = self.tokens[self.at].text
            if text in OPENS:
                closing.append(OPENS[text])
            elif text == closing[-1]:
                closing.pop()
            self.at += 1


def _names_of_namespace(head: list[str]) -> list[str] | None:
    """None if it is no namespace; no names for an unnamed one."""
    if head in (["extern", '""'], ["extern"]):
        return []
    words = [word for word in head if word not in ("inline", "::")]
    return words[1:] if words[:1] == ["namespace"] and "=" not in words else None


def _initializes_members(head: list[str]) -> bool:
    """Of a constructor: `Name(int value) : value_`."""
    flat = _outermost(head)
    return ":" in flat and "(" in flat[: flat.index(":")] and not set(flat) & set(KEYS)


def _outermost(head: list[str]) -> list[str]:
    """Without what is in brackets; the brackets stay."""
    flat: list[str] = []
    depth = 0
    for text in head:
        depth -= text in OPENS.values()
        if depth == 0:
            flat.append(text)
        depth += text in OPENS
    return flat


def _defined(head: list[str], namespace: tuple[str, ...], line: int, has_body: bool) -> Iterator[Definition]:
    is_template, rest = _without_template(head)
    words = [word for word in rest if word not in ("inline", "constexpr", "consteval", "const")]
    if not words or words[0] in ("using", "static", "typedef", "friend", "extern", "static_assert"):
        return
    scope = "".join(name + "::" for name in namespace)
    if has_body and words[0] in KEYS and "(" not in _outermost(_without_attributes(words)):
        yield Definition("class", scope + _name_of_class(_without_attributes(words)), line)
    elif is_template or MADE_ANYWHERE & set(rest):
        yield from _function_or_variable(rest, scope, line, has_body)


def _function_or_variable(rest: list[str], scope: str, line: int, has_body: bool) -> Iterator[Definition]:
    begin = _parameters_at(rest)
    if begin is not None:
        if has_body:
            yield Definition(
                "function", scope + _name_before(rest, begin) + _types_of_parameters(rest, begin), line
            )
    elif "inline" in rest:
        end = rest.index("=") if "=" in rest else len(rest)
        yield Definition("variable", scope + rest[end - 1], line)


def _without_template(head: list[str]) -> tuple[bool, list[str]]:
    rest = head
    while rest[:1] == ["template"]:
        rest = rest[_after_angles(rest, 1) :]
    return len(rest) < len(head), rest


def _after_angles(tokens: list[str], begin: int) -> int:
    depth = 0
    for index in range(begin, len(tokens)):
        depth += (tokens[index] == "<") - (tokens[index] == ">")
        if depth == 0:
            return index + 1
    return len(tokens)


def _without_attributes(words: list[str]) -> list[str]:
    """[[...]] and alignas(...) away."""
    kept: list[str] = []
    depth = 0
    for index, word in enumerate(words):
        opens = word == "[" or (word == "(" and (depth or words[index - 1] == "alignas"))
        depth += opens
        if not depth and word != "alignas":
            kept.append(word)
        depth -= bool(depth) and word in ("]", ")")
    return kept


def _name_of_class(words: list[str]) -> str:
    names = words[2:] if words[1] in KEYS else words[1:]  # enum class
    ends = [names.index(end) for end in (":", "final") if end in names]
    return "".join(names[: min(ends, default=len(names))])


def _parameters_at(rest: list[str]) -> int | None:
    """Where the parameters of a function begin; None for what is no function."""
    depth = 0
    index = 0
    while index < len(rest):
        text = rest[index]
        if text == "operator":
            return rest.index("(", index + 1 + (rest[index + 1] == "(") * 2)
        if text == "=" and depth == 0:
            return None
        if text == "(" and depth == 0 and index and rest[index - 1] not in NO_NAMES:
            return index
        depth += (text == "<") - (text == ">" and depth > 0)
        index += 1
    return None


def _name_before(rest: list[str], begin: int) -> str:
    first = rest.index("operator") if "operator" in rest[:begin] else _name_ending(rest, begin)
    while first >= 2 and rest[first - 1] in ("::", "~"):
        first = _name_ending(rest, first - 1) if rest[first - 1] == "::" else first - 1
    return " ".join(rest[first:begin]).replace(" :: ", "::")


def _name_ending(rest: list[str], end: int) -> int:
    """Where the name begins that ends there, with arguments of a template."""
    if rest[end - 1] != ">":
        return end - 1
    return max(index for index in range(end) if rest[index] == "<" and _after_angles(rest, index) == end) - 1


def _types_of_parameters(rest: list[str], begin: int) -> str:
    """Without names and defaults of parameters, and with `const` of a member."""
    parameters: list[list[str]] = [[]]
    depth = 0
    index = begin
    while True:
        text = rest[index]
        depth += text in ("(", "[", "{", "<")
        depth -= text in (")", "]", "}", ">")
        if depth == 0:
            break
        if text == "," and depth == 1:
            parameters.append([])
        elif index > begin:
            parameters[-1].append(text)
        index += 1
    is_const = rest[index + 1 : index + 2] == ["const"]
    return "(" + ", ".join(_type_of(parameter) for parameter in parameters) + ")" + " const" * is_const


def _type_of(parameter: list[str]) -> str:
    words = parameter[: parameter.index("=")] if "=" in parameter else parameter
    is_named = (
        len(words) > 1
        and re.fullmatch(r"[a-z_]\w*", words[-1])
        and words[-2] not in ("::", "const", "unsigned")
    )
    of_value = not {"*", "&"} & set(words)  # `const` of a value is no part of its function's type
    return " ".join(
        word for word in (words[:-1] if is_named else words) if not (of_value and word == "const")
    ).replace(" :: ", "::")
