"""What gives the value of each kind of expression: one evaluator for all that a file says."""

from __future__ import annotations

from typing import Any

from articulata.world.language.elaboration import arithmetic
from articulata.world.language.elaboration.evaluate import Evaluator, Scope, Value
from articulata.world.language.elaboration.functions import call
from articulata.world.language.elaboration.shape_calls import placed_value, shape_of_call
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import SHAPES


def _call(scope: Scope, item: Any) -> Value:
    return shape_of_call(scope, item) if item.function.text in SHAPES else call(scope, item)


EVALUATORS: dict[type, Evaluator] = {
    t.Number: arithmetic.number,
    t.Text: arithmetic.text,
    t.Path: arithmetic.named,
    t.Tuple: arithmetic.group,
    t.Unary: arithmetic.unary,
    t.Binary: arithmetic.binary,
    t.Call: _call,
    t.Placed: placed_value,
}
