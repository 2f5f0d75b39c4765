"""Colors of classes in pages and figures: color-blind people tell all seven apart, on every ground."""

import itertools
import re

import numpy as np
import pytest
from cli_program import require_program, run

#: How colors come to those who lack one kind of cones, in linear RGB: Machado, Oliveira and Fernandes, "A
#: Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LEAST_DIFFERENCE = 13.0  # in CIELAB; 2.3 is just noticed side by side, and thin lines lie apart
LEAST_CONTRAST = 3.0  # what WCAG 2.1 asks of graphics
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])  # D65
THEMES = ("light", "dark", "paper")


def linear(color):
    """Linear RGB of #rrggbb."""
    levels = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB of linear RGB."""
    parts = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    x, y, z = np.where(parts > 216 / 24389, np.cbrt(parts), (24389 / 27 * parts + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def luminance(color):
    return float(TO_XYZ[1] @ linear(color))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def themes(tmp_path_factory):
    """Colors by name, of every theme, as they stand in a page that the program makes."""
    require_program()
    folder = tmp_path_factory.mktemp("colors")
    for name in ("series.tsv", "aligned.tsv"):
        (folder / name).write_text("a\t1\t2\t3\nb\t3\t2\t1\n")
    made = run("report", "aligned.tsv", "--data", "series.tsv", "-o", "page.html", cwd=folder)
    assert made.returncode == 0, made.stderr
    blocks = re.findall(r":root \{(.*?)\}", (folder / "page.html").read_text(), flags=re.DOTALL)
    assert len(blocks) == len(THEMES)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]
    return dict(zip(THEMES, found, strict=True))


def classes(theme):
    return [color for name, color in sorted(theme.items()) if re.fullmatch(r"class-\d", name)]


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", THEMES)
def test_any_two_classes_are_told_apart(themes, theme, vision):
    seen = {color: lab(np.array(VISIONS[vision]) @ linear(color)) for color in classes(themes[theme])}
    assert len(seen) == 7
    for one, other in itertools.combinations(seen, 2):
        difference = np.linalg.norm(seen[one] - seen[other])
        assert difference >= LEAST_DIFFERENCE, f"{one} and {other}: {difference:.1f}"


@pytest.mark.parametrize("theme", THEMES)
def test_every_class_is_seen_on_its_ground(themes, theme):
    for color, ground in itertools.product(classes(themes[theme]), ("ground", "card")):
        assert contrast(color, themes[theme][ground]) >= LEAST_CONTRAST, f"{color} on {ground}"


def test_figures_that_stand_alone_have_the_light_colors(themes):
    pytest.importorskip("diffeo.experiments", exc_type=ImportError)
    from diffeo.experiments import _svg

    assert list(_svg.CLASSES) == classes(themes["light"])
    for name, color in (("ink", _svg.INK), ("quiet", _svg.QUIET), ("rule", _svg.RULE), ("blank", _svg.BLANK)):
        assert themes["light"][name] == color
    assert classes(themes["paper"]) == classes(themes["light"])
