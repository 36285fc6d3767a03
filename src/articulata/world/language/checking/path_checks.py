"""Following a path through components, features, hinges and quantities, without arguments.

A leading part may be left out while the rest is unique; a component may be named by its type,
as in the 1986 listing, while only one has it (a warning says so). Nothing is said about what an
``open`` type has or lacks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from articulata.world.language.checking.scopes import FORCE, GEAR, MOMENT, Type
from articulata.world.language.diagnostics import Findings
from articulata.world.language.meant_words import closest, did_you_mean, listed
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.declared_names import numbered
from articulata.world.language.syntax.expressions import walk
from articulata.world.language.vocabulary import (
    AXES,
    BODY_QUANTITIES,
    BUILT_IN_TYPES,
    FORCE_QUANTITIES,
    FUNCTIONS,
    HINGE_QUANTITIES,
    HINGES,
    MOMENT_QUANTITIES,
)
from articulata.world.paths import WORLD_QUANTITIES

DEFAULT_HINGE = re.compile(r"(h|spring|damper)(\d\d|\d+_\d+)|\w+_\w+")
"""Names that joins of array elements get when they have none of their own."""


def of_component(
    findings: Findings, at: tree.Expression, owner: Type, values: Collection[str]
) -> bool:
    """Check what stands after 'at' where it names a component, and tell whether it does.

    A feature's path stands alone: nothing is computed with it. ``values`` are names of values.
    """
    if isinstance(at, tree.Path):
        first = at.parts[0].name
        named = first not in values and (len(at.parts) > 1 or first in owner.components)
        if named:
            follow(findings, at, owner)
        return named
    for node in walk(at):
        if isinstance(node, tree.Path) and node.parts[0].name in {*owner.components} - {*values}:
            of = node.parts[0].name
            findings.error(
                "wrong-kind", node.span, f"'{node.text}' is a place, which stands alone after 'at'",
                f"give its type a feature, where {{ spot: (0, 0, 0) }}, and write at {of}.spot",
            )  # fmt: skip
            return True
    return False


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to.

    ``kind`` is component, feature, hinge, force, moment (a force about a hinge), quantity or
    unknown.
    """

    kind: str
    type: Type | None = None
    name: str = ""


UNKNOWN = Found("unknown")

_STANDING = frozenset(("world", "earth", "base", "frame", "environment", "fixed", "anchor"))
"""What other programs call that which stands still."""

_MANY = 12
"""How many places of a name are looked for: more would not be listed."""


def follow(
    findings: Findings,
    path: tree.Path,
    owner: Type,
    *,
    quantities: bool = False,
    what: str = "component",
) -> Found:
    """Return what ``path`` leads to in ``owner``, reporting the first part that leads nowhere.

    With ``quantities`` a path may end in a quantity such as ``angle`` or ``w.z``.
    """
    parts = path.parts
    if not parts:
        return UNKNOWN
    first = parts[0]
    here = _first(findings, first, owner, what, quantities)
    for i, part in enumerate(parts[1:], 1):
        if here.kind == "unknown":
            return here
        here = _next(findings, parts[i - 1], part, here, quantities)
    return here


def _first(findings: Findings, part: tree.Part, owner: Type, what: str, quantities: bool) -> Found:
    found = _in(findings, part, owner)
    if found is not None:
        return found
    name = part.name
    if name in owner.features or name in owner.shapes:
        return Found("feature", owner, name)
    if quantities and name in WORLD_QUANTITIES:
        return Found("quantity", None, name)
    if owner.open and owner.components:
        return UNKNOWN  # what could not be read may have that name
    by_type = owner.by_type.get(name, [])
    if len(by_type) == 1:
        findings.warning(
            "by-type", part.span,
            f"'{name}' is a type; the component of this type is '{by_type[0]}'",
            f"write '{by_type[0]}'",
        )  # fmt: skip
        return Found("component", owner.type_of(by_type[0]), by_type[0])
    if len(by_type) > 1:
        findings.error(
            "ambiguous-name", part.span,
            f"'{name}' is a type, and {listed(by_type, 'and')} are components of it",
            f"write {listed(by_type)}",
        )  # fmt: skip
        return UNKNOWN
    inner = list(islice(_descendants(name, owner), _MANY))
    if len(inner) == 1:
        _check_index(findings, part, inner[0][1], name)
        return inner[0][0]
    if len(inner) > 1:
        paths = [where for _, _, where in inner]
        findings.error(
            "ambiguous-name", part.span, f"'{name}' could be {listed(paths, 'and')}",
            f"write {listed(paths)}",
        )  # fmt: skip
        return UNKNOWN
    if not owner.open and not _somewhere_open(owner):
        known = (*owner.components, *owner.hinges, *_feature_names(owner))
        known = (*known, *WORLD_QUANTITIES) if quantities else known
        kind = "type"
        if name in BUILT_IN_TYPES or name in _STANDING:
            kind = name if name in BUILT_IN_TYPES else "fixed_point"
        how = f"declare it: components {{ {name}: {kind} }}"
        if what == "feature":
            how = f"it has {listed(owner.features, 'and')}" if owner.features else "use center"
        if what == "hinge":
            how = f"name it: join A to B with pin as {name} ..."
        of_array = numbered(name, owner.arrays)
        findings.error(
            f"unknown-{what}", part.span, f"there is no {what} '{name}' here",
            f"write {of_array}" if of_array else did_you_mean(name, known, how),
        )  # fmt: skip
    return UNKNOWN


def check_indices(
    findings: Findings, node: object, known: Collection[str], loops: Sequence[str] = ("",)
) -> bool:
    """Report a name in brackets that is none of ``known``; return whether there is one.

    ``loops`` are the numbers of the loops about a statement; "": there could be one.
    """
    for part in tree.walk(node):
        if not isinstance(part, tree.Part) or part.index is None:
            continue
        for each in tree.walk(part.index):
            if not isinstance(each, tree.Path) or each.parts[0].name in {*known, *FUNCTIONS}:
                continue
            name = each.text
            advice = f"write a number, such as {part.name}[1]"
            if loops and loops[-1]:
                advice = f"write {part.name}[{loops[-1]}]"
            elif len(name) > 2 and re.search(rf"\b{name}[ \t]*:", findings.source.text):
                advice = f"write {part.name}.{name}"  # a part of it
            elif loops:
                advice += f", or repeat this: for {name} in 1..n {{ ... }}"
            findings.error("unknown-name", each.span, f"'{name}' stands for no number here", advice)
            return True
    return False


def coordinate(owner: Type, name: str) -> str:
    """Return ``elbow.angle`` for a hinge of ``owner`` with one coordinate, "" for what is none."""
    kind = HINGES.get(owner.hinges.get(name, ""))
    return f"{name}.{kind.coordinates[0]}" if kind and len(kind.coordinates) == 1 else ""


def turns(owner: Type, name: str) -> bool:
    """Say whether what is called ``name`` may be a hinge with an angle."""
    kind = HINGES.get(owner.hinges.get(name, ""))
    return kind is None or "angle" in kind.coordinates


def hinges_of(owner: Type) -> str:
    """Return the names of an owner's hinges with one coordinate, to choose among."""
    return listed([name for name in owner.hinges if coordinate(owner, name)]) or "by its name"


def exchanged(
    findings: Findings, node: tree.Join, pair: tree.Pair, bodies: tuple[Found, Found]
) -> bool:
    """Report two features of which each is the other body's; return whether they are."""

    def has(body: Found, feature: tree.Path) -> bool:
        assert body.type is not None
        silent = Findings(findings.source)
        follow(silent, feature, body.type, what="feature")
        return not silent.count

    first, second = bodies
    if "unknown" in (first.kind, second.kind) or None in (first.type, second.type):
        return False
    right = has(first, pair.first) and has(second, pair.second)
    if right or not (has(first, pair.second) and has(second, pair.first)):
        return False
    findings.error(
        "wrong-order", pair.span,
        f"features stand in the order of the bodies, '{node.first.text}' first",
        f"write ({pair.second.text}, {pair.first.text})",
    )  # fmt: skip
    return True


def some_place(world: Type) -> str:
    """Return the path of a feature of a world, or of a component, as an example."""
    name = next(reversed(world.components))
    kind = world.type_of(name)
    features = kind.features if kind is not None else ()
    index = "[1]" if world.ranges.get(name) is not None else ""
    return f"{name}{index}.{features[0]}" if features else f"{name}{index}"


def _feature_names(owner: Type) -> tuple[str, ...]:
    own = owner.kind in ("primitive", "built in")
    return (*owner.features, *owner.shapes) if own else ()


def _somewhere_open(owner: Type) -> bool:
    """Say whether a shortened path may lead into a component of which not all is known."""
    return any(kind is None or kind.linked for _, kind in owner.typed)


def _in(findings: Findings, part: tree.Part, owner: Type) -> Found | None:
    """Return the component or hinge of ``owner`` that ``part`` names, checking its index."""
    name = part.name
    if name in owner.components:
        kind = owner.type_of(name)
        _check_index(findings, part, owner.ranges[name], name, kind)
        return Found("component", kind, name)
    if name in owner.hinges:
        return _held(owner.hinges[name], name)
    if owner.numbered and DEFAULT_HINGE.fullmatch(name) and not numbered(name, owner.arrays):
        return _held(name.partition("_")[0].rstrip("0123456789"), name)
    return None


def _held(word: str, name: str) -> Found:
    """Return the hinge or force called ``name`` that ``word`` makes."""
    if word in (FORCE, "spring", "damper"):
        return Found("force", None, name)
    if word == GEAR:
        return Found("coupling", None, name)
    return Found("moment" if word == MOMENT else "hinge", None, name)


def _descendants(
    name: str, owner: Type, prefix: str = "", depth: int = 0, barren: set[int] | None = None
) -> Iterator[tuple[Found, tree.Range | None, str]]:
    """Yield components, hinges and features called ``name`` further inside.

    ``barren`` remembers types that hold nothing of that name, so that each is searched once.
    """
    if depth > 8:
        return
    barren = set() if barren is None else barren
    for component, kind in owner.typed:
        if kind is None or id(kind) in barren:
            continue
        where = f"{prefix}{component}"
        direct = _directly(name, kind)
        if direct is not None:
            yield *direct, f"{where}.{name}"
        found = direct is not None
        if kind.kind != "primitive":
            for each in _descendants(name, kind, f"{where}.", depth + 1, barren):
                found = True
                yield each
        if not found:
            barren.add(id(kind))


def _directly(name: str, kind: Type) -> tuple[Found, tree.Range | None] | None:
    """Return the component, hinge or feature called ``name`` that ``kind`` has itself."""
    if name in kind.components:
        return Found("component", kind.type_of(name), name), kind.ranges[name]
    if name in kind.hinges:
        return _held(kind.hinges[name], name), None
    if name in kind.features and name != "center" and kind.kind == "primitive":
        return Found("feature", kind, name), None
    return None


_HELD = {
    "hinge": HINGE_QUANTITIES, "force": FORCE_QUANTITIES, "moment": MOMENT_QUANTITIES,
    "coupling": ("torque", "force", "power"),
}  # fmt: skip
"""The quantities of what is no body, by the kind of thing found."""


def _next(
    findings: Findings, before: tree.Part, part: tree.Part, here: Found, quantities: bool
) -> Found:
    name = part.name
    if here.kind == "quantity" or here.kind == "feature":
        return _axis(findings, before, part, here, quantities)
    if here.kind == "hinge" and name in ("motor", "friction"):
        return Found("coupling", None, name)
    held = _HELD.get(here.kind)
    if held is not None:
        if name in held and quantities:
            return Found("quantity", None, name)
        what = "hinge" if here.kind == "hinge" else "force"
        findings.error(
            "unknown-name", part.span, f"{what} '{before.name}' has no '{name}'",
            f"write {before.name}.motor.{name} for its motor's, {before.name}.moment for its own"
            if name == "torque" and here.kind == "hinge" else did_you_mean(name, tuple(held)),
        )  # fmt: skip
        return UNKNOWN
    kind = here.type
    if kind is None:
        return UNKNOWN
    found = _in(findings, part, kind)
    if found is not None:
        return found
    if name in kind.features:
        _no_index(findings, part)
        return Found("feature", kind, name)
    if name in kind.shapes:
        return Found("feature", kind, name)
    if quantities and name in BODY_QUANTITIES:
        return Found("quantity", None, name)
    if kind.open or kind.linked:
        return UNKNOWN
    return _first_inside(findings, part, kind, before, quantities)


_CALLED = {
    "acceleration": "a", "accel": "a", "velocity": "v", "vel": "v", "speed": "v",
    "angular_velocity": "w", "omega": "w", "angular_acceleration": "alpha",
    "height": "center.y", "altitude": "center.y", "elevation": "center.y",
    "x": "center.x", "y": "center.y", "z": "center.z", "pos": "position", "location": "position",
}  # fmt: skip
"""The path of a quantity of a body, by what others call it."""


def _first_inside(
    findings: Findings, part: tree.Part, kind: Type, before: tree.Part, quantities: bool
) -> Found:
    """Try the ways in which a component further inside may be named; report when none works."""
    name = part.name
    by_type = kind.by_type.get(name, [])
    inner = list(islice(_descendants(name, kind), _MANY))
    if by_type or inner:
        return _first(findings, part, kind, "component", quantities)
    if _somewhere_open(kind):
        return UNKNOWN
    if kind.components:
        known = (*kind.components, *kind.hinges, *kind.features)
        code, word = "unknown-component", "component or feature"
    else:
        known = (*kind.features, *kind.shapes)
        code, word = "unknown-feature", "feature"
    guess = numbered(name, kind.arrays) or closest(
        name, (*known, *BODY_QUANTITIES) if quantities else known
    )
    if quantities and name not in known:
        guess = _CALLED.get(name.lower(), guess)
    shown = [each for each in known if each.count("_") == 0 or each in known[:8]][:10]
    findings.error(
        code, part.span, f"'{before.name}' ({kind.name}) has no {word} '{name}'",
        f"did you mean '{guess}'?" if guess else f"it has {listed(shown, 'and')}",
    )  # fmt: skip
    return UNKNOWN


def _axis(
    findings: Findings, before: tree.Part, part: tree.Part, here: Found, quantities: bool
) -> Found:
    """Follow a step below a feature or a quantity: a part's face, or x, y or z."""
    kind = here.type
    if here.kind == "feature" and kind is not None:
        faces = kind.shapes.get(here.name)
        if faces is not None:
            if part.name in faces or kind.open:
                return Found("feature", None, part.name)
            findings.error(
                "unknown-feature", part.span, f"part '{here.name}' has no feature '{part.name}'",
                did_you_mean(part.name, faces),
            )  # fmt: skip
            return UNKNOWN
    inner = f"{'dissipated.' if before.name == 'dissipated' else ''}{part.name}"
    energy = before.name in ("energy", "dissipated") and inner in WORLD_QUANTITIES["energy"]
    if quantities and (energy or part.name in AXES):
        return Found("quantity", None, part.name)
    findings.error(
        "unknown-feature", part.span, f"'{before.name}' has no '{part.name}'",
        did_you_mean(part.name, AXES) if quantities else f"write '{before.name}' alone",
    )  # fmt: skip
    return UNKNOWN


def _no_index(findings: Findings, part: tree.Part, kind: Type | None = None) -> None:
    if part.index is not None:
        index = findings.source.text[part.span[0] + len(part.name) : part.span[1]]
        inner = [f"{part.name}.{each}{index}" for each in kind.arrays] if kind else ()
        findings.error(
            "wrong-index", part.span, f"'{part.name}' is not an array",
            f"write {listed(inner or (part.name,))}",
        )  # fmt: skip


def _check_index(
    findings: Findings, part: tree.Part, known: tree.Range | None, name: str,
    kind: Type | None = None,
) -> None:  # fmt: skip
    """Report a missing, needless or impossible index."""
    if known is None:
        _no_index(findings, part, kind)
        return
    low, high = _whole(known.first), _whole(known.last)
    first = low if low is not None else 1
    if part.index is None:
        findings.error(
            "wrong-index", part.span, f"'{name}' is an array; say which one is meant",
            f"write {name}[{first}]",
        )  # fmt: skip
        return
    ends = part.index
    for node in (ends.first, ends.last) if isinstance(ends, tree.Range) else (ends,):
        index = _whole(node)
        if index is None:
            continue
        below = low is not None and index < low
        if below or (high is not None and index > high):
            shown = f"{low if low is not None else 1} to {high if high is not None else 'its last'}"
            whole = f"{low if low is not None else 1}..{high}"
            meant = whole if isinstance(ends, tree.Range) else low if below else high
            last = high if high is not None else _named(findings, known.last, node)
            meant = last if index < 0 and last else meant  # counted from the end
            findings.error(
                "wrong-index", node.span, f"'{name}' goes from {shown}, {index} is not in it",
                f"write {name}[{meant}]",
            )  # fmt: skip


def _named(findings: Findings, last: tree.Expression, node: tree.Expression) -> str:
    """Return the name that stands for the last number of an array, where it is known there."""
    heads = re.findall(r"^(\w+)[ \t]+\w", findings.source.text[: node.span[0]], re.MULTILINE)
    inside = heads and heads[-1] in ("world", "composite", "figure")
    return last.simple if inside and isinstance(last, tree.Path) else ""


def _whole(node: tree.Expression) -> int | None:
    if isinstance(node, tree.Number) and node.value == int(node.value):
        return int(node.value)
    if isinstance(node, tree.Unary) and node.operator == "-":
        inner = _whole(node.operand)
        return None if inner is None else -inner
    return None
