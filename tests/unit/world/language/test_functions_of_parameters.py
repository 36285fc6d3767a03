"""``given``, ``choose``, ``interpolate`` and ``expect`` in the defaults of parameters."""

import pytest

import articulata as art

FIGURE = """figure arm(
  span: length within (0.1 m, 3 m) = 1 m,
  size: number = 2,
  long: length = {long}
) {{
  chain a: plain table {{ shoulder: revolute(axis: z); tip: fixed() at (long, 0, 0) }}
}}
"""


def long_of(default: str, **given: float) -> float:
    return art.figure(art.parse(FIGURE.format(long=default)), "arm", **given).measures["long"]


def test_what_is_given_is_known_to_later_defaults() -> None:
    default = "choose(given(span) and not given(size), span, 0.5 m)"
    assert long_of(default) == 0.5
    assert long_of(default, span=1.0) == 1.0
    assert long_of(default, span=1.0, size=2.0) == 0.5


def test_the_value_that_is_not_chosen_is_not_computed() -> None:
    assert long_of("choose(size > 1, span, log(-1)*span)") == 1.0


@pytest.mark.parametrize(
    ("size", "value"), [(0.0, 1.0), (1.0, 1.0), (2.0, 1.5), (3.0, 2.0), (4.5, 1.5), (9.0, 1.0)]
)
def test_lines_between_points(size: float, value: float) -> None:
    assert long_of("interpolate(size, (1, 1 m), (3, 2 m), (6, 1 m))", size=size) == value


def test_what_is_expected_is_told_where_it_is_asked_for() -> None:
    default = 'expect(span, span < 2 m, "a span of {} needs {}; make it shorter", span, 2)'
    assert long_of(default) == 1.0
    with pytest.raises(art.WorldError, match=r"a span of 2.5 m needs 2 "):
        long_of(default, span=2.5)
    text = FIGURE.format(long=default) + "world w {\n  components { a: arm(2.5 m) }\n}\n"
    (finding,) = art.parse(text).check()
    assert (finding.line, finding.code) == (9, "contradiction")
    assert (finding.message, finding.suggestion) == (
        "a span of 2.5 m needs 2", "make it shorter",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("default", "message"),
    [
        ("choose(given(long), span, span)", "'long' is not defined"),
        ("choose(span, span, span) + interpolate(size, (2, 1 m), (1, 2 m))", "1 comes after 2"),
        ("interpolate(size, 3 m)", "a point (x, y) is due here"),
        ("expect(span, span > 0 m, 5)", "expect takes a value, a condition and a message"),
    ],
)
def test_mistakes_are_told(default: str, message: str) -> None:
    told = [each.message for each in art.parse(FIGURE.format(long=default)).check()]
    with pytest.raises(art.WorldError) as raised:
        long_of(default)
    assert message in " ".join([*told, str(raised.value)])
