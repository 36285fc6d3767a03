"""What is due where: one method per kind of value of ``vocabulary.KINDS``."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

from articulata.world.language.checking.kinds import (
    Value,
    factors,
    fits,
    named,
    other_unit,
    with_unit,
)
from articulata.world.language.checking.scopes import Library
from articulata.world.language.diagnostics import Findings
from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.other_words import VALUES
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.habits import decimal_comma
from articulata.world.language.units import (
    NONE,
    QUANTITIES,
    Dimension,
    describe,
    mended_unit,
    multiply,
    parse_unit,
    symbol,
    typical_unit,
)
from articulata.world.language.vocabulary import (
    COLORS,
    KINDS,
    SHAPES,
    SURFACES,
    WORDS,
    Signature,
)

Scope = Mapping[str, Value]
_DIRECTIONS = ("x", "y", "z")
_TOWARDS = {
    word: f"write {axis}, or {other} where z points up"
    for words, axis, other in (
        ("down downward downwards", "-y", "-z"), ("up upward upwards vertical", "y", "z")
    )
    for word in words.split()
}  # fmt: skip

_FALLS = frozenset((*_TOWARDS, *_DIRECTIONS, "earth", "g", "standard", "normal", "default", "on",
                    "true", "yes"))  # fmt: skip
"""What stands for gravity elsewhere."""


class Expectations(ABC):
    """Reports values that are not of the kind that is due; what a value is, a subclass tells."""

    library: Library
    findings: Findings
    lets: dict[str, Value]

    @abstractmethod
    def infer(self, node: tree.Expression, scope: Scope, due: str = "") -> Value:
        """Return the kind of value ``node`` is; ``due`` is the kind that belongs there."""

    @abstractmethod
    def undefined(self, node: tree.Path, scope: Scope) -> None:
        """Report a name that stands for nothing."""

    @abstractmethod
    def call(self, node: tree.Call, found: Signature, scope: Scope) -> Value:
        """Check the arguments of a call and return the kind of its value."""

    def error(self, code: str, node: object, message: str, suggestion: str = "") -> None:
        """Record an error at ``node``."""
        span = getattr(node, "span", (0, 1))
        self.findings.error(code, span, message, suggestion)

    def decimal(self, span: tuple[int, int]) -> bool:
        """Report a comma that was meant as a decimal point; return whether one was."""
        found = decimal_comma(self.findings.source.text, *span)
        if found is not None:
            self.findings.error(found.code, found.span, found.message, found.suggestion)
        return found is not None

    def expect(
        self, node: tree.Expression, kind: str, scope: Scope, what: str = "", usual: str = ""
    ) -> None:
        """Report what keeps ``node`` from being of ``kind``; ``what`` names what it is for.

        ``usual`` is a value as one often writes it there.
        """
        if kind in QUANTITIES:
            self.scalar(node, kind, scope, what, usual)
            return
        method = {
            "point": self._point,
            "direction": self._direction,
            "rotation": self._rotation,
            "shape": self._shape,
            "surface": self._surface,
            "polygon": self._polygon,
            "material": self._material,
            "color": self._color,
            "gravity": self._gravity,
            "velocity": self._velocity,
            "moments": self._moments,
            "limits": self._limits,
            "strength": self._strength,
            "text": self._text,
        }.get(kind)
        if kind in WORDS:
            self._one_of(node, kind, what)
        elif method is None:
            self.infer(node, scope)
        else:
            method(node, scope, what)

    def wrong(self, node: tree.Expression, kind: str, found: Value, what: str) -> None:
        """Report a value of the wrong kind."""
        due = KINDS.get(kind) or describe(QUANTITIES[kind])
        given = node.value if isinstance(node, tree.Text) else ""
        suggestion = f"write {given} without quotes" if given in self.lets else f"write {due}"
        self.error("wrong-kind", node, f"{due} is due {what or 'here'}, not {found}", suggestion)

    def _one_of(self, node: tree.Expression, kind: str, what: str) -> None:
        word = node.simple.lower() if isinstance(node, tree.Path) else ""
        if word not in WORDS[kind]:
            self.error(
                "wrong-kind", node, f"{KINDS[kind]} is due {what or 'here'}",
                did_you_mean(word, WORDS[kind]),
            )  # fmt: skip

    # ---- scalars

    def scalar(
        self, node: tree.Expression, kind: str, scope: Scope, what: str, usual: str = ""
    ) -> None:
        """Report what keeps ``node`` from being one value of the quantity ``kind``."""
        found = self.infer(node, scope)
        if found.kind == "any":
            return
        if found.kind != "scalar":
            given = node.value if isinstance(node, tree.Text) else ""
            quoted = given if given[:1].isdigit() or given in scope or given in self.lets else ""
            self.error(
                "wrong-kind", node,
                f"one value, {named(kind)}, is due {what or 'here'}, not {found}",
                f"write it without quotes: {quoted}" if quoted
                else f"write one number{with_unit(kind)}",
            )  # fmt: skip
            return
        due = QUANTITIES[kind]
        if not fits(found, due):
            shown = "a plain number" if kind in ("number", "count") else named(kind)
            self.error(
                "wrong-dimension", node, f"{shown} is due {what or 'here'}, not {found}",
                (not isinstance(node, tree.Number) and self.wrong_factor(node, due, scope))
                or other_unit(node, kind, found, usual),
            )  # fmt: skip
        elif kind == "count" and isinstance(node, tree.Number) and node.value != int(node.value):
            self.error(
                "wrong-kind", node, f"a whole number is due {what or 'here'}",
                f"write a whole number, such as {max(1, round(node.value))}",
            )  # fmt: skip

    def several(
        self, node: tree.Expression, kinds: tuple[str, ...], scope: Scope, what: str, due: str
    ) -> bool:
        """Check a group of values, one kind each; return whether it was a group at all."""
        if isinstance(node, tree.Tuple):
            if len(node.items) > len(kinds) and self.decimal(node.span):
                return True
            if len(node.items) != len(kinds):
                names = {2: "two", 3: "three"}.get(len(kinds), str(len(kinds)))
                few = len(node.items) < len(kinds)
                self.error(
                    "wrong-count", node,
                    f"{names} values are due {what or 'here'}, {len(node.items)} are given",
                    f"{'add' if few else 'remove'} {abs(len(kinds) - len(node.items))}: {due}",
                )  # fmt: skip
                for item in node.items:
                    self.infer(item, scope)
                return True
            if len(set(kinds)) > 1 and self._exchanged(node, kinds, what):
                return True
            for item, kind in zip(node.items, kinds, strict=True):
                self.scalar(item, kind, scope, "" if kind == "any" else what)
            return True
        return False

    def _exchanged(self, node: tree.Tuple, kinds: tuple[str, ...], what: str) -> bool:
        """Report a group whose numbers stand in the opposite order; return whether they do."""
        units = [each.unit if isinstance(each, tree.Number) else "" for each in node.items]
        found = [parse_unit(unit).dimension if unit else None for unit in units]
        due = [QUANTITIES.get(kind) for kind in kinds]
        if found == due or found != due[::-1]:
            return False
        text = self.findings.source.text
        shown = ", ".join(text[slice(*each.span)] for each in reversed(node.items))
        self.error(
            "wrong-dimension", node.items[0],
            f"{' and '.join(map(named, kinds))} are due {what or 'here'}, in this order",
            f"write ({shown}), {named(kinds[0])} first",
        )  # fmt: skip
        return True

    # ---- groups

    def _group(self, node: tree.Expression, kind: str, of: str, scope: Scope, what: str) -> None:
        if self.several(node, (of,) * 3, scope, what, KINDS[kind]):
            return
        found = self.infer(node, scope)
        if found.kind == "tuple" and len(found.items) == 3:
            for each in found.items:
                if each.kind == "scalar" and not fits(each, QUANTITIES[of]):
                    self.wrong(node, kind, each, what)
                    return
        elif found.kind != "any":
            self.wrong(node, kind, found, what)

    def _point(self, node: tree.Expression, scope: Scope, what: str) -> None:
        self._group(node, "point", "length", scope, what)

    def _gravity(self, node: tree.Expression, scope: Scope, what: str) -> None:
        given = node.operand if isinstance(node, tree.Unary) else node
        word = given.simple if isinstance(given, tree.Path) else ""
        if word in _FALLS and word not in scope and word not in self.lets:
            self.error("wrong-kind", node, f"gravity is a vector, not '{word}'",
                       "write (0, -9.81, 0), or (0, 0, -9.81) where z points up")  # fmt: skip
            return
        if isinstance(given, tree.Number):
            meant = f"write (0, -{self.shown(given)}, 0)"
            self.error("wrong-kind", node, "gravity is a vector, not a number", meant)
            return
        self._group(node, "gravity", "acceleration", scope, what)

    def _velocity(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if isinstance(node, tree.Tuple) and len(node.items) == 2:
            self.several_of(node.items[0], "speed", scope)
            self.several_of(node.items[1], "rate", scope)
        elif not isinstance(node, tree.Tuple) and self.infer(node, scope).kind == "any":
            return
        else:
            group = isinstance(node, tree.Tuple)
            one = not group or len(getattr(node, "items", ())) == 3
            given = self.shown(node) if group else f"({self.shown(node)}, 0, 0)"
            self.error(
                "wrong-count", node,
                "a velocity is two groups of three values, linear and angular",
                f"write ({given} (0, 0, 0))" if one else "write ((vx, vy, vz) (wx, wy, wz))",
            )  # fmt: skip

    def several_of(self, node: tree.Expression, kind: str, scope: Scope) -> None:
        """Check three values of one quantity."""
        due = f"three values of {kind.replace('_', ' ')} ({typical_unit(kind)})"
        several = self.several(node, (kind,) * 3, scope, "", due)
        if not several and self.infer(node, scope).kind == "scalar":
            one = f"write ({self.shown(node)}, 0, 0)"
            self.error("wrong-count", node, f"{due} are due here", one)

    def _moments(self, node: tree.Expression, scope: Scope, what: str) -> None:
        count = len(node.items) if isinstance(node, tree.Tuple) else 0
        if count == 6:
            self.several(node, ("inertia",) * 6, scope, what, KINDS["moments"])
        else:
            self._group(node, "moments", "inertia", scope, what)

    def _polygon(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if not isinstance(node, tree.Tuple):
            found = self.infer(node, scope)
            if found.kind != "any":
                self.wrong(node, "polygon", found, what)
            return
        if len(node.items) < 3:
            self.error(
                "wrong-count", node, f"a polygon has at least three corners, not {len(node.items)}",
                "write ((0 0) (1 0) (0 1))",
            )  # fmt: skip
        for corner in node.items:
            if not self.several(corner, ("length", "length"), scope, "for a corner", "(x, y)"):
                found = self.infer(corner, scope)
                if found.kind == "scalar":
                    told = "a corner is a pair of lengths"
                    self.error("wrong-kind", corner, told, "write (x, y)")

    def _limits(self, node: tree.Expression, scope: Scope, what: str) -> None:
        """Check ``(low, high)`` of a coordinate of unknown kind, or a group of such pairs."""
        if isinstance(node, tree.Tuple) and all(isinstance(i, tree.Tuple) for i in node.items):
            for item in node.items:
                self._limits(item, scope, what)
            return
        self.bounds(node, None, scope)

    def bounds(self, node: tree.Expression, kind: str | None, scope: Scope) -> None:
        """Check ``(low, high)``, both of ``kind`` when it is known."""
        if not isinstance(node, tree.Tuple):
            found = self.infer(node, scope)
            if found.kind != "any":
                self.wrong(node, "limits", found, "")
            return
        if len(node.items) != 2:
            self.error(
                "wrong-count", node,
                f"limits are a lowest and a highest value, {len(node.items)} values are given",
                "write (low, high)",
            )  # fmt: skip
            return
        for item in node.items:
            if kind is not None:
                self.scalar(item, kind, scope, "for a limit")
            else:
                self.infer(item, scope)
        low, high = (_constant(item) for item in node.items)
        units = {item.unit for item in node.items if isinstance(item, tree.Number)}
        if low is not None and high is not None and low > high and len(units) <= 1:
            ends = ", ".join(self.shown(each) for each in reversed(node.items))
            told = "the lowest value is larger than the highest"
            self.error("wrong-kind", node, told, f"write the smaller one first: ({ends})")

    def _only_turn(self, angles: tree.Tuple) -> str:
        """Return ``20 deg about y`` for three angles of which one is not zero, else ``""``."""
        turning = [
            (each, axis) for each, axis in zip(angles.items, "xyz", strict=False)
            if not (isinstance(each, tree.Number) and each.value == 0.0)
        ]  # fmt: skip
        if len(turning) != 1 or len(angles.items) != 3:
            return ""
        return f"{self.shown(turning[0][0])} about {turning[0][1]}"

    def wrong_factor(self, node: tree.Expression, due: Dimension, scope: Scope) -> str:
        """Return what to write for each number in a sum or product whose unit is wrong."""
        while isinstance(node, tree.Unary):
            node = node.operand
        if isinstance(node, tree.Binary) and node.operator in "+-":
            sides = [each for each in (node.left, node.right)
                     if not fits(self.infer(each, scope), due)]  # fmt: skip
            told = [self.wrong_factor(each, due, scope) for each in sides]
            return f"write {', and '.join(each[6:] for each in told)}" if all(told) else ""
        found, given = self.infer(node, scope).dimension, factors(node)
        given = [each for each in given if each[0].unit] or given
        if len(given) != 1 or found is None or found == NONE:
            return ""
        ((number, power),) = given
        off = multiply(due, found, -1)
        meant = multiply(parse_unit(number.unit).dimension, off, power)
        unit = mended_unit(number.unit, meant) or symbol(meant)
        unit = "deg" if unit == "rad" else unit or "alone"
        return f"write {number.value:g} {unit} in place of {self.shown(number)}"

    def grouped(self, node: tree.Binary, right: Value, scope: Scope) -> str:
        """Return a sum as it is with parentheses about its last factor, where that fits."""
        left = node.left
        if not isinstance(left, tree.Binary) or left.operator != "*" or right.dimension is None:
            return ""
        if self.infer(left.right, scope).dimension != right.dimension:
            return ""
        inner = f"{self.shown(left.right)} {node.operator} {self.shown(node.right)}"
        return f"write {self.shown(left.left)} * ({inner})"

    def shown(self, node: tree.Node) -> str:
        """Return a part of the text as it is written."""
        return self.findings.source.text[slice(*node.span)]

    def _strength(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if not self.several(node, ("force", "torque"), scope, what, KINDS["strength"]):
            self.scalar(node, "force", scope, what)

    # ---- words and calls

    def _direction(self, node: tree.Expression, scope: Scope, what: str) -> None:
        inner = node.operand if isinstance(node, tree.Unary) else node
        left = node.left if isinstance(node, tree.Binary) else None
        if isinstance(left, tree.Path) and left.simple in _DIRECTIONS and node is not left:
            axis = left.simple
            self.error("wrong-kind", node, "a direction is one letter", f"write {axis}")
            return
        if isinstance(inner, tree.Path) and inner.simple:
            name = inner.simple
            if name in _DIRECTIONS or name in scope or name in self.lets:
                return
            self.error(
                "unknown-name", inner, f"'{name}' is not a direction",
                _TOWARDS.get(name.lower())
                or did_you_mean(name, [each for each, value in scope.items()
                                       if value.kind == "direction"],
                                "write x, y, z, -x, -y or -z"),
            )  # fmt: skip
            return
        items = node.items if isinstance(node, tree.Tuple) else ()
        if any(isinstance(each, tree.Number) and each.unit for each in items):
            told = f"a direction has no units {what}".rstrip()
            along = [axis for each, axis in zip(items, "xyz", strict=False)
                     if not isinstance(each, tree.Number) or each.value]  # fmt: skip
            shown = re.sub(r"(?<=\d)[ \t]*[a-zA-Z][\w^*/]*", "", self.shown(node))
            self.error("wrong-dimension", node, told,
                       f"write {along[0] if len(along) == 1 else shown}")  # fmt: skip
            return
        self._group(node, "direction", "number", scope, what)

    def _rotation(self, node: tree.Expression, scope: Scope, what: str) -> None:
        found = self.infer(node, scope)
        if isinstance(node, tree.Tuple) and len(node.items) == 3:
            text = self.findings.source.text
            angles = ", ".join(text[slice(*each.span)] for each in node.items)
            self.error(
                "wrong-kind", node, f"three angles do not say the order of turns {what}".rstrip(),
                f"write euler(xyz, {angles}), or one angle about an axis: 90 deg about z",
            )  # fmt: skip
        elif found.kind not in ("rotation", "any"):
            self.wrong(node, "rotation", found, what)

    def _shape(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if isinstance(node, tree.Path) and node.simple and node.simple not in scope:
            name = node.simple
            if name == "half_space":
                return
            if name not in self.lets and not (self.library.trusting and name not in SHAPES):
                if name in SHAPES:
                    self.error(
                        "missing-value", node, f"'{name}' needs its measures",
                        f"write {SHAPES[name].example}",
                    )  # fmt: skip
                else:
                    self.error(
                        "unknown-function", node, f"there is no shape '{name}'",
                        did_you_mean(name, (*SHAPES, "none", *self.lets)),
                    )  # fmt: skip
                return
        found = self.infer(node, scope, "shape")
        if found.kind not in ("shape", "any"):
            self.wrong(node, "shape", found, what)

    def _surface(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if not isinstance(node, tree.Call):
            self.wrong(node, "surface", self.infer(node, scope), what)
            return
        found = SURFACES.get(node.function.text)
        if found is None:
            self.error(
                "unknown-function", node.function, f"there is no surface '{node.function.text}'",
                did_you_mean(node.function.text, tuple(SURFACES)),
            )  # fmt: skip
            return
        self.call(node, found, scope)

    def _material(self, node: tree.Expression, scope: Scope, what: str) -> None:
        found = self.infer(node, scope)
        if found.kind == "color" and isinstance(node, tree.Path) and node.simple in COLORS:
            self.undefined(node, scope)  # of steel and wood the material is meant
        elif found.kind not in ("material", "any"):
            self.wrong(node, "material", found, what)

    def _color(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if isinstance(node, tree.Path) and node.simple:
            name = node.simple
            if name in COLORS or name in scope or name in self.lets:
                return
            self.error(
                "unknown-name", node, f"'{name}' is not a colour",
                VALUES.get(name.lower())
                or did_you_mean(name, COLORS, "write a colour such as red, or (0.8, 0.2, 0.1)"),
            )  # fmt: skip
            return
        if isinstance(node, tree.Text):
            if self.findings.source.text[node.span[0]] != '"':
                return  # its quotes have been told of
            self.error(
                "wrong-kind", node, "a colour stands without quotes",
                f"write {closest(node.value, COLORS) or 'red'}",
            )  # fmt: skip
            return
        self._group(node, "color", "number", scope, what)

    def posed(self, clause: tree.PlaceSet, scope: Scope) -> None:
        """Check a posture, or a joint's value, of which elaboration knows more."""
        said, value = clause.path.simple, clause.value
        name = value.simple if isinstance(value, tree.Path) else ""
        if said != "posture" and name not in {"", *scope, *self.lets} and (
            other_word(said, ("posture",))):  # fmt: skip
            told = f"'{said}' is no name of a posture"
            self.error("unknown-name", clause.path, told, f"write posture = {name}")
        elif said != "posture":
            self.infer(value, scope)

    def _text(self, node: tree.Expression, scope: Scope, what: str) -> None:
        if not isinstance(node, tree.Text):
            self.wrong(node, "text", self.infer(node, scope), what)


def _constant(node: tree.Expression) -> float | None:
    if isinstance(node, tree.Number):
        return node.value
    if isinstance(node, tree.Unary) and node.operator == "-":
        inner = _constant(node.operand)
        return -inner if inner is not None else None
    return None
