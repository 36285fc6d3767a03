"""Lines of plots and marks of events are seen on light and on dark pages: 3 to 1 (WCAG 1.4.11)."""

from __future__ import annotations

import re
from pathlib import Path

from articulata.report import plots
from articulata.report.page import recording_page

PAGE = Path(recording_page.__file__).parent


def luminance(code: str) -> float:
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    lit = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * lit[0] + 0.7152 * lit[1] + 0.0722 * lit[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_inks_stand_out_on_light_and_dark_panels() -> None:
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48  # as WebAIM's checker has it
    panels = re.findall(r"--panel: (#\w{6})", (PAGE / "sheet.html").read_text())
    assert {"#ffffff", "#1b212a"} <= set(panels)
    inks = re.findall(r"#\w{6}", (PAGE / "plot.js").read_text().partition(";")[0])
    assert tuple(inks) == plots.INKS
    marks = re.findall(r"--kind: (#\w{6})", (PAGE / "replay.html").read_text())
    assert len(marks) >= 7
    for ink in (*inks, *marks):
        assert min(contrast(ink, panel) for panel in panels) >= 3.0, ink
