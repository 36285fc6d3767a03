"""Checking expressions without computing them: names, arguments, dimensions.

``Expressions.infer`` tells what kind of value an expression is and reports what is wrong inside
it; ``Expressions.expect`` also reports when it is not what is due where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Set

from articulata.world.language.checking.calls import argument_errors, other_shape, other_value
from articulata.world.language.checking.expectations import Expectations
from articulata.world.language.checking.kinds import (
    ANY,
    BARE,
    FILE_ENDS,
    TEXT,
    TRUTH,
    Value,
    of_quantity,
    scalar,
    summed,
    too_large,
    unit_apart,
    unit_missing,
)
from articulata.world.language.checking.scopes import Library
from articulata.world.language.diagnostics import Findings
from articulata.world.language.filled_forms import put_in, usual
from articulata.world.language.meant_words import closest, did_you_mean, listed, other_word
from articulata.world.language.other_words import OF_ANGLES, SHAPES_OF_OTHERS, VALUES
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.expressions import EQUALITIES, NEARNESS, NO_EQUALITY
from articulata.world.language.syntax.grammar import LAW_VARIABLES
from articulata.world.language.units import (
    NONE,
    QUANTITIES,
    UNITS,
    describe,
    multiply,
    parse_unit,
    raised,
)
from articulata.world.language.vocabulary import (
    COLORS,
    CONSTANTS,
    EULER_ORDERS,
    FUNCTIONS,
    SHAPES,
    SURFACES,
    Signature,
)

_CALLABLE = (*FUNCTIONS, *SHAPES)
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve")  # fmt: skip
_OF_LAWS = {name for each in LAW_VARIABLES.values() for name in each}
_SHAPES_BY = {"+": "union", "-": "difference", "*": "intersection"}
_KNOWN = {**SURFACES, **SHAPES, **FUNCTIONS}


class Expressions(Expectations):
    """Checks expressions of one file."""

    def __init__(self, library: Library, findings: Findings) -> None:
        self.library = library
        self.findings = findings
        self.lets: dict[str, Value] = {}
        self.units: Collection[str] = ()  # those of numbers without one, as the file names them
        self.later: Set[str] = frozenset()
        self.behind: Set[str] = frozenset()
        self.unsure = False  # parameters of the definition may have been misread
        self.measured: Callable[[tree.Path], Value | None] | None = None

    def controller(self, path: tree.Path, scope: Mapping[str, Value]) -> None:
        """Check that a controller of an imported file names a file that is imported.

        A name alone may be a function that the caller hands over, if it is no value.
        """
        value = scope.get(path.simple) or self.lets.get(path.simple)
        if value is not None and value.kind == "scalar":
            slot = "speed" if value.dimension == QUANTITIES["rate"] else "torque"
            told = f"'{path.simple}' is a value; a motor or a function of a file drives a hinge"
            self.error("wrong-kind", path, told, f"write motor({slot}: {path.simple})")
        first, known = path.parts[0], self.library.controllers
        if len(path.parts) < 2 or first.name in known or first.name in self.library.named:
            names = known.get(first.name)
            if names is not None and len(path.parts) == 2 and path.parts[1].name not in names:
                told = f"the file of '{first.name}' defines no '{path.parts[1].name}'"
                meant = did_you_mean(path.parts[1].name, sorted(names))
                self.findings.warning("unknown-name", path.span, told, meant)
            return
        guess = closest(first.name, known)
        if guess or known:
            self.error(
                "unknown-name", first, f"no file of controllers is imported as '{first.name}'",
                f"did you mean '{guess}'?" if guess else f"use {listed(tuple(known))}",
            )  # fmt: skip

    # ---- what a value is

    def infer(self, node: tree.Expression, scope: Mapping[str, Value], due: str = "") -> Value:
        """Return the kind of value ``node`` is; ``due`` is the kind that belongs there."""
        match node:
            case tree.Number():
                if not node.unit:
                    return BARE
                return scalar(parse_unit(node.unit).dimension)
            case tree.Text():
                return TEXT
            case tree.Path():
                return self.name(node, scope)
            case tree.Tuple():
                return Value("tuple", None, tuple(self.infer(each, scope) for each in node.items))
            case tree.Unary():
                inner = self.infer(node.operand, scope)
                if node.operator == "not":
                    return TRUTH
                return inner
            case tree.Binary():
                return self._binary(node, scope)
            case tree.Call():
                return self._call(node, scope, due)
            case tree.Placed():
                inner = self.infer(node.value, scope, due)
                if node.at is not None:
                    self.expect(node.at, "point", scope, "after 'at'")
                self.turns(node.turns, scope)
                return inner

    def turns(self, turns: tuple[tree.Turn, ...], scope: Mapping[str, Value]) -> None:
        """Check ``turned angle about axis``."""
        for turn in turns:
            if turn.axis is None:
                found = self.infer(turn.angle, scope)
                if found.kind == "scalar":
                    end = turn.angle.span[1]
                    self.findings.error(
                        "missing-word", (end, end + 1), "'about' and an axis are missing",
                        "add 'about z' here",
                    )  # fmt: skip
                elif isinstance(turn.angle, tree.Tuple) and (one := self._only_turn(turn.angle)):
                    told = "an angle and an axis stand after 'turned'"
                    self.error("wrong-kind", turn.angle, told, f"write turned {one}")
                elif found.kind not in ("rotation", "any"):
                    self.expect(turn.angle, "rotation", scope, "after 'turned'")
            else:
                self.expect(turn.angle, "angle", scope, "after 'turned'")
                self.expect(turn.axis, "direction", scope, "after 'about'")

    def name(self, node: tree.Path, scope: Mapping[str, Value]) -> Value:
        """Return what a name stands for; in a condition, a quantity of the world."""
        measured = None if self.measured is None else self.measured(node)
        if measured is not None:
            return measured
        first = node.parts[0].name
        if first in scope:
            if len(node.parts) == 1:
                return scope[first]
            if len(node.parts) == 2 and node.parts[1].name in ("x", "y", "z"):
                return ANY
            self.findings.error(
                "unknown-feature", node.parts[1].span,
                f"'{first}' is a value and has no '{node.parts[1].name}'",
                f"write '{first}' alone, or {first}.x",
            )  # fmt: skip
            return ANY
        if first in self.lets:
            return self.lets[first]
        if len(node.parts) == 1 and first in CONSTANTS:
            return of_quantity(CONSTANTS[first])
        if node.simple in COLORS and first not in self.later:
            return of_quantity("color")
        if first in self.library.named:
            return self._imported(node)
        self.undefined(node, scope)
        return ANY

    def _imported(self, node: tree.Path) -> Value:
        file, last = node.parts[0].name, node.parts[-1]
        library = self.library.named[file]
        known = library is None or library.trusting or last.name in library.lets
        if library is not None and not known and len(node.parts) == 2:
            meant = did_you_mean(last.name, tuple(library.lets))
            self.error("unknown-name", last, f"'{file}' defines no value '{last.name}'", meant)
        return ANY

    def undefined(self, node: tree.Path, scope: Mapping[str, Value]) -> None:
        """Report a name that stands for nothing."""
        part = node.parts[0]
        name = part.name
        if self.unsure:
            return
        if name in {*self.later, *self.behind}:
            line = f"move 'let {name} = ...' above this line"
            line = f"write the parameter '{name}' before it" if name in self.behind else line
            self.error("before-definition", part, f"'{name}' is used before it is defined", line)
            return
        known, own = (*scope, *self.lets, *CONSTANTS), node.parts[-1].name
        law = own if own in scope else other_word(own, tuple(_OF_LAWS & {*scope}))
        if len(node.parts) > 1 and law in _OF_LAWS:
            told = f"a law reads what it acts on by '{law}' alone"
            self.error("unknown-name", node, told, f"write {law}")
        elif own.lower() in FILE_ENDS and len(node.parts) > 1:
            told = "a file's name stands between double quotes"
            self.error("missing-sign", node, told, f'write "{node.text}"')
        elif not self.library.trusting or closest(name, known):
            self._unknown(part, scope, known)

    def _unknown(self, part: tree.Part, scope: Mapping[str, Value], known: tuple[str, ...]) -> None:
        """Report a name that is none of those known."""
        name, code = part.name, "unknown-name"
        told, said = f"'{name}' is not defined", VALUES.get(part.name.lower())
        if name in FUNCTIONS or name in SHAPES:
            told, advice = f"'{name}' needs its arguments", f"write {_KNOWN[name].example}"
        elif name in _COUNTS:
            told, advice = "numbers stand in digits", f"write {_COUNTS.index(name)}"
        elif name in UNITS or said:
            code, told = "missing-value", f"'{name}' is {'a unit' if name in UNITS else 'no value'}"
            before = self.findings.source.text[: part.span[0]][-20:]
            number = re.search(r"(?<![\w.])([\d.]+)\s*\*\s*$", before)
            meant = other_word(name, tuple(scope))  # t for time
            meant = f"{number[1]} {name}" if number else meant
            advice = said or (f"write {meant}" if meant else "")
            advice = advice or f"write it right after a number: 2 {name}"
        else:
            otherwise = f"write 'let {name} = ...' above, or make it a parameter"
            if scope and name.lower() not in ("iron", "wood", "steel", "rubber", "concrete"):
                here = listed([f"'{each}'" for each in scope], most=6)
                otherwise = f"write {here}, or define it: let {name} = ... above"
            advice = did_you_mean(name, known, otherwise)
        self.error(code, part, told, advice)

    # ---- operators

    def no_equality(self, node: tree.Binary) -> None:
        """Report ``==`` or ``!=``: what changes continuously is equal at no whole instant."""
        instant = self.shown(node.right)
        timed = node.operator == "==" and getattr(node.left, "simple", "") == "time"
        self.error(
            "wrong-kind", node, NO_EQUALITY.format(node.operator),
            f"write time {instant}, the instant alone" if timed else NEARNESS,
        )  # fmt: skip

    def _binary(self, node: tree.Binary, scope: Mapping[str, Value]) -> Value:
        operator = node.operator
        unit = unit_apart(node)
        if unit and not {*scope, *self.lets, *self.later}.intersection(re.split("[*/]", unit)):
            self.error("unknown-unit", node, "a unit stands without blanks", f"write {unit}")
            return ANY
        told = self.findings.count
        left, right = self.infer(node.left, scope), self.infer(node.right, scope)
        if operator in ("and", "or"):
            return TRUTH
        if operator in EQUALITIES:
            self.no_equality(node)
            return TRUTH
        for side, value in ((node.left, left), (node.right, right)):
            by_axis = value.kind == "direction" and operator in "+-" and "distance" in scope
            if by_axis and isinstance(side, tree.Path):
                self.error("unknown-name", side, f"'{side.text}' is a direction", "write distance")
                return ANY
            if value.kind not in ("scalar", "tuple", "any", "direction"):
                joined = _SHAPES_BY.get(operator, "")
                advice = f"write {joined}(shape, shape)" if value.kind == "shape" else ""
                words = f"{value} cannot be computed with"
                self.error("wrong-kind", side, words, advice or "write a number here")
                return ANY
        if operator in ("+", "-", "<", ">", "<=", ">="):
            result = self._same(node, left, right, scope)
            return result if operator in ("+", "-") else TRUTH
        if operator == "^":
            return self._power(node, left, right)
        if left.kind == "tuple" or right.kind == "tuple":
            return self._scaled(node, left, right)
        if left.kind != "scalar" or right.kind != "scalar" or self.findings.count > told:
            return ANY  # of a factor that is wrong nobody knows what it was to be
        if left.dimension is None and right.dimension is None:
            return BARE
        sign = -1 if operator == "/" else 1
        product = multiply(left.dimension or NONE, right.dimension or NONE, sign)
        # a bare number that scales leaves a ratio bare only when both are
        return scalar(product)

    def _same(
        self, node: tree.Binary, left: Value, right: Value, scope: Mapping[str, Value]
    ) -> Value:
        """Return the kind of a sum or difference; both sides must be of one dimension."""
        if (bare := unit_missing(node, self.units)) is not None:
            number, unit = self.shown(bare[0]), bare[1]
            told = f"{number} stands without a unit in a sum with {unit}"
            self.error("ambiguous-unit", bare[0], told, f"write {number} {unit}")
            return ANY
        if left.kind == "scalar" and right.kind == "scalar":
            if left.dimension is None:
                return right
            both = summed(left.dimension, right.dimension)
            if both is None:
                verb = {"+": "added to", "-": "subtracted from"}.get(node.operator)
                pair = (
                    f"{right} cannot be {verb} {left}" if verb
                    else f"{left} cannot be compared with {right}"
                )  # fmt: skip
                meant = self.grouped(node, right, scope)
                if not meant and not isinstance(node.right, tree.Number):
                    meant = self.wrong_factor(node.right, left.dimension, scope)
                advice = meant or f"write {describe(left.dimension)} here"
                self.error("wrong-dimension", node.right, pair, advice)
            return left if both is None else scalar(both)
        if left.kind == "tuple" and right.kind == "tuple":
            if len(left.items) != len(right.items):
                told = f"{len(right.items)} values cannot go with {len(left.items)}"
                self.error("wrong-count", node.right, told, f"write {len(left.items)} values")
            return left
        if {left.kind, right.kind} == {"scalar", "tuple"}:
            told = f"{right} cannot go with {left}"
            self.error("wrong-kind", node.right, told, "write as many values on both sides")
        return ANY

    def _scaled(self, node: tree.Binary, left: Value, right: Value) -> Value:
        """Return the kind of a tuple times or over a scalar."""
        if left.kind == "tuple" and right.kind == "tuple":
            self.error(
                "wrong-kind", node.right, "two groups of values cannot be multiplied or divided",
                "write dot(a, b) or cross(a, b)",
            )  # fmt: skip
            return ANY
        if node.operator == "/" and right.kind == "tuple":
            self.error(
                "wrong-kind", node.right, "nothing can be divided by a group of values",
                "write norm(a) for its length",
            )  # fmt: skip
            return ANY
        return Value("tuple", None, (ANY,) * len((left if left.kind == "tuple" else right).items))

    def _power(self, node: tree.Binary, left: Value, right: Value) -> Value:
        if right.kind == "scalar" and right.dimension not in (None, NONE):
            self.error(
                "wrong-dimension", node.right, f"a power is a plain number, not {right}",
                "remove the unit",
            )  # fmt: skip
            return ANY
        if left.kind != "scalar":
            return ANY
        if too_large(node):
            self.error(
                "too-large", node, "this power is larger than any number that can be computed with",
                "write a smaller power",
            )  # fmt: skip
            return ANY
        if left.dimension in (None, NONE):
            return left
        exponent = node.right.value if isinstance(node.right, tree.Number) else None
        if exponent is None or exponent != int(exponent) or abs(exponent) > 9:
            return ANY
        return scalar(multiply(NONE, left.dimension, int(exponent)))

    # ---- calls

    def arguments(
        self,
        given: Signature,
        arguments: tuple[tree.Argument, ...],
        at: tuple[int, int],
        label: str,
        scope: Mapping[str, Value],
        known: Collection[str] = (),
    ) -> None:
        """Check arguments and their values, see ``argument_errors``."""
        for slot, argument in argument_errors(self.findings, given, arguments, at, label, known):
            what, example = f"for '{slot.name}'", usual(given, slot)
            self.expect(argument.value, slot.kind, scope, what, example)

    def _call(self, node: tree.Call, scope: Mapping[str, Value], due: str) -> Value:
        name = node.function.text
        found = _KNOWN.get(name)
        if found is None or (due == "shape" and name in SHAPES_OF_OTHERS):
            self._unknown_function(node, name, scope, due)
            for argument in node.arguments:
                self.infer(argument.value, scope)
            return ANY
        return self.call(node, found, scope)

    def call(self, node: tree.Call, found: Signature, scope: Mapping[str, Value]) -> Value:
        """Check the arguments of a call and return the kind of its value."""
        if found.name in ("union", "difference", "intersection"):
            return self._constructed(node, found, scope)
        matched = argument_errors(
            self.findings, found, node.arguments, node.function.span, f"'{found.name}'"
        )
        values = []
        for slot, argument in matched:
            if found.name == "euler" and slot.name == "order":
                self._order(argument.value)
            elif slot.kind == "any":
                values.append(self.infer(argument.value, scope))
            else:
                what, example = f"for '{slot.name}'", usual(found, slot)
                self.expect(argument.value, slot.kind, scope, what, example)
        if found.gives == "same" or found.name == "atan2":
            alike = self._alike(node, values)
            return alike if found.gives == "same" else of_quantity(found.gives)
        if found.gives == "sqrt":
            return self._root(values[0]) if values else ANY
        if found.gives == "number":
            return BARE
        return ANY if found.gives in ("any", "length_of") else of_quantity(found.gives)

    def _root(self, value: Value) -> Value:
        if value.kind != "scalar" or value.dimension is None:
            return BARE if value.kind == "scalar" else ANY
        dimension = raised(value.dimension, 0.5)
        return ANY if dimension is None else scalar(dimension)

    def _alike(self, node: tree.Call, values: list[Value]) -> Value:
        """Return the kind of values that are compared; all must be of one dimension."""
        found = BARE
        for value, argument in zip(values, node.arguments, strict=False):
            if value.kind != "scalar" or value.dimension is None:
                if value.kind == "any":
                    return ANY
                continue
            both = value.dimension
            if found.dimension is not None:
                shared = summed(found.dimension, value.dimension)
                if shared is None:
                    self.error(
                        "wrong-dimension", argument, f"{found} cannot be compared with {value}",
                        f"write {describe(found.dimension)} here",
                    )  # fmt: skip
                    return ANY
                both = shared
            found = scalar(both)
        return found

    def _order(self, node: tree.Expression) -> None:
        order = node.simple if isinstance(node, tree.Path) else ""
        if order.lower() not in EULER_ORDERS:
            self.error(
                "unknown-word", node, f"'{order or 'this'}' is not an order of three turns",
                did_you_mean(order, EULER_ORDERS, "write xyz, zyx, zxz ..."),
            )  # fmt: skip

    def _constructed(self, node: tree.Call, found: Signature, scope: Mapping[str, Value]) -> Value:
        if len(node.arguments) < 2:
            self.findings.error(
                "wrong-count", node.function.span,
                f"'{found.name}' takes at least two shapes, not {len(node.arguments)}",
                f"write {found.example}",
            )  # fmt: skip
        seen: set[str] = set()
        for argument in node.arguments:
            if argument.name and argument.name in seen:
                self.error(
                    "duplicate", argument, f"a part is called '{argument.name}' already",
                    f"write another name, such as '{argument.name}_2'",
                )  # fmt: skip
            seen.add(argument.name or "")
            self.expect(argument.value, "shape", scope, f"in '{found.name}'")
        return Value("shape")

    def _unknown_function(
        self, node: tree.Call, name: str, scope: Mapping[str, Value], due: str
    ) -> None:
        if node.function.parts[0].name in self.library.named:
            return
        if name in scope or name in self.lets:
            self.error(
                "unknown-function", node.function, f"'{name}' is a value, not a function",
                f"write {name} * (...) to multiply",
            )  # fmt: skip
            return
        last = node.function.parts[-1].name.lower()
        guess = closest(name, _CALLABLE)
        if not guess and self.library.trusting and last not in FUNCTIONS:
            return
        known = SHAPES if due == "shape" else FUNCTIONS
        hint = f"{'shapes' if due == 'shape' else 'functions'} are {', '.join(known)}"
        text = self.findings.source.text
        value = "" if due == "shape" else other_value(node, last, text)
        if meant := value or other_shape(node, last, self.shown) or other_value(node, last, text):
            hint = meant if meant.startswith("the nearest") else f"write {meant}"
        elif guess:
            hint = f"did you mean '{guess}'?"
        if name in COLORS or name.lower() in CONSTANTS:
            hint = f"write '{name.lower()}' without parentheses"
        angles = [self.infer(each.value, scope) == of_quantity("angle") for each in node.arguments]
        if last in OF_ANGLES and angles == [True]:
            shown = self.shown(node.arguments[0].value)
            number = put_in(OF_ANGLES[last], {"0": shown})
            hint = f"write {shown}, or {number} where a number is due"
        at = node if meant else node.function
        self.error("unknown-function", at, f"there is no function '{name}'", hint)
