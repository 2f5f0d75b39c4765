"""A page of results that has everything, in a real browser: its numbers are those of its lines."""

import itertools
import math

import numpy as np
import pytest
from report_pages import PROGRAM, run
from results_folder import CROSS_VALIDATED, METHODS, PUBLISHED, SETS, STRANGE, comparable, make_results_folder
from scipy import stats

SECTIONS = (
    "summary", "ranks", "losses", "results", "published", "scatter", "pairs", "sharpshooter", "gain", "types",
    "variance", "grid", "ablation", "pictures", "provenance",
)  # fmt: skip
EXACT = 1e-12  # <data> holds doubles; sums may be taken in another order
ROUNDED = 5.1e-4  # accuracies are shown with three digits
LEAST_P_VALUE = 1e-4  # of a smaller one the page says that it is smaller
LEARNED_BY_HEART = 0.1  # what the page calls so
PHONE = {"width": 390, "height": 844, "mobile": True}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder, and its page."""
    if not PROGRAM.is_file():
        pytest.skip(f"no program at {PROGRAM}")
    made = make_results_folder(tmp_path_factory.mktemp("full") / "results")
    run("report", made.folder, "--table", made.table, "-o", made.folder / "page.html")
    return made


@pytest.fixture
def page(browser, made):
    return browser.open(made.folder / "page.html")


def unfold(browser):
    browser.js("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    browser.settle()


def rows_of(browser, table):
    """The cells of a table's body and foot: numbers of full precision where there are any, else text."""
    cell = "c.querySelector('data') ? Number(c.querySelector('data').value) : c.textContent.trim()"
    return browser.each(f"{table} tbody tr, {table} tfoot tr", f"[...e.cells].map((c) => {cell})")


def captions(browser, section):
    return browser.each(f"#{section} figcaption", "e.textContent")


def against(made, method):
    """Wins, ties and losses of diffeo."""
    difference = made.scores()[:, 0] - made.scores()[:, METHODS.index(method)]
    return [(difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_it_opens_without_complaints_at_every_width_and_in_every_light(browser, made, tmp_path, size, dark):
    browser.open(made.folder / "page.html", dark=dark, **size)
    unfold(browser)
    assert browser.complaints() == []
    assert browser.js("return document.documentElement.scrollWidth") <= size.get("width", 1280)
    browser.screenshot(tmp_path / "page.png")


def test_every_part_is_there_and_the_contents_lead_to_it(page):
    assert tuple(page.each("main > section", "e.id")) == SECTIONS
    assert tuple(page.each("nav a", "e.hash.slice(1)")) == SECTIONS


def test_every_figure_has_a_caption_and_a_drawing_or_a_table(page):
    unfold(page)
    figures = page.each(
        "figure",
        """({caption: e.querySelector('figcaption').textContent.trim(),
             tables: e.querySelectorAll('table').length,
             drawings: [...e.querySelectorAll('svg')].map((s) => s.getBoundingClientRect().width)})""",
    )
    for figure in figures:
        assert len(figure["caption"]) > 20
        assert figure["tables"] + len(figure["drawings"]) == 1, figure["caption"]
        assert all(width > 100 for width in figure["drawings"])
    # Two diagrams of ranks, a scatter each, two matrices, sharpshooters, three gains; types, variance and
    # frequencies; two curves of an ablation; two pictures of each alignment but for the one without places.
    drawings = 2 + len(METHODS[1:]) + 2 + len(CROSS_VALIDATED[1:]) + 3 + 3 + 2 + (2 * 3 - 1)
    assert sum(len(figure["drawings"]) for figure in figures) == drawings
    assert page.js("return document.querySelector('main').innerHTML.match(/NaN|undefined|Infinity/)") is None


def test_the_summary_has_means_ranks_and_tests(page, made):
    scores = made.scores()
    ranks = np.array([stats.rankdata(-row) for row in scores])
    rows = rows_of(page, "#methods")
    assert [row[0] for row in rows] == list(METHODS)
    expected = [scores.mean(axis=0), ranks.mean(axis=0), np.exp(np.log(ranks).mean(axis=0))]
    np.testing.assert_allclose([row[2:5] for row in rows], np.transpose(expected), rtol=EXACT)
    p_values = []
    for method, row in zip(METHODS[1:], rows[1:], strict=True):
        other = scores[:, METHODS.index(method)]
        count = against(made, method)
        assert row[5] == " / ".join(map(str, count))
        shares = [100 * count[0] / len(SETS), 100 * (count[0] + count[1]) / len(SETS)]
        np.testing.assert_allclose(row[6:9], [*shares, (scores[:, 0] - other).mean()], rtol=1e-9)
        p_values.append(stats.wilcoxon(scores[:, 0], other, method="exact").pvalue)
    np.testing.assert_allclose([row[9] for row in rows[1:]], p_values, rtol=1e-9)
    np.testing.assert_allclose([row[10] for row in rows[1:]], holm(p_values), rtol=1e-9)


def holm(p_values):
    order = np.argsort(p_values)
    steps = [(len(order) - place) * p_values[at] for place, at in enumerate(order)]
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def p_value_text(p_value):
    return "p < 0.0001" if p_value < LEAST_P_VALUE else f"p = {p_value:.2g}"


def test_the_ranks_come_with_friedmans_test_and_nemenyis_difference(page, made):
    scores = made.scores()
    friedman = stats.friedmanchisquare(*scores.T)
    text = page.js("return document.querySelector('#ranks p').textContent")
    methods, sets = len(METHODS), len(SETS)
    ratio = (sets - 1) * friedman.statistic / (sets * (methods - 1) - friedman.statistic)
    ratio_p_value = stats.f.sf(ratio, methods - 1, (methods - 1) * (sets - 1))
    assert f"χ² = {friedman.statistic:.4g}, {p_value_text(friedman.pvalue)};" in text
    assert f"F = {ratio:.4g}, {p_value_text(ratio_p_value)}." in text
    quantile = stats.studentized_range.ppf(0.95, methods, np.inf) / math.sqrt(2)
    difference = quantile * math.sqrt(methods * (methods + 1) / (6 * sets))
    assert f"less than {difference:.4g} apart" in captions(page, "ranks")[1]


def test_every_pair_of_methods_is_tested(page, made):
    scores = made.scores()
    pairs = list(itertools.combinations(range(len(METHODS)), 2))
    found = [stats.wilcoxon(scores[:, a], scores[:, b], method="exact").pvalue for a, b in pairs]
    rows = rows_of(page, "#pair-tests")
    order = [row[0] for row in rows]
    for (a, b), p_value in zip(pairs, holm(found), strict=True):
        row, column = order.index(METHODS[a]), order.index(METHODS[b])
        assert rows[row][column + 1] == pytest.approx(p_value, rel=1e-9)
        assert rows[column][row + 1] == rows[row][column + 1]


def test_the_losses_are_all_told_the_largest_first(page, made):
    scores = made.scores()
    lost = scores.max(axis=1) - scores[:, 0]
    gaps = {each.name: gap for each, gap in zip(SETS, lost, strict=True) if gap > 0}
    expected = sorted(gaps, key=gaps.get, reverse=True)
    pair = "[e.querySelector('b').textContent, Number(e.querySelector('data').value)]"
    told = page.each(".losses li", pair)
    assert [name for name, _ in told] == expected
    np.testing.assert_allclose([gap for _, gap in told], [gaps[name] for name in expected], rtol=1e-9)
    names = [each.name for each in SETS]
    by_heart = []
    for name in expected:
        trained = comparable(np.mean([line["train_accuracy"] for line in made.tests(name, "diffeo")]))
        if trained - scores[names.index(name), 0] > LEARNED_BY_HEART:
            by_heart.append(name)
    sentences = page.each("#losses p", "e.textContent")
    assert sentences[1].startswith(f"On {len(by_heart)} of these {len(expected)} ")
    assert sentences[1].endswith(f": {', '.join(by_heart)}.")
    assert sentences[2] == "What we think: <small> sets are learned by heart."


def test_the_table_has_every_accuracy_its_spread_and_what_was_published(page, made):
    rows = rows_of(page, "#accuracies")
    scores = made.scores()
    assert [row[0] for row in rows[: len(SETS)]] == [each.name for each in SETS]
    for row, each, expected, published in zip(rows, SETS, scores, made.published, strict=False):
        np.testing.assert_allclose(row[1 : len(METHODS) + 1], expected, rtol=EXACT)
        figures = [float(published[method]) if published[method] else "–" for method in PUBLISHED]
        assert row[len(METHODS) + 1 : len(METHODS) + len(PUBLISHED) + 1] == figures
        assert row[-5:] == [each.type, each.train, each.test, each.length, each.classes]
    spreads = page.each("#accuracies .spread", "parseFloat(e.textContent.slice(2))")
    by_seed = np.array([[line["test_accuracy"] for line in made.tests(each.name, "diffeo")] for each in SETS])
    np.testing.assert_allclose(spreads, by_seed.std(axis=1, ddof=1), atol=ROUNDED)
    np.testing.assert_allclose(rows[-2][1 : len(METHODS) + 1], scores.mean(axis=0), rtol=EXACT)


def test_published_figures_that_cannot_be_compared_are_struck_out_and_explained(page, made):
    struck = page.each("#accuracies s", "e.closest('tr').cells[0].textContent + ' ' + e.textContent")
    named = f"{SETS[6].name} {float(made.published[6]['euclidean']):.3f}"
    assert sorted(struck) == sorted([f"{STRANGE} 0.795", named])
    reasons = page.each(".faults li", "e.textContent")
    assert len(reasons) == 2
    assert reasons[0].startswith("a no classifier can have this accuracy on a test set of this size")
    sound = [place for place in range(len(SETS)) if place not in (1, 3, 6)]
    foot = rows_of(page, "#accuracies")[-1]
    assert foot[0] == f"mean of {len(sound)} rows without fault or gap"
    np.testing.assert_allclose(foot[1 : len(METHODS) + 1], made.scores()[sound].mean(axis=0), rtol=EXACT)


def test_published_methods_are_compared_on_the_sets_that_have_a_figure(page, made):
    ours = made.scores()[:, 0]
    for method, row in zip(PUBLISHED, rows_of(page, "#published-means"), strict=True):
        figures = np.array([float(each[method] or "nan") for each in made.published])
        faults = {"dtan": [3], "euclidean": [6]}.get(method, [])
        for cells, left_out in ((row[1:5], []), (row[5:9], faults)):
            there = [at for at in np.flatnonzero(~np.isnan(figures)) if at not in left_out]
            assert int(cells[0]) == len(there)
            np.testing.assert_allclose(cells[1:3], [figures[there].mean(), ours[there].mean()], rtol=1e-9)
            decimals = np.array([len(made.published[at][method].partition(".")[2]) for at in there])
            differences = ours[there] - figures[there]
            is_tie = np.abs(differences) <= 0.5 * 10.0 ** -np.minimum(decimals, 5) + 1e-12
            signs = np.where(is_tie, 0, np.sign(differences))
            assert cells[3] == " / ".join(str((signs == sign).sum()) for sign in (1, 0, -1))


def test_the_table_is_sorted_by_any_column_with_missing_figures_last(page):
    heads = page.each("#accuracies th[data-sort]", "e.textContent.trim()")
    paper = heads.index("paper")
    before = sorted(page.each("#accuracies tbody tr", "e.cells[0].textContent"))
    for direction in (-1, 1):
        page.js(f"document.querySelectorAll('#accuracies th[data-sort] button')[{paper}].click()")
        keys = [row[paper] for row in rows_of(page, "#accuracies")[: len(SETS)]]
        assert keys[-1] == "–"
        assert keys[:-1] == sorted(keys[:-1], reverse=direction < 0)
    assert sorted(page.each("#accuracies tbody tr", "e.cells[0].textContent")) == before
    kinds = heads.index("type")
    page.js(f"document.querySelectorAll('#accuracies th[data-sort] button')[{kinds}].click()")
    sorted_kinds = page.each("#accuracies tbody tr", f"e.cells[{kinds}].textContent")
    assert sorted_kinds == sorted(each.type for each in SETS)


def test_every_other_method_has_its_scatter(page, made):
    for method, caption in zip(METHODS[1:], captions(page, "scatter"), strict=True):
        wins, ties, losses = against(made, method)
        assert caption == f"Against {method}. {wins} wins, {ties} ties, {losses} losses."


def middle(text, start, extent):
    return round(text["place"][start] + text["place"][extent] / 2)


def order(places, place):
    """The number of a row or column, whose texts are centered to a pixel."""
    there = set(places)
    starts = [each for each in sorted(there) if not there & set(range(each - 3, each))]
    return max(number for number, each in enumerate(starts) if each <= place)


def matrices_of(page):
    """Of every matrix: the names of its rows, of its columns, and the cells by their places."""
    drawn = page.each(
        "#pairs svg",
        """[...e.querySelectorAll('text')].map((t) => ({
             text: t.textContent, said: t.parentElement.querySelector('title')?.textContent,
             isColumn: t.hasAttribute('transform'), place: t.getBoundingClientRect().toJSON()}))""",
    )
    for texts in drawn:
        cells = [text for text in texts if text["said"]]
        names = [text for text in texts if not text["said"]]
        rows = sorted((name["place"]["y"], name["text"]) for name in names if not name["isColumn"])
        columns = sorted((name["place"]["x"], name["text"]) for name in names if name["isColumn"])
        lines, files = ([middle(cell, *axis) for cell in cells] for axis in (("y", "height"), ("x", "width")))
        places = {
            (order(lines, y), order(files, x)): cell for cell, y, x in zip(cells, lines, files, strict=True)
        }
        yield [name for _, name in rows], [name for _, name in columns], places


def test_matrices_say_how_the_row_does_against_the_column(page, made):
    scores = made.scores()
    means = scores.mean(axis=0)
    wins, changes = matrices_of(page)
    for rows, columns, cells in (wins, changes):
        assert rows == columns == list(METHODS)
        assert set(cells) == set(itertools.permutations(range(len(METHODS)), 2))
    for own, other in itertools.permutations(range(len(METHODS)), 2):
        won, lost = ((sign * (scores[:, own] - scores[:, other]) > 0).sum() for sign in (1, -1))
        ties = len(SETS) - won - lost
        said = f"{METHODS[own]} against {METHODS[other]}: {won} wins, {ties} ties, {lost} losses,"
        change = 100 * (means[own] / means[other] - 1)
        for (_, _, cells), text in ((wins, str(won)), (changes, f"{change:+.1f} %".replace("-", "−"))):
            assert cells[own, other]["said"].startswith(said)
            assert cells[own, other]["text"] == text


def test_the_sharpshooters_four_regions_are_counted(page, made):
    ours = made.cross_validated("diffeo"), made.scores()[:, 0]
    told = captions(page, "sharpshooter")
    for method, caption in zip(CROSS_VALIDATED[1:], told, strict=True):
        expected = ours[0] / made.cross_validated(method) > 1
        came = ours[1] / made.scores()[:, METHODS.index(method)] > 1
        assert f"A gain was expected and came: {(expected & came).sum()}." in caption
        assert f"None was expected and none came: {(~expected & ~came).sum()}." in caption
        assert f"One came that was not expected: {(~expected & came).sum()}." in caption
        assert f"One was expected that did not come: {(expected & ~came).sum()}." in caption


def test_gains_are_correlated_with_the_size_of_the_data(page, made):
    gains = made.scores()[:, 0] - made.scores()[:, 1]
    properties = ("train", "length", "classes")
    for name, caption in zip(properties, captions(page, "gain"), strict=True):
        values = [getattr(each, name) for each in SETS]
        by_rank = stats.spearmanr(values, gains).statistic
        by_value = stats.pearsonr(np.log10(values), gains).statistic
        assert f"Spearman {by_rank:.2f}".replace("-", "−") in caption
        assert f"Pearson {by_value:.2f}".replace("-", "−") in caption


def test_types_of_data_have_their_means(page, made):
    scores = made.scores()
    for row in rows_of(page, "table#types"):
        sets = [place for place, each in enumerate(SETS) if each.type == row[0]]
        assert int(row[1]) == len(sets)
        np.testing.assert_allclose(row[2:], scores[sets].mean(axis=0), rtol=EXACT)


def test_variances_within_classes_are_counted(page, made):
    before, after = (
        np.array([np.mean([line[key] for line in made.tests(each.name, "diffeo")]) for each in SETS])
        for key in ("variance_before", "variance_after")
    )
    (caption,) = captions(page, "variance")
    assert f"lower after alignment on {(after < before).sum()} of {len(SETS)} data sets" in caption
    left = page.js("return Number(document.querySelector('#variance figcaption data').value)")
    assert left == pytest.approx(np.exp(np.log(after / before).mean()), rel=1e-9)


def test_what_the_search_chose_stands_beside_what_choosing_on_test_data_claims(page, made):
    rows = rows_of(page, "#choices")
    choices = made.grid["datasets"]
    expected = [
        [each["cv_accuracy"], each["test_accuracy"], each["oracle"]["test_accuracy"]] for each in choices
    ]
    settings = [", ".join(f"{name} {value}" for name, value in each["setting"].items()) for each in choices]
    assert [row[0] for row in rows] == [*(each.name for each in SETS), "mean"]
    assert [row[1] for row in rows[:-1]] == settings
    np.testing.assert_allclose([row[2:] for row in rows[:-1]], expected, rtol=EXACT)
    np.testing.assert_allclose(rows[-1][2:], np.mean(expected, axis=0), rtol=EXACT)
    assert "not a result" in page.js("return document.querySelector('#choices thead').textContent")
    assert page.js("return document.querySelector('#grid p').textContent") == (
        f"6 settings of diffeo compared on each of {len(SETS)} data sets: by cross-validation with 3 folds "
        "within its training set, in 4 rungs of successive halving, of which the last alone has all folds "
        "and all of the training. No piece of work failed."
    )
    assert "the best of the 2 that reached the last rung, chosen on test data" in captions(page, "grid")[1]
    shown = page.each("#grid svg title", "e.textContent")
    for factor in made.grid["winning_frequency"]:
        for value in factor["values"]:
            assert f"{factor['name']} {value['value']}: {value['wins']} of {len(SETS)}" in shown


def test_ablations_have_a_table_each_and_curves_where_values_are_numbers(page, made):
    cell = "c.querySelector('data')?.value ?? c.textContent"
    tables = page.each(
        "table.ablation", f"[...e.tBodies[0].rows].map((r) => [...r.cells].map((c) => {cell}))"
    )
    for study, rows in zip(made.ablation["studies"], tables, strict=True):
        assert [row[0] for row in rows] == [value["value"] for value in study["values"]]
        for row, value in zip(rows, study["values"], strict=True):
            assert [float(row[1]), float(row[2])] == [value["mean_accuracy"], value["mean_seconds"]]
            assert int(row[3]) == len(value["datasets"])
    said = page.js("return document.querySelector('#ablation p').textContent")
    assert said.startswith("One thing changed at a time, around the defaults with epochs 7. ")
    assert "those on the test sets, means over data sets and the seeds 0, 1." in said
    assert page.each("#ablation svg", "e.getAttribute('aria-label')") == [
        "Accuracy by cells",
        "Seconds of training by cells",
    ]


def test_pictures_unfold_and_show_series_before_and_after(page, made):
    assert page.each("details.picture h3", "e.textContent") == made.pictures
    unfold(page)
    counts = page.each("details.picture", "e.querySelectorAll('svg').length")
    assert counts == [2, 1, 2]  # one has no places in a plane
    sizes = page.each("details.picture svg image", "e.getBoundingClientRect().width")
    assert len(sizes) == 2 * len(made.pictures)
    assert min(sizes) > 100
    points = page.each("details.picture svg", "e.querySelectorAll('use').length")
    assert max(points) >= 80  # forty series, twice


def test_it_says_what_it_is_made_from_and_what_the_work_cost(page, made):
    rows = {row[0]: row for row in rows_of(page, "#provenance table")}
    for method in METHODS:
        lines = [line for each in SETS for line in made.tests(each.name, method)]
        seconds = sum(line.get("cpu_seconds", line["seconds"]) for line in lines)
        kind = "work, on the clock" if method == "dba" else "processor time"
        assert rows[method][2] == f"{math.floor(seconds / 60 + 0.5)} minutes of {kind}"
