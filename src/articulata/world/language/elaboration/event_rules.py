"""``on`` clauses of a request as rules: conditions as data in SI, actions with their operands.

A clause that joins or adds something holds a piece of a world. ``made_by`` finds its edits by
elaborating the world once with and once without that piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.figure_edits import AddFigure
from articulata.world.edits.force_edits import AddDrive, AddForce, SetCouplings
from articulata.world.edits.motion_edits import motion_of
from articulata.world.edits.pair_edits import SetPair
from articulata.world.edits.structure_edits import AddBody, AddComponent, MakeHinge
from articulata.world.edits.transaction import Edit
from articulata.world.edits.value_edits import check_value
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.expression_data import (
    Made,
    condition_of,
    option_value,
    path_text,
)
from articulata.world.language.elaboration.hinging import strength_of
from articulata.world.language.elaboration.pair_statements import pair_of
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import (
    CONDITION_FUNCTIONS,
    EVENT_QUANTITIES,
    SETTABLE,
)
from articulata.world.masses import body_mass
from articulata.world.model import World
from articulata.world.paths import Reference, resolve, resolve_hinge
from articulata.world.requests.request import Action, OptionValue, Report, Rule

WORDS = ("break", "limit", "saturation", "regulation")
ONCE = ("set", "break", "remove", "place")
"""Actions that a clause can mean once of one thing."""

_EXAMPLES = (
    "write contact(a, b), impact(a, b) with impulse > 3 N*s, separation(a, b), break h, "
    "settled(a), time 2 s or a comparison"
)


def rule_of(scope: Scope, item: t.On, made: Made) -> Rule:
    """Return a clause as a rule; ``made`` gives the world that it is about."""
    kind, operands, given = _event(scope, item.event, made)
    actions = tuple(_action(scope, each) for each in item.actions)
    for k, action in enumerate(actions):
        if action.verb in ONCE and any(_same(action, other) for other in actions[:k]):
            raise scope.fail(
                item.actions[k],
                "duplicate",
                f"this clause says '{action.verb} {action.operands[0]}' twice for one instant",
                "keep one of them",
            )
    return Rule(kind, operands, actions, span_of(scope.source, item.span), given)


def _same(one: Action, other: Action) -> bool:
    return one.verb == other.verb and one.operands[0] == other.operands[0]


def _event(
    scope: Scope, item: t.Item, made: Made
) -> tuple[str, tuple[OptionValue, ...], OptionValue | None]:
    """Return an event's kind, what it is about, and the condition that it has to meet."""
    first, rest = item.parts[0], item.parts[1:]
    if isinstance(first, t.Call) and first.function.text not in CONDITION_FUNCTIONS:
        about = tuple(option_value(scope, each.value) for each in first.arguments)
        return first.function.text, about, _given(scope, item, rest, made)
    if isinstance(first, t.Path) and first.simple == "time" and len(rest) == 1:
        return "time", (scope.number(rest[0], "time"),), None
    if isinstance(first, t.Path) and first.simple in WORDS and rest:
        about = (option_value(scope, rest[0]),)
        return first.simple, about, _given(scope, item, rest[1:], made)
    if isinstance(first, t.Binary | t.Unary | t.Call) and not rest:
        condition = condition_of(scope, first, made)
        assert isinstance(condition, tuple)
        return "condition", condition, None
    raise scope.fail(item, "unknown-word", "this is no event", _EXAMPLES)


def _given(
    scope: Scope, item: t.Item, rest: tuple[t.Expression, ...], made: Made
) -> OptionValue | None:
    if not rest:
        return None
    word = rest[0]
    if isinstance(word, t.Path) and word.simple == "with" and len(rest) == 2:
        return condition_of(scope, rest[1], made, event=True)
    raise scope.fail(item, "unknown-word", "this is no event", _EXAMPLES)


# ---- actions


def _action(scope: Scope, item: t.Action) -> Action:
    """Return an action as data; what makes new parts keeps its canonical text."""
    span = span_of(scope.source, item.span)
    match item:
        case t.Break():
            return Action("break", (path_text(scope, item.target),), span)
        case t.Remove():
            return Action("remove", (path_text(scope, item.target),), span)
        case t.Set():
            return Action("set", (path_text(scope, item.target), _value(scope, item)), span)
        case t.Ignore() | t.Heed():
            verb = "ignore" if isinstance(item, t.Ignore) else "heed"
            pair = path_text(scope, item.first), path_text(scope, item.second)
            return Action(verb, pair, span)
        case t.Start():
            return Action("start", (path_text(scope, item.target),), span)
        case t.Stop():
            return Action("stop", (), span)
        case t.MaterialPair():
            # the checker has found its names
            said = pair_of(scope, item, lambda path: path.names[-1])
            return Action("contact", (said.first, said.second), span, (SetPair(said),))
        case t.Place():
            return _place(scope, item)
        case t.Join() if not item.matching:
            ends = path_text(scope, item.first), path_text(scope, item.second)
            name = item.name or "_".join(each.replace(".", "_") for each in ends)
            strength: tuple[OptionValue, ...] = ()
            if item.strength is not None:
                borne = strength_of(scope, item.strength)
                strength = tuple(-1.0 if each is None else each for each in borne)
            return Action("weld", (name, *ends, *strength), span)
        case _:
            verb = "add" if isinstance(item, t.Add) else "join"
            start, end = item.span
            words = scope.source.text[max(0, start) : max(0, end)].split()
            return Action(verb, (" ".join(words),), span)


def _value(scope: Scope, item: t.Set) -> OptionValue:
    """Return the value of a ``set`` in SI units."""
    name = item.target.parts[-1].name
    kind = SETTABLE.get(name, "number")
    if name in ("v", "w"):
        return scope.vector(item.value, kind)
    if kind == "gravity":
        return scope.vector(item.value, "acceleration")
    if kind == "strength":
        return tuple(-1.0 if each is None else each for each in strength_of(scope, item.value))
    if kind in ("number", "density"):
        number = scope.number(item.value, kind)
        try:
            check_value(item.target.text, name, number)
        except WorldError as error:
            raise scope.fail(item.value, "out-of-range", str(error)) from None
        return number
    return option_value(scope, item.value)


def _place(scope: Scope, item: t.Place) -> Action:
    clause = item.clauses[0]
    if len(item.clauses) > 1 or not isinstance(clause, t.PlaceAt) or clause.turns:
        raise scope.fail(
            item,
            "wrong-kind",
            "during a run a component is placed by one point",
            "write place A by A.center at (0, 1, 0)",
        )
    at = scope.vector(clause.at, "length")
    operands = (path_text(scope, item.target), path_text(scope, clause.path), at)
    return Action("place", operands, span_of(scope.source, item.span))


# ---- what a world has to offer


def unread(scope: Scope, rules: tuple[Rule, ...], items: tuple[t.On, ...], world: World) -> None:
    """Note quantities in conditions and motions to be started that ``world`` does not have."""
    added: set[str] = set()
    for action in (each for item in items for each in item.actions):
        if isinstance(action, t.Add):
            added |= {name.name for name in action.component.names}
        elif isinstance(action, t.Join) and action.name is not None:
            added.add(action.name)
    for rule, item in zip(rules, items, strict=False):
        _unmoved(scope, item, world, added)
        if rule.event in WORDS[1:]:
            with suppress(NameNotFound):
                hinge = world.hinges[resolve_hinge(world, str(rule.operands[0]))]
                motor = world.couplings.get(f"{hinge.id}.motor")
                message = hint = ""
                if rule.event == "limit" and not hinge.limits:
                    message = f"hinge '{hinge.id}' has no limits to reach"
                    hint = "write limits (low, high) in its join"
                limited = motor is not None and motor.limit is not None
                limited |= any(
                    each.hinge == hinge.id and bool(each.integral) and each.bounds is not None
                    for each in world.forces.values()
                )
                if rule.event != "limit" and not limited:
                    message = f"hinge '{hinge.id}' has no motor with a limit"
                    hint = "write driven by motor(speed: 60 rpm, limit: 5 N*m) in its join"
                if message:
                    scope.notes.add(scope.source, item.event.span, "missing-clause", message, hint)
        conditions = [rule.operands] if rule.event == "condition" else []
        if rule.given is not None and isinstance(rule.given, tuple):
            conditions.append(rule.given)
        for path in dict.fromkeys(name for each in conditions for name in _named(each)):
            owner = path.partition(".")[0].partition("[")[0]
            if owner in added or (rule.given is not None and path in EVENT_QUANTITIES):
                continue
            try:
                found = resolve(world, path)
            except NameNotFound as error:
                scope.notes.add(scope.source, item.event.span, "unknown-name", str(error))
                continue
            message = _lacking(world, path, found)
            if message:
                scope.notes.add(scope.source, item.event.span, "wrong-kind", message)


def unmeasured(
    scope: Scope, reports: tuple[Report, ...], clause: t.Clause | None, world: World
) -> None:
    """Note coordinates to be monitored of hinges that do not have them."""
    for report, item in zip(reports, () if clause is None else clause.items, strict=True):
        with suppress(NameNotFound):  # what a clause adds is known when it does
            found = resolve(world, report.path or "")
            part = found.kind == "hinge" and found.quantity
            message = _lacking(world, report.path or "", found) if part else ""
            if report.kind == "monitor" and message:
                has = world.hinges[found.id].kind.coordinates
                meant = " or ".join(f"{found.id}.{each}" for each in has) or "another quantity"
                scope.notes.add(
                    scope.source, item.parts[-1].span, "wrong-kind", message, f"monitor {meant}"
                )


def _unmoved(scope: Scope, item: t.On, world: World, added: set[str]) -> None:
    """Note what a clause starts that is no motion of a figure of ``world``."""
    for action in item.actions:
        if not isinstance(action, t.Start) or action.target.parts[0].name in added:
            continue
        try:
            motion_of(world, path_text(scope, action.target))
        except NameNotFound as error:
            message, _, hint = str(error).partition("; ")
            span = action.target.parts[-1].span
            scope.notes.add(scope.source, span, "unknown-name", message, hint)


def _lacking(world: World, path: str, found: Reference) -> str:
    """Return what keeps a path from being a quantity of ``world``; nothing where it is one."""
    if found.quantity is None and found.axis is None:
        return f"'{path}' names a {found.kind}, not a quantity"
    if found.kind == "hinge" and found.quantity in ("angle", "travel", "rate"):
        kind = world.hinges[found.id].kind
        if not kind.coordinates or found.quantity not in (*kind.coordinates, "rate"):
            has = ", ".join(kind.coordinates) or "no coordinate"
            return f"hinge '{found.id}' ({kind.name}) has no '{found.quantity}'; it has {has}"
    weighed = found.kind == "body" and found.quantity in ("energy", "momentum")
    if weighed and body_mass(world.bodies[found.id]) is None:
        return f"body '{found.id}' has no mass, so it has no '{found.quantity}'"
    return ""


def _named(condition: OptionValue) -> Iterator[str]:
    """Yield the paths that a condition reads."""
    if isinstance(condition, str):
        yield condition
    elif isinstance(condition, tuple):
        for each in condition[1:]:
            yield from _named(each)


# ---- what joins and adds make

Elaborate = Callable[[t.World], World | None]


def made_by(rule: Rule, item: t.On, world: t.World, elaborate: Elaborate) -> Rule:
    """Return ``rule`` with the edits of its joins and adds filled in."""
    if not any(action.verb in ("join", "add") for action in rule.actions):
        return rule
    before = elaborate(world)
    actions: list[Action] = []
    for action, node in zip(rule.actions, item.actions, strict=True):
        if before is None or action.verb not in ("join", "add"):
            actions.append(action)
            continue
        world = _with(world, node)
        after = elaborate(world)
        if after is None:
            raise Abandon
        closing = isinstance(node, t.Join) and node.closing
        actions.append(replace(action, edits=_new(before, after, closing)))
        before = after
    return replace(rule, actions=tuple(actions))


def _with(world: t.World, node: t.Action) -> t.World:
    """Return a world that holds from the start what an action makes."""
    if isinstance(node, t.Join):
        return replace(world, structure=(*world.structure, node))
    assert isinstance(node, t.Add)
    components = (*world.components, node.component)
    structure = world.structure
    if node.clauses:
        name = node.component.names[0]
        target = t.Path((t.Part(name.name, None, span=name.span),), span=name.span)
        structure = (*structure, t.Place(target, node.clauses, span=node.span))
    return replace(world, components=components, structure=structure)


def _new(before: World, after: World, closing: bool) -> tuple[Edit, ...]:
    """Return the edits that add to ``before`` what ``after`` has besides."""
    made: list[Edit] = []
    figures = [
        node for n, node in after.figures.items() if n not in before.figures and node.carriers
    ]
    own = {id for node in figures for id in (node.id, *node.carriers, *node.joined)}
    for name, component in after.components.items():
        if name not in before.components and name not in own:
            made.append(AddComponent(replace(component, children=())))
    made += [AddBody(after.bodies[n]) for n in after.bodies if n not in {*before.bodies, *own}]
    for node in figures:
        bodies = tuple(after.bodies[id] for id in node.carriers)
        made.append(AddFigure(node, bodies, tuple(after.hinges[id] for id in node.joined)))
    hinges = [after.hinges[n] for n in after.hinges if n not in {*before.hinges, *own}]
    made += [MakeHinge(hinge, closing=closing) for hinge in hinges]
    made += [AddForce(after.forces[n]) for n in after.forces if n not in before.forces]
    made += [AddDrive(after.drives[n]) for n in after.drives if n not in before.drives]
    if fresh := [each for n, each in after.couplings.items() if n not in before.couplings]:
        made.append(SetCouplings((*before.couplings.values(), *fresh)))
    return tuple(made)
