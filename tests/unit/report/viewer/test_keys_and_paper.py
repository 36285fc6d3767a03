"""The list of keys that ``?`` shows, and the paper that white bodies lie on."""

from importlib.resources import files

from articulata.report.colors import named
from articulata.report.viewer import keys
from articulata.report.viewer.lights import PAPER


def lightness(color: tuple[int, int, int]) -> float:
    """Return L* of CIE 1976 for a colour of a screen (IEC 61966-2-1)."""
    r, g, b = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255.0 for part in color)
    )
    return float(116.0 * (0.2126 * r + 0.7152 * g + 0.0722 * b) ** (1.0 / 3.0) - 16.0)


def test_white_bodies_stand_out_from_the_paper_of_a_light_page() -> None:
    white = named("white")
    assert white is not None
    assert lightness(white) - lightness(PAPER) > 9.0
    head = files("articulata.report.viewer").joinpath("head.html").read_text("utf-8")
    code = "#{:02x}{:02x}{:02x}".format(*PAPER)
    assert f"canvas[data-engine] {{ background: {code}; }}" in head


def test_keys_of_one_stem_share_a_row() -> None:
    told = [
        ("Space", "Play or pause"),
        ("B", "One frame back"),
        ("N", "One frame on"),
        ("Shift+B", "Ten frames back"),
        ("1", "View from the front"),
        ("2", "View from the right"),
        ("Escape", "Hide the keys"),
    ]
    assert keys.listed(told).splitlines()[2:-4] == [
        "| `Space` | Play or pause |",
        "| `B` `N` | One frame back, on |",
        "| `Shift+B` | Ten frames back |",
        "| `1` `2` | View from the front, the right |",
        "| `Escape` | Hide the keys |",
    ]
