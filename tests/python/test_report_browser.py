"""The report in a real browser: opened from disk, read, moved, looked at."""

import base64
import functools
import json
import re
from dataclasses import dataclass

import numpy as np
import pytest
from report_pages import PROGRAM, has_networks, run, write_warps

import diffeo

SAME = 1e-6  # what the page promises of its flow; positions are fractions of the length
TAME = 1e-12  # rounding of the walk through the cells, where no field expands by more than e^3 on its way
ROUNDING = 100 * np.finfo(float).eps  # of points, before the flow stretches it
FLOAT = 2e-6  # drawn series are float32, and of size 1 to 5
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
DRAWN = "e.querySelector('svg') !== null"
PAGES = ("model", "warps", "channels", "many", "aligned", "averages")
CHARTS = ["seriesBefore", "seriesAfter", "heatBefore", "heatAfter"]
CHARTS += ["warps", "velocities", "centroids", "curve"]
# What a chart says of a place: "series 3\nat 0.5: −1.2", "mean\nat 0.5: 1 ± 0.3", "φ(0.5) = 0.48",
# "epoch 7: 1".
TIP = re.compile(
    r"(?:(?P<name>.+)\n)?(?:at |φ\(|v\(|epoch )(?P<place>\S+?)(?:: |\) = )"
    r"(?P<value>\S+)(?: ± (?P<spread>\S+))?"
)
FIELDS = {"loss (weighted sum)": "loss", "cross-entropy": "cross_entropy", "training accuracy": "accuracy"}


def report(folder, source, data, page, *more):
    run("report", folder / source, "--data", folder / data, "-o", folder / page, *more)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One page of each kind, and what they were made from."""
    if not PROGRAM.is_file():
        pytest.skip(f"no program at {PROGRAM}")
    folder = tmp_path_factory.mktemp("report")

    X, y = diffeo.generate_cbf(24, seed=3, length=64)
    diffeo.save(folder / "cbf.tsv", X, y)
    if has_networks():
        small = ["--widths", "8,8", "--kernels", "5,3", "--threads", 1, "--quiet", "--seed", 1]
        brief = ["--epochs", 12, "--least-steps", 40, "--layers", 2, "--cells", 8, "--velocity-scale", 2]
        run("fit", folder / "cbf.tsv", "-o", folder / "cbf.model", *small, *brief)
        report(folder, "cbf.model", "cbf.tsv", "model.html")

    alignment = diffeo.align(X, y, max_iterations=10)
    write_warps(folder / "cbf.warps", folder / "cbf.tsv", y, alignment)
    report(folder, "cbf.warps", "cbf.tsv", "warps.html")
    diffeo.save(folder / "aligned.tsv", alignment.aligned, y)
    report(folder, "aligned.tsv", "cbf.tsv", "aligned.html")
    means = np.stack([X[y == name].mean(axis=0) for name in dict.fromkeys(y)])
    diffeo.save(folder / "means.tsv", means, list(dict.fromkeys(y)))
    report(folder, "means.tsv", "cbf.tsv", "averages.html")

    write_channels(folder)
    many = diffeo.generate_bumps(111, seed=2, classes=37, length=40)
    diffeo.save(folder / "many.npz", many.X, many.y)
    write_warps(
        folder / "many.warps", folder / "many.npz", many.y, diffeo.align(many.X, many.y, max_iterations=2)
    )
    run(
        "report",
        folder / "many.warps",
        "--data",
        folder / "many.npz",
        "-o",
        folder / "many.html",
        "--cases",
        74,
    )
    return folder


def write_channels(folder):
    """Two channels, different lengths, missing values, no labels, and a name that HTML must not react to."""
    random = np.random.default_rng(4)
    series = []
    for length in (30, 41, 50, 50):
        times = np.linspace(0, 1, length) ** random.uniform(0.7, 1.4)
        series.append(np.stack([np.sin(7 * times), np.cos(5 * times)]))
    series[1][:, 10:14] = np.nan
    diffeo.save(folder / "channels.npz", series, None)
    alignment = diffeo.align(series, max_iterations=5)
    write_warps(folder / "channels.warps", folder / "channels.npz", None, alignment)
    title = "</title><script>console.error('escaped')</script>"
    run(
        "report",
        folder / "channels.warps",
        "--data",
        folder / "channels.npz",
        "-o",
        folder / "channels.html",
        "--title",
        title,
    )


def page_of(pages, name):
    path = pages / f"{name}.html"
    if not path.exists():
        pytest.skip("the program was built without libtorch: no model to report on")
    return path


def fields(random, kind, cells, scale):
    velocities = random.normal(size=cells + 1) * scale
    if kind == "fixed points":
        velocities[random.random(cells + 1) < 0.4] = 0.0
    elif kind == "zero slopes":
        velocities = np.repeat(velocities, 3)[: cells + 1]
    elif kind == "negative":
        velocities = -np.abs(velocities)
    return velocities


@pytest.mark.parametrize("kind", ["any", "fixed points", "zero slopes", "negative"])
@pytest.mark.parametrize(
    ("scale", "most_layers", "tolerance"), [(0.05, 3, TAME), (1.0, 3, SAME), (20.0, 1, SAME)]
)
def test_the_flow_in_the_page_is_that_of_the_core(browser, pages, kind, scale, most_layers, tolerance):
    seed = 11
    random = np.random.default_rng(seed)
    browser.open(page_of(pages, "warps"))
    cases = []
    for cells in (1, 2, 5, 16):
        for layers in range(1, most_layers + 1):
            points = np.concatenate([random.uniform(-0.2, 1.2, 40), np.arange(cells + 1) / cells])
            time = random.choice([-1.0, -0.25, 0.0, 0.5, 1.0])
            cases.append(([fields(random, kind, cells, scale) for _ in range(layers)], points, time))
    sent = [[[list(v) for v in layers], list(points), time] for layers, points, time in cases]
    move = "return arguments[0].map((each) => [...diffeoReport.Flow.positions(...each)])"
    for (layers, points, time), answer in zip(cases, browser.js(move, sent), strict=True):
        expected, stretch = composed(layers, points, time)
        finite = np.abs(expected) < 1e300  # beyond, JSON has no number for what overflows
        allowed = tolerance * np.maximum(1.0, np.abs(expected)) + ROUNDING * np.abs(stretch)
        error = np.abs(np.array(answer, dtype=float) - expected)
        place = f"seed {seed}, {len(layers)} layers of {len(layers[0]) - 1} cells, time {time}"
        assert (error <= allowed)[finite].all(), place


def composed(layers, points, time):
    """phi_1(phi_2(...)) by the core, and how much it stretches: what a rounding of the point grows to."""
    position, stretch = points, np.ones_like(points)
    for velocities in reversed(layers):
        moved = diffeo.flow_derivatives(velocities, position, time=time)
        position, stretch = moved.position, stretch * moved.by_point
    return position, stretch


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_from_disk_without_complaints_or_requests(browser, pages, name):
    page = page_of(pages, name)
    browser.open(page, height=20000)  # everything in sight, so everything is drawn
    browser.js("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    browser.settle()
    assert all(browser.each(".plot", DRAWN))
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith("data:")]
    assert asked == [page.resolve().as_uri()]


@pytest.mark.parametrize("name", PAGES)
def test_every_chart_has_a_caption_a_name_and_axes_and_every_control_a_label(browser, pages, name):
    browser.open(page_of(pages, name), height=20000)
    charts = browser.each(
        ".plot svg",
        """({caption: e.closest('figure').querySelector('figcaption').textContent,
             role: e.getAttribute('role'), name: e.getAttribute('aria-label'),
             axes: [...e.querySelectorAll('text.label')].map((label) => label.textContent)})""",
    )
    assert len(charts) >= 4
    for chart in charts:
        assert chart["role"] == "img"
        assert chart["name"]
        assert chart["caption"]
        assert len(chart["axes"]) == 2
        assert all(chart["axes"])
    assert browser.js(
        "return [...document.querySelectorAll('input, select')].every((each) => each.labels.length === 1)"
    )


def test_the_numbers_in_the_page_are_those_of_the_model(browser, pages):
    browser.open(page_of(pages, "model"))
    X, y = diffeo.load(pages / "cbf.tsv")
    aligned = diffeo.TemporalAligner.load(pages / "cbf.model").transform(X)
    names = list(dict.fromkeys(y))
    before = [diffeo.within_variance(X[y == name]) for name in names]
    after = [diffeo.within_variance(aligned[y == name]) for name in names]
    weights = [np.mean(y == name) for name in names]
    accuracy = json.loads(run("classify", pages / "cbf.model", pages / "cbf.tsv", "--json"))["accuracy"]
    unaligned = diffeo.NearestCentroid("euclidean").fit(X, y).score(X, y)

    shown = browser.js(
        "return [...document.querySelectorAll('#figures data')].map((each) => Number(each.value))"
    )
    expected = [accuracy, unaligned, np.dot(weights, before), np.dot(weights, after), len(X)]
    np.testing.assert_allclose(shown, expected, rtol=1e-12)
    rows = browser.each("#variances tbody tr", "[...e.querySelectorAll('data')].map((d) => Number(d.value))")
    np.testing.assert_allclose(rows, np.column_stack([before, after]), rtol=1e-12)
    cells = "[...e.querySelectorAll('td')].map((cell) => Number(cell.textContent))"
    matrix = browser.each(".confusion tbody tr", cells)
    assert np.trace(matrix) / len(X) == pytest.approx(accuracy)
    assert np.sum(matrix, axis=1).tolist() == [np.sum(y == name) for name in names]


def test_the_page_of_a_model_says_in_words_how_well_the_series_align(browser, pages):
    browser.open(page_of(pages, "model"))
    X, y = diffeo.load(pages / "cbf.tsv")
    quality = diffeo.TemporalAligner.load(pages / "cbf.model").quality(X, y)
    shown = dict(browser.each("#measures tr", "[e.children[0].textContent, e.children[1].textContent]"))
    left = {
        "variance within classes": quality.variance / quality.variance_before,
        "slope variance within classes": quality.slope_variance / quality.slope_variance_before,
        "inverse-consistent error": quality.inverse_consistent_error / quality.error_before,
    }
    for name, share in left.items():
        assert shown[name].endswith(f" after: {100 * share:.3g} % is left")
    assert shown["displacement"] == f"{100 * quality.mean_displacement:.3g} % of the duration"
    assert shown["pace"].startswith(f"time runs at {quality.least_slope:.3g} to ")
    assert shown["mean warp"].startswith(f"{100 * quality.mean_warp_distance:.3g} % ")
    assert "Network 1 of 4 aligns" in browser.js("return document.querySelector('#measures').textContent")


def drawn_series(browser, time):
    """The series of the page moved to `time`, in the order of the file: (cases, points) of channel 1."""
    lines, numbers = browser.js(
        """const {data} = diffeoReport; const lines = []; const numbers = [];
           data.raw.classes.forEach((_, group) => {
             lines.push(...data.moved(group, 0, arguments[0]).map((line) => [...line]));
             numbers.push(...data.itemsOf(group).map(data.number)); });
           return [lines, numbers]""",
        time,
    )
    return np.array(lines, dtype=float)[np.argsort(numbers)]


def paths(browser, chart):
    return browser.each(f"[data-chart={chart}] path.line", "e.getAttribute('d')")


@pytest.mark.parametrize("name", ["model", "warps"])
def test_the_slider_goes_from_the_series_as_recorded_to_the_aligned_ones(browser, pages, name):
    browser.open(page_of(pages, name), height=6000)
    X, y = diffeo.load(pages / "cbf.tsv")
    if name == "model":
        aligned = diffeo.TemporalAligner.load(pages / "cbf.model").transform(X)
    else:
        aligned = diffeo.align(X, y, max_iterations=10).aligned
    np.testing.assert_allclose(drawn_series(browser, 1), aligned[:, 0], atol=FLOAT)
    np.testing.assert_allclose(drawn_series(browser, 0), X[:, 0], atol=FLOAT)

    at_one = paths(browser, "seriesAfter")
    assert at_one != paths(browser, "seriesBefore")
    browser.set_time(0.5)
    between = paths(browser, "seriesAfter")
    assert between not in (at_one, paths(browser, "seriesBefore"))
    browser.set_time(0)
    assert paths(browser, "seriesAfter") == paths(browser, "seriesBefore")
    browser.set_time(1)
    assert paths(browser, "seriesAfter") == at_one
    assert browser.complaints() == []


def test_the_flow_of_the_page_arrives_where_the_library_does(browser, pages):
    """t = 1 shows what the library made; the page's own flow, just before it, comes to the same."""
    browser.open(page_of(pages, "warps"))
    X, y = diffeo.load(pages / "cbf.tsv")
    alignment = diffeo.align(X, y, max_iterations=10)
    positions = browser.js(
        """const {data} = diffeoReport; const rows = [];
           data.raw.classes.forEach((_, group) => data.positions(group, 1).forEach(
             (line, i) => { rows[data.number(data.itemsOf(group)[i]) - 1] = [...line]; }));
           return rows"""
    )
    np.testing.assert_allclose(positions, diffeo.flow(alignment.velocities, np.linspace(0, 1, 64)), atol=SAME)
    nearly = drawn_series(browser, 1 - 1e-9)
    np.testing.assert_allclose(nearly, alignment.aligned[:, 0], atol=1e-5)  # float32 samples, read between


@dataclass
class ModelTruth:
    """The lines of a model's page by the library: what its charts have to say."""

    X: np.ndarray
    y: np.ndarray
    aligner: diffeo.TemporalAligner

    def __post_init__(self):
        self.aligned = self.aligner.transform(self.X)
        self.warps = self.aligner.warps(self.X)
        self.velocities = self.aligner.velocities(self.X)

    def line(self, chart, numbers, name):
        """The values of a line, and what is added to and taken from it; `numbers` are those of the chart."""
        if chart == "curve":
            return self.curve(numbers["name"], name), None
        if chart == "centroids":
            return self.aligner.centroids_[list(self.aligner.classes_).index(name), 0], None
        if name == "identity":
            return np.array([0.0, 1.0]), None
        if chart == "velocities":
            return self.velocities[numbers["layer"]][case(name)], None
        if chart == "warps":
            return self.warps[case(name)], None
        series = (self.X if chart.endswith("Before") else self.aligned)[:, 0]
        if name != "mean":
            return series[case(name)], None
        own = series[self.y == numbers["class"]]
        return own.mean(axis=0), own.std(axis=0)

    def curve(self, chart, name):
        kind, number = (name or "member 1").split()
        member = int(number) - 1 + (self.aligner.members if kind == "fold" else 0)
        records = [record for record in self.aligner.history_ if record.member == member]
        return np.array([getattr(record, FIELDS.get(chart, chart)) for record in records])


def case(name):
    return int(name.removeprefix("series ")) - 1


def number(text):
    return float(text.replace("−", "-"))


def is_shown(value, text):
    """Whether `text` is the value in the digits that the page writes: four, three with a power of ten."""
    digits = 4 if 1e-3 <= abs(value) < 1e5 else 3
    unit = 10 ** (np.floor(np.log10(abs(value))) - digits + 1) if value else 0.0
    return abs(number(text) - value) <= 0.5 * unit + FLOAT


@pytest.fixture(scope="module")
def truth(pages):
    page_of(pages, "model")
    X, y = diffeo.load(pages / "cbf.tsv")
    return ModelTruth(X, y, diffeo.TemporalAligner.load(pages / "cbf.model"))


def read_place(truth, chart, numbers, text):
    """Name and place that a tip tells, after a look at whether its values are those of the library."""
    tip = TIP.fullmatch(text)
    assert tip, text
    values, spread = truth.line(chart, numbers, tip["name"])
    at = number(tip["place"])
    index = int(at) - 1 if chart == "curve" else round(at * (len(values) - 1))
    assert is_shown(values[index], tip["value"]), f"{text}: {values[index]}"
    assert (tip["spread"] is None) == (spread is None)
    assert spread is None or is_shown(spread[index], tip["spread"]), f"{text}: {spread[index]}"
    return tip["name"], index


def read_by_keyboard(plot, tip, read):
    """Names and places of what the arrow keys come to: the middle, right, down, left and up from there."""
    from selenium.webdriver.common.keys import Keys

    places = []
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
        plot.send_keys(key)  # the first one starts in the middle
        assert tip.is_displayed()
        places.append(read(tip.text))
    plot.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()
    return zip(*places, strict=True)


def test_values_of_every_chart_are_read_by_pointer_and_by_keyboard(browser, pages, truth):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    browser.open(page_of(pages, "model"))
    tip = browser.driver.find_element(By.ID, "tip")
    assert set(browser.each(".plot", "e.dataset.chart")) == set(CHARTS)
    for chart in CHARTS:
        plot = browser.driver.find_elements(By.CSS_SELECTOR, f"[data-chart={chart}]")[-1]
        browser.js("arguments[0].scrollIntoView({block: 'center'})", plot)
        browser.settle()
        numbers = browser.js(
            """const {group, layer} = arguments[0].dataset; const {classes, curves} = diffeoReport.data.raw;
               return {class: classes[group]?.name, layer: Number(layer), name: curves[group]?.name}""",
            plot,
        )
        read = functools.partial(read_place, truth, chart, numbers)

        names, indices = read_by_keyboard(plot, tip, read)
        middle = len(truth.line(chart, numbers, names[0])[0]) // 2
        assert indices == (middle, middle + 1, middle + 1, middle, middle), chart
        above, below = names[0], names[2]
        assert names == (above, above, below, below, above), chart
        lines = browser.js("return arguments[0].querySelectorAll('path.line, image').length", plot)
        assert (above != below) == (lines > 1 or chart.startswith("heat")), chart

        for across, down in ((0, 0), (-60, 20), (45, -15)):  # from the middle of the chart, in pixels
            ActionChains(browser.driver).move_to_element_with_offset(plot, across, down).perform()
            assert tip.is_displayed(), chart
            read(tip.text)


def test_the_slider_and_every_chart_are_reached_and_moved_by_keyboard(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.open(page_of(pages, "warps"))
    focused = []
    who = "const e = document.activeElement; return e.id || e.dataset.chart || e.tagName"
    for _ in range(40):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        focused.append(browser.js(who))
    assert {"time", "play", "SUMMARY", "seriesBefore", "heatAfter", "warps", "velocities"} <= set(focused)
    browser.js("document.getElementById('time').focus()")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    ActionChains(browser.driver).send_keys(Keys.ARROW_LEFT).perform()
    assert browser.driver.find_element(By.ID, "time-now").text == "t = 0.99"
    assert browser.js(outline) != "none"
    ActionChains(browser.driver).send_keys(Keys.HOME).perform()
    assert browser.driver.find_element(By.ID, "time-now").text == "t = 0.00"


def test_the_play_button_goes_from_start_to_end_or_jumps_for_readers_who_want_less_motion(browser, pages):
    browser.open(page_of(pages, "warps"))
    still = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.cdp("Emulation.setEmulatedMedia", features=still)
    now = "document.getElementById('play').click(); return document.getElementById('time-now').textContent"
    assert browser.js(now) == "t = 0.00"
    assert browser.js(now) == "t = 1.00"
    browser.cdp("Emulation.setEmulatedMedia", features=[])
    browser.js("document.getElementById('play').click()")
    browser.settle()
    assert browser.js("return document.getElementById('play').getAttribute('aria-pressed')") == "true"
    assert browser.js("return diffeoReport.view.time") < 1
    browser.js("document.getElementById('play').click()")
    assert browser.js("return document.getElementById('play').getAttribute('aria-pressed')") == "false"


def test_channels_are_chosen_and_gaps_stay_gaps(browser, pages):
    browser.open(page_of(pages, "channels"), height=4000)
    assert browser.js("return document.title").startswith("</title><script>")
    first = paths(browser, "seriesBefore")
    assert len(first) == 4
    assert [d.count("M") for d in first] == [1, 2, 1, 1]  # a gap starts a line anew
    choose = (
        "const e = document.getElementById('channel'); e.value = '1'; e.dispatchEvent(new Event('change'));"
    )
    browser.js(choose)
    browser.settle()
    assert paths(browser, "seriesBefore") != first
    assert browser.complaints() == []


def test_many_classes_stay_readable(browser, pages):
    browser.open(page_of(pages, "many"))
    folded_out = browser.each("details", "e.open")
    assert (len(folded_out), sum(folded_out)) == (37, 2)
    assert "74 of 111 series are drawn" in browser.js("return document.getElementById('drawn').textContent")
    browser.choose("jump", "class-30")
    browser.settle()
    assert browser.js("return document.querySelectorAll('#class-30 svg').length") == 6
    assert browser.js("return document.querySelectorAll('#centroids .plot').length") == 37


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_needs_no_sideways_scrolling(browser, pages, tmp_path, name):
    browser.open(page_of(pages, name), width=390, height=844, mobile=True)
    assert browser.js("return document.documentElement.scrollWidth") <= 390
    browser.screenshot(tmp_path / "phone.png")


@pytest.mark.parametrize("mobile", [False, True])
def test_there_is_a_light_and_a_dark_page(browser, pages, tmp_path, mobile):
    size = {"width": 390, "height": 844, "mobile": True} if mobile else {}
    pictures = []
    for dark in (False, True):
        browser.open(page_of(pages, "warps"), dark=dark, **size)
        levels = [int(part) for part in browser.js(BACKGROUND).strip("rgb()").split(",")]
        assert max(levels) < 60 if dark else min(levels) > 200
        picture = tmp_path / f"{dark}.png"
        browser.screenshot(picture)
        pictures.append(picture.read_bytes())
    assert pictures[0] != pictures[1]
    assert all(len(picture) > 10_000 for picture in pictures)  # not an empty page


@pytest.mark.parametrize("name", ["warps", "many"])
def test_it_prints_everything_but_the_controls(browser, pages, name):
    browser.open(page_of(pages, name), dark=True)
    folded = "return document.querySelectorAll('details:not([open])').length"
    before = browser.js(folded)
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", printBackground=False)["data"])
    assert pdf.startswith(b"%PDF")
    assert browser.js(
        "return [...document.querySelectorAll('details .plot')].every((p) => p.querySelector('svg'))"
    )
    assert browser.js(folded) == before
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    assert browser.js("return getComputedStyle(document.querySelector('.bar')).display") == "none"
    assert browser.js(BACKGROUND) == "rgb(255, 255, 255)"
    browser.cdp("Emulation.setEmulatedMedia", media="")
    assert browser.complaints() == []
