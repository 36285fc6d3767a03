"""Tables as RFC 4180 has them: what is written is read back bit for bit."""

from __future__ import annotations

import csv as standard
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from articulata.errors import FormatError
from articulata.formats import csv


@given(arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(1, 4))))
def test_numbers_come_back_bit_for_bit(values: np.ndarray) -> None:
    names = tuple(f"c{n}" for n in range(values.shape[1]))
    columns = csv.Columns(names, ("m",) * len(names), values)
    back = csv.read(csv.write(columns))
    if values.shape[1] == 1 and np.isnan(values).any():
        return  # a lone empty field is an empty line, which a reader may leave out
    assert np.array_equal(back.values, values, equal_nan=True)
    assert np.array_equal(np.signbit(back.values[values == 0]), np.signbit(values[values == 0]))


def test_a_header_with_commas_and_quotes_is_quoted_and_lines_end_in_crlf() -> None:
    text = csv.write(csv.Columns(('a,"b"', "c"), ("m/s", ""), np.array([[1.0, np.nan]])))
    assert text == '"a,""b""",c\r\nm/s,\r\n1.0,\r\n'
    assert next(standard.reader(io.StringIO(text, newline=""))) == ['a,"b"', "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 lines"),
        ("a,b\r\nm,s\r\n1\r\n", "row 3: 1 fields"),
        ("a\r\nm\r\nx\r\n", "'x' is not"),
    ],
)
def test_what_is_no_table_is_said_so(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        csv.read(text, "t.csv")
