"""The page of results in a real browser: opened from disk, sorted, looked at."""

import base64
import json

import numpy as np
import pytest
from report_pages import PROGRAM, run

import diffeo

BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
METHODS = ("euclidean", "dba", "soft-dtw")
ROUNDED = 5e-4  # accuracies are shown with three digits
LARGEST = 5_000_000  # bytes


def write_archive(folder):
    """Four small data sets, one of them with a name that HTML must not react to."""
    for number, name in enumerate(("Ante", "Brio", "Coda", "D&amp;<b>uo")):
        (folder / name).mkdir(parents=True)
        for part, seed in (("TRAIN", number), ("TEST", 50 + number)):
            X, y = diffeo.generate_cbf(12 + 3 * number, seed=seed, length=32)
            diffeo.save(folder / name / f"{name}_{part}.tsv", X, y)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Made by the program from the results of a small archive."""
    if not PROGRAM.is_file():
        pytest.skip(f"no program at {PROGRAM}")
    folder = tmp_path_factory.mktemp("results")
    write_archive(folder / "archive")
    run(
        "evaluate",
        folder / "archive",
        "--results",
        folder / "kept",
        "--methods",
        ",".join(METHODS),
        "--quiet",
    )
    made = folder / "results.html"
    run("report", folder / "kept", "-o", made)
    return made


def column(browser, number):
    """The texts of one column of the table of accuracies, from top to bottom."""
    return browser.each("#accuracies tbody tr", f"e.cells[{number}].textContent.trim()")


def numbers_of(browser):
    return json.loads(browser.js("return document.getElementById('numbers').textContent"))


def heads(browser):
    return browser.each("#accuracies th[data-sort]", "e.textContent.trim()")


def test_it_opens_from_disk_without_complaints_or_requests(browser, page):
    browser.open(page, height=20000)
    browser.js("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    browser.settle()
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith("data:")]
    assert asked == [page.resolve().as_uri()]
    assert page.stat().st_size < LARGEST


def test_every_drawing_has_a_name_a_description_and_a_caption(browser, page):
    browser.open(page)
    drawings = browser.each(
        "svg",
        """({role: e.getAttribute('role'), name: e.getAttribute('aria-label'),
             description: e.querySelector('desc').textContent,
             caption: e.closest('figure').querySelector('figcaption').textContent})""",
    )
    assert len(drawings) >= 4
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert all(drawing.values())


def test_every_link_of_the_contents_leads_somewhere(browser, page):
    browser.open(page)
    targets = browser.each("nav a", "document.getElementById(e.hash.slice(1)) !== null")
    assert len(targets) >= 4
    assert all(targets)


def test_the_summary_and_the_table_tell_the_same_accuracies(browser, page):
    browser.open(page)
    numbers = numbers_of(browser)
    scores = np.array(numbers["scores"])
    assert sorted(numbers["methods"]) == sorted(METHODS)
    places = [heads(browser).index(method) for method in numbers["methods"]]
    texts = np.array([[float(text.split()[0]) for text in column(browser, place)] for place in places]).T
    np.testing.assert_allclose(texts, scores, atol=ROUNDED)
    means = browser.each("#methods tbody tr", "e.querySelector('data').value")
    np.testing.assert_allclose(np.array(means, dtype=float), scores.mean(axis=0), rtol=1e-12)


def test_columns_are_sorted_by_pointer_and_back(browser, page):
    browser.open(page)
    method = heads(browser).index(numbers_of(browser)["methods"][0])
    click = f"document.querySelectorAll('#accuracies th[data-sort] button')[{method}].click()"
    browser.js(click)
    falling = [float(text.split()[0]) for text in column(browser, method)]
    assert falling == sorted(falling, reverse=True)
    browser.js(click)
    rising = [float(text.split()[0]) for text in column(browser, method)]
    assert rising == sorted(rising)
    state = browser.each("#accuracies th[data-sort]", "e.getAttribute('aria-sort')")
    assert state[method] == "ascending"
    assert state.count("none") == len(state) - 1
    assert browser.complaints() == []


def test_columns_are_sorted_by_keyboard(browser, page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(page)
    before = column(browser, 0)
    browser.js("document.querySelector('#accuracies th[data-sort] button').focus()")
    ActionChains(browser.driver).send_keys(Keys.ENTER).send_keys(Keys.SPACE).perform()
    after = column(browser, 0)
    assert sorted(after) == sorted(before)
    assert after[0] == max(before, key=str.lower)
    assert browser.js("return getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_names_are_shown_as_they_are(browser, page):
    browser.open(page)
    assert "D&amp;<b>uo" in column(browser, 0)
    assert browser.js("return document.querySelector('#accuracies b')") is None


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_needs_no_sideways_scrolling(browser, page, tmp_path, dark):
    browser.open(page, width=390, height=844, mobile=True, dark=dark)
    assert browser.js("return document.documentElement.scrollWidth") <= 390
    regions = browser.each(".table, .sheet.wide", "e.scrollWidth <= e.clientWidth || e.tabIndex === 0")
    assert all(regions)  # what scrolls on its own can be reached by keyboard
    browser.screenshot(tmp_path / "phone.png")


def test_there_is_a_light_and_a_dark_page(browser, page, tmp_path):
    pictures = []
    inks = []
    for dark in (False, True):
        browser.open(page, dark=dark)
        levels = [int(part) for part in browser.js(BACKGROUND).strip("rgb()").split(",")]
        assert max(levels) < 60 if dark else min(levels) > 200
        inks.append(browser.js("return getComputedStyle(document.querySelector('#scatter svg text')).fill"))
        browser.screenshot(tmp_path / f"{dark}.png")
        pictures.append((tmp_path / f"{dark}.png").read_bytes())
    assert pictures[0] != pictures[1]
    assert inks[0] != inks[1]  # drawings follow the page
    assert all(len(picture) > 10_000 for picture in pictures)


def test_it_prints_everything_but_the_controls(browser, page):
    browser.open(page, dark=True)
    folded = "return document.querySelectorAll('details:not([open])').length"
    before = browser.js(folded)
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", printBackground=False)["data"])
    assert pdf.startswith(b"%PDF")
    assert browser.js(folded) == before
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    assert browser.js("return getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.js(BACKGROUND) == "rgb(255, 255, 255)"
    browser.cdp("Emulation.setEmulatedMedia", media="")
    assert browser.complaints() == []
