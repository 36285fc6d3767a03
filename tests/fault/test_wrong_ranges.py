"""Numbers beyond the range of an argument: its name, what was given and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import pytest

import articulata as art

FROM_0, ABOVE_0 = "a finite number of 0 or more", "a finite number above 0"
SHARE = "a number from 0 to 1"
SERVO = {"joint": "arm.elbow.angle", "target": 1.0, "stiffness": 5.0}
WRONG: tuple[tuple[str, dict[str, Any], str, float, str], ...] = (
    ("Material", {}, "density", -3.0, ABOVE_0),
    ("Material", {}, "density", 0.0, ABOVE_0),
    ("Material", {}, "density", math.inf, ABOVE_0),
    ("Material", {}, "friction", -0.1, FROM_0),
    ("Material", {}, "friction", math.nan, FROM_0),
    ("Material", {}, "restitution", 1.1, SHARE),
    ("Servo", SERVO, "stiffness", -5.0, FROM_0),
    ("Servo", SERVO, "damping", -1.0, FROM_0),
    ("Actuator", {"signal": abs, "rate": "arm.elbow.rate"}, "damping", -1.0, FROM_0),
    ("StrengthPareto", {}, "archive", -5, ABOVE_0),
    ("StrengthPareto", {}, "exchange", 0, ABOVE_0),
    ("StrengthPareto", {}, "share", 1.5, SHARE),
    ("StrengthPareto", {}, "mutation", -0.1, SHARE),
)


@pytest.mark.parametrize(("call", "due", "name", "value", "allowed"), WRONG)
def test_a_number_out_of_range_is_told(
    call: str, due: dict[str, Any], name: str, value: float, allowed: str
) -> None:
    with pytest.raises(art.ArticulataError) as caught:
        getattr(art, call)(**{**due, name: value})
    assert str(caught.value) == f"{call} takes {allowed} as '{name}', not {value}"
