"""The label of a pose's page is read whatever lies behind it."""

import re
from importlib.resources import files

import pytest


def luminance(color: list[float]) -> float:
    """Return the relative luminance of WCAG 2 of a colour from 0 to 255."""
    r, g, b = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255.0 for part in color)
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", [0, 1])
@pytest.mark.parametrize("behind", [0.0, 145.0, 255.0])
def test_the_number_of_the_posture_is_read_over_any_body(scheme: int, behind: float) -> None:
    pages = files("articulata.report.page")
    sheet = pages.joinpath("sheet.html").read_text("utf-8")
    front = pages.joinpath("front.html").read_text("utf-8")

    def color(name: str) -> list[float]:
        code = re.findall(rf"--{name}: #(\w{{6}});", sheet)[scheme]
        return [float(int(code[k : k + 2], 16)) for k in (0, 2, 4)]

    found = re.search(
        r"#where {[^}]*background: color-mix\(in srgb, var\(--panel\) (\d+)%, transparent\)", front
    )
    assert found is not None
    share = int(found[1]) / 100.0
    ground = [share * part + (1.0 - share) * behind for part in color("panel")]
    low, high = sorted((luminance(color("ink")), luminance(ground)))
    assert (high + 0.05) / (low + 0.05) > 4.5
