"""Whether a built site is whole.

    python tools/docs/check_site.py build/docs/html

Links lead somewhere, anchors are there, nothing is loaded from elsewhere. Exit 1, and a line each, if not.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HREF, SRC = ("a", "link"), ("audio", "iframe", "img", "script", "source", "video")
ADDRESS = dict.fromkeys(HREF, "href") | dict.fromkeys(SRC, "src")
LOADED_LINKS = ("stylesheet", "icon", "shortcut icon", "preload", "manifest")  # others lead somewhere
CSS_ADDRESS = re.compile(r"(?:url\(|@import\s+)[\"']?((?:https?:)?//[^\"')\s]+)")
HOSTED = re.compile(r"https?://[^\s/]+\.[a-z]+(/\S*)?")


class Page(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attributes if value is not None}
        if "id" in values:
            self.anchors.add(values["id"])
        address = values.get(ADDRESS.get(tag, ""))
        if address is not None:
            leads = tag == "a" or (tag == "link" and values.get("rel") not in LOADED_LINKS)
            (self.links if leads else self.loads).append(address)


def problems_of(site: Path) -> list[str]:
    """One line each; none where the site is whole."""
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site}: expected pages, found none"]
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        wrong = ((link, _wrong(link, path, pages)) for link in page.links)
        found += [f"{name}: link to {link}: {why}" for link, why in wrong if why]
        for load in page.loads:
            parts = urlsplit(load)
            if parts.scheme != "data" and (parts.scheme or parts.netloc):
                found.append(f"{name}: loads {load} from elsewhere")
            elif not parts.scheme and not (path.parent / unquote(parts.path)).is_file():
                found.append(f"{name}: loads {load}: no such file")
    for sheet in sorted(site.rglob("*.css")):
        addresses = CSS_ADDRESS.findall(sheet.read_text(encoding="utf-8"))
        found += [f"{sheet.relative_to(site)}: loads {address} from elsewhere" for address in addresses]
    return found


def _wrong(link: str, path: Path, pages: dict[Path, Page]) -> str | None:
    """What is wrong with a link; addresses of other hosts are looked at, not asked."""
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        return None if HOSTED.fullmatch(link) else "expected an address with a host"
    if parts.scheme == "mailto":
        return None
    if parts.scheme or parts.netloc:
        return "expected a page of the site or an address of http or https"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    page = pages.get(target)
    if page is None:
        return None if target.is_file() else "no such file"
    anchor = unquote(parts.fragment)
    return f"no anchor {anchor} there" if anchor and anchor not in page.anchors else None


def main() -> int:
    site = Path(sys.argv[1])
    problems = problems_of(site)
    for problem in problems:
        print(problem, file=sys.stderr)
    count = len(list(site.rglob("*.html")))
    if not problems:
        print(f"{count} pages: all links and anchors lead somewhere, nothing is loaded from elsewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
