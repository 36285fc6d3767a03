"""Tables of instruments: their heads, units, decimals, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from articulata.errors import FormatError
from articulata.formats import measured_tables
from articulata.formats.measured_tables import MeasuredTable, read_measured


def table(folder: Path, text: str) -> MeasuredTable:
    path = folder / "swing.csv"
    path.write_text(text, encoding="utf-8")
    return read_measured(path)


@pytest.mark.parametrize(
    "text",
    [
        "time [s],angle [deg]\n0,1.5\n0.1,\n",
        "# logger 7\n\ntime (s),angle (deg)\n0,1.5\n0.1,nan\n",
        "\ufefftime;angle\ns;deg\n0;1,5\n0,1;\n",
        "time\tangle [deg]\ns\t\n0\t1.5\n0.1\tNaN\n",
    ],
)
def test_heads_units_and_decimals_are_read(tmp_path: Path, text: str) -> None:
    found = table(tmp_path, text)
    assert found.names == ("time", "angle")
    assert found.units == ("s", "deg")
    assert found.time() == 0
    np.testing.assert_array_equal(found.column(0), (0.0, 0.1))
    np.testing.assert_array_equal(found.column(1), (1.5, np.nan))


def test_what_is_wrong_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match=r"swing.csv has no column of times; it has 'when', 'a'"):
        table(tmp_path, "when,a [m]\n0,1\n").time()
    found = table(tmp_path, "t,a,note\n0,1,good\n1,high,\n2\n")
    assert found.units == (None, None, None)
    with pytest.raises(FormatError, match="row 2 of numbers: 'high' in column 'a' is no number"):
        found.column(1)
    with pytest.raises(FormatError, match="cannot be read"):
        read_measured(tmp_path / "none.csv")
    monkeypatch.setattr(measured_tables, "MOST_ROWS", 3)
    with pytest.raises(FormatError, match="more than 3 rows; keep a shorter time"):
        table(tmp_path, "t,a\n" + "0,1\n" * 4)
    with pytest.raises(FormatError, match="a line of more than"):
        table(tmp_path, "t,a\n" + "\0" * 100_000)
    assert not table(tmp_path, "").names
