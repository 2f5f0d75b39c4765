"""tools/run_page.py runs a page as a reader would, and notices when the page is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pages import PROJECT

from run_page import is_as_shown, run_page

GOOD = """# A page

```python
value = 6 * 7
print("value", value)
```

```text
value 42
```

```sh
echo written >file.txt
```

```python
print(open_text := __import__("pathlib").Path("file.txt").read_text().strip(), value + 0.004)
```

```text
written 42.0
```
"""


def problem_of(text: str, folder: Path) -> str | None:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return run_page(page, sys.executable, folder)


def test_a_page_that_works_runs_from_top_to_bottom(tmp_path: Path) -> None:
    assert problem_of(GOOD, tmp_path) is None


@pytest.mark.parametrize(
    ("wrong", "place", "told"),
    [
        (GOOD.replace("value 42", "value 43"), "page.md:9", "expected the output"),
        (GOOD.replace("6 * 7", "6 * seven"), "page.md:4", "NameError"),
        (GOOD.replace("echo written", "false; echo written"), "page.md:13", "exit code 1"),
        (GOOD.replace("value = 6", "import warnings; warnings.warn('old'); value = 6"), "page.md:4", "old"),
        (GOOD.replace("written 42.0", "written"), "page.md:21", "expected the output"),
    ],
    ids=["output", "exception", "command", "warning", "output that is cut short"],
)
def test_a_page_that_is_wrong_is_named_with_its_line(
    wrong: str, place: str, told: str, tmp_path: Path
) -> None:
    problem = problem_of(wrong, tmp_path)
    assert problem is not None
    assert place in problem
    assert told in problem


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("score 0.97", "score 0.95", True),  # digits in which processors differ
        ("score 0.97", "score 0.80", False),
        ("(3, 128)", "(3, 128)", True),
        ("(3, 128)", "(3, 127)", False),  # whole numbers are exact
        ("a b", "a\n  b\n", True),
        ("a b", "a b c", False),
        ("took ... s", "took 0.3 or so s", True),
        ("took ... s", "took 0.3 min", False),
        ("1e-05", "1.02e-05", True),
        ("", "something", False),
    ],
)
def test_output_is_compared_up_to_the_digits_that_may_differ(shown: str, printed: str, same: bool) -> None:
    assert is_as_shown(shown, printed) is same


def test_the_program_says_what_it_did(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(GOOD, encoding="utf-8")
    command = [sys.executable, PROJECT / "tools" / "run_page.py", page, "--keep", tmp_path / "inside"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "inside" / "file.txt").read_text() == "written\n"
