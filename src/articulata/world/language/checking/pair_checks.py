"""Checking ``contact A with B: (...)``, laws of forces, and what drives a joint of a figure."""

from __future__ import annotations

from collections.abc import Mapping

from articulata.world.figures.nodes import BALANCE
from articulata.world.language.checking.expression_checks import Expressions
from articulata.world.language.checking.kinds import LAW_SCOPES, Value, of_quantity
from articulata.world.language.diagnostics import Findings
from articulata.world.language.filled_forms import put_in
from articulata.world.language.meant_words import closest, did_you_mean, listed, other_word
from articulata.world.language.other_words import FUNCTIONS as OF_OTHERS
from articulata.world.language.resistances import MOTORS
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.declared_names import names_in
from articulata.world.language.units import QUANTITIES
from articulata.world.language.vocabulary import (
    BUILT_IN_TYPES,
    FUNCTIONS,
    HINGES,
    PAIR_FIELDS,
    PAIR_FUNCTIONS,
)


class Pairs:
    """Checks what a file says of two materials."""

    def __init__(self, expressions: Expressions, findings: Findings) -> None:
        self.e = expressions
        self.findings = findings
        self.library = expressions.library
        self._said: dict[frozenset[str], int] = {}

    def pair(self, node: tree.MaterialPair) -> None:
        """Check one contact."""
        for path in (node.first, node.second):
            self._called(path)
        key = frozenset((node.first.text, node.second.text))
        if key in self._said:
            line, _ = self.findings.source.position(self._said[key])
            self.e.error(
                "duplicate", node, f"{node.first.text} with {node.second.text} is said already, "
                f"on line {line}", "put both into one contact",
            )  # fmt: skip
        self._said.setdefault(key, node.span[0])
        if not node.fields:
            self.e.error(
                "empty", node, "nothing is said of these two",
                "write (friction: 0.8, restitution: 0.2)",
            )  # fmt: skip
        self._fields(node.fields)

    def _fields(self, fields: tuple[tree.Argument, ...]) -> None:
        seen: set[str] = set()
        for each in fields:
            name = each.name
            if name is None:
                self.e.error(
                    "unknown-option", each, "every value of a contact has a name",
                    "write (friction: 0.8, restitution: 0.2)",
                )  # fmt: skip
                continue
            span = (each.span[0], each.span[0] + len(name))
            if name in seen:
                self.findings.error(
                    "duplicate", span, f"'{name}' is given already", "remove one of them"
                )
            seen.add(name)
            if name not in PAIR_FIELDS:
                self.findings.error(
                    "unknown-option", span, f"a contact says nothing of '{name}'",
                    did_you_mean(name, tuple(PAIR_FIELDS)),
                )  # fmt: skip
                name = closest(name, tuple(PAIR_FIELDS))
                if not name:
                    continue
            scope = LAW_SCOPES["number"] if name in PAIR_FUNCTIONS else {}
            self.e.expect(each.value, PAIR_FIELDS[name], scope, f"for '{name}'")

    def _called(self, path: tree.Path) -> None:
        """Check that ``path`` is the name of a material or of a type of one body."""
        first = path.parts[0].name
        if first in self.e.lets and path.simple:
            found = self.e.lets[first]
            if found.kind not in ("material", "any"):
                self.e.error(
                    "wrong-kind", path, f"a material or a type is due here, not {found}",
                    f"write let {first} = material(...)",
                )  # fmt: skip
            return
        if first in self.library.named and len(path.parts) == 2:
            library = self.library.named[first]
            if library is None or library.trusting or path.parts[1].name in library.lets:
                return
        kind = self.library.type(path)
        if kind is not None:
            if kind.kind not in ("primitive", "built in"):
                self.e.error(
                    "wrong-kind", path, f"'{path.text}' is a {kind.kind}, not one body",
                    "name a material, or the types of its bodies",
                )  # fmt: skip
            return
        materials = [name for name, each in self.e.lets.items() if each.kind == "material"]
        bodies = [n for n, each in self.library.own.items() if isinstance(each, tree.Primitive)]
        known = (*materials, *bodies, *BUILT_IN_TYPES)
        if self.library.trusts(path) and not closest(path.text, known):
            return
        shown = listed([f"'{each}'" for each in known], most=6)
        self.e.error(
            "unknown-name", path, f"there is no material or type '{path.text}'",
            did_you_mean(path.text, known, f"write {shown}"),
        )  # fmt: skip


def check_law(
    e: Expressions, node: tree.Force | tree.Moment, kind: str, scope: Mapping[str, Value]
) -> None:
    """Check the value of a force or moment, and the rate of its integral."""
    if _joining(e, node, scope):
        return
    names = {**scope, **LAW_SCOPES[kind]}
    if node.integrating is not None:
        names["integral"] = of_quantity(kind)
        e.infer(node.integrating, names)  # elaboration tells what is due
    e.expect(node.value, kind, names, "")


def check_driver(e: Expressions, node: tree.Driven, scope: Mapping[str, Value]) -> None:
    """Check what drives a hinge; whether that turns or slides its motor's values tell."""
    if node.motor is None:
        e.controller(node.driver, scope)
        return
    along = (QUANTITIES["speed"], QUANTITIES["force"])
    slides = any(e.infer(each.value, scope).dimension in along for each in node.motor)
    given = MOTORS["travel" if slides else "angle"]
    e.arguments(given, node.motor, node.driver.span, "'motor'", scope, (*scope, *e.lets))


_SLACK = frozenset(("rope", "cord", "cable", "tether"))
"""What pulls where it is longer than its length."""


def _joining(e: Expressions, node: tree.Force | tree.Moment, scope: Mapping[str, Value]) -> bool:
    """Report a spring, or another kind of join, as the value of a force; return whether it is."""
    value = node.value.operand if isinstance(node.value, tree.Unary) else node.value
    called = value.function if isinstance(value, tree.Call) else value
    word = called.text if isinstance(called, tree.Path) else ""
    calls = isinstance(value, tree.Call)
    if not word or word in {*scope, *e.lets, *FUNCTIONS, *OF_OTHERS, *LAW_SCOPES["torque"]}:
        return False
    meant_by = ("spring", "damper", "weld", "gear") if calls else ()
    kind = word if word in HINGES else other_word(word, meant_by)
    slots = tuple(each.name for each in HINGES[kind].signature.slots) if kind in HINGES else ()
    said: dict[str, str] = {}
    for number, each in enumerate(value.arguments if isinstance(value, tree.Call) else ()):
        plain = slots[number] if number < len(slots) else "length"
        given = each.name or plain
        name = given if given in slots else other_word(given, slots) or given
        said[name] = e.shown(each.value)
    meant = _meant(e, node, word if word in _SLACK else kind, said)
    if meant:
        told = f"'{word}' is the kind of a join" if kind in HINGES else f"'{word}' is no function"
        e.error("wrong-kind", called, told, f"write {meant}")
    return bool(meant)


def _meant(
    e: Expressions, node: tree.Force | tree.Moment, kind: str, said: Mapping[str, str]
) -> str:
    """Return the statement that a force with the value ``kind(said)`` means, "" for none."""
    if isinstance(node, tree.Moment):
        moved = {"stiffness": "angle", "damping": "rate"}
        terms = [
            put_in(f"{{0}} * {by}", {"0": said[each]}) for each, by in moved.items() if each in said
        ]
        hinge = e.shown(node.hinge)
        return f"force {node.name} about {hinge} = -{' - '.join(terms)}" if terms else ""
    ends = [e.shown(each) for each in (node.first, node.second)]
    (one, of_one), (two, of_two) = (
        (body, feature) if body else (feature, "center")
        for body, _, feature in (each.rpartition(".") for each in ends)
    )
    if kind in _SLACK:
        law = "max(2e4 N/m * (distance - {length}), 0 N)"
        law = put_in(law, {"length": "1 m", **said})
        return f"force {node.name} between {ends[0]} and {ends[1]} = {law}"
    if kind == "gear":
        turned = {body: hinge for hinge, body in names_in(e.findings.source.text).moved.items()}
        hinges = [turned.get(body, "") for body in (one, two)]
        ratio = next(iter(said.values()), "1")
        return f"gear {node.name} between {' and '.join(hinges)} = {ratio}" if all(hinges) else ""
    options = ", ".join(f"{name}: {shown}" for name, shown in said.items())
    shown = f"{kind}({options})" if options else kind
    matched = f"as {node.name} matching ({of_one}, {of_two})"
    return f"join {one} to {two} with {shown} {matched}" if kind in HINGES else ""


def check_balance(e: Expressions, node: tree.Expression | None) -> None:
    """Check the strategies by which a figure keeps its balance, if any."""
    known = ", ".join(BALANCE)
    if node is None:
        return
    if not isinstance(node, tree.Call) or node.function.text != "balance":
        told = "behind the servo stands by which strategies a figure keeps its balance"
        e.error("wrong-kind", node, told, f"write balance({known})")
        return
    if not node.arguments:
        e.error("wrong-count", node, "no strategy is named", f"write balance({known})")
    for each in node.arguments:
        word = each.value.simple if isinstance(each.value, tree.Path) else ""
        if each.name or word not in BALANCE:
            meant = did_you_mean(word or "", tuple(BALANCE)) or f"write balance({known})"
            e.error("unknown-word", each, "this is no strategy of balance", meant)
