"""``contact:`` and ``method:`` of a request: how bodies collide, rub and move, as data.

Each choice is a word and the values after it by their kinds: ``("lagged", "time", 0.01)``,
``("iterated", "count", 5.0)``, ``("poisson",)``. A method is its name and pairs of its options'
names and values: ``("stepping", ("step", 0.002))``. Times are in s.
"""

from __future__ import annotations

from articulata.world.language.checking.patterns import fit
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import METHODS, WORDS
from articulata.world.requests.request import MOST_ITERATIONS, OptionValue
from articulata.world.requests.simulate import FRICTION_RULES, IMPACT_LAWS, SIMULATE

MOST_ROUNDS = 1000


def contact_choices(scope: Scope, clause: t.Clause) -> tuple[OptionValue, ...]:
    """Return the choices of a clause, each said once."""
    found: list[OptionValue] = []
    said: dict[str, str] = {}
    for item in clause.items:
        choice = _choice(scope, item)
        word = str(choice[0])
        about = "a law of impact" if word in IMPACT_LAWS else f"'{word}'"
        about = "a rule of friction" if word in FRICTION_RULES else about
        if about in said:
            raise scope.fail(
                item,
                "duplicate",
                f"{about} is chosen already: '{said[about]}'",
                "remove one of them",
            )
        said[about] = word
        found.append(choice)
    return tuple(found)


def _choice(scope: Scope, item: t.Item) -> tuple[OptionValue, ...]:
    patterns = SIMULATE["contact"].patterns
    fitting = fit(item, patterns)
    if not fitting.ok:
        raise scope.fail(
            item,
            "unknown-word",
            "this says nothing of contact",
            f"write {', '.join(patterns)}",
        )
    word = fitting.words[0]
    values: list[OptionValue] = [word]
    for each in fitting.values:
        values += [each.kind, _value(scope, word, each.kind, each.node)]
    return tuple(values)


def _value(scope: Scope, word: str, kind: str, node: t.Expression) -> float:
    if kind == "count":
        count = scope.whole(node, "a number of rounds")
        if not 1 <= count <= MOST_ROUNDS:
            raise scope.fail(
                node, "out-of-range", f"rounds lie from 1 to {MOST_ROUNDS}, not at {count}"
            )
        return float(count)
    value = scope.number(node, kind)
    if kind == "time" and value <= 0.0:
        raise scope.fail(node, "not-positive", f"a time must be greater than 0, not {value:g} s")
    if value < 0.0:
        raise scope.fail(node, "negative", f"{word} must not be negative, as {value:g} is")
    if word == "restitution" and value > 1.0:
        raise scope.fail(
            node,
            "out-of-range",
            f"a coefficient of restitution lies from 0 to 1, not at {value:g}",
        )
    return value


def method_choices(scope: Scope, clause: t.Clause) -> tuple[OptionValue, ...]:
    """Return the method of a clause and the options it is given."""
    node = clause.items[0].parts[0]
    path = node.function if isinstance(node, t.Call) else node
    made = METHODS.get(path.text.lower()) if isinstance(path, t.Path) else None
    if made is None:
        raise scope.fail(node, "unknown-name", "this is no method", f"write {', '.join(METHODS)}")
    given: dict[str, OptionValue] = {}
    slots = {slot.name: slot for slot in made.slots}
    for argument in node.arguments if isinstance(node, t.Call) else ():
        left = (name for name in slots if name not in given)
        name = argument.name or next(left, "")
        if name not in slots:
            raise scope.fail(argument, "unknown-option", f"method '{made.name}' takes no '{name}'")
        given[name] = _setting(scope, name, slots[name].kind, argument.value)
    return (made.name, *given.items())


def _setting(scope: Scope, name: str, kind: str, node: t.Expression) -> OptionValue:
    """Return the value of a method's option."""
    if kind in WORDS:
        word = node.simple.lower() if isinstance(node, t.Path) else ""
        if word not in WORDS[kind]:
            raise scope.fail(node, "unknown-word", f"{name} is one of {', '.join(WORDS[kind])}")
        return word == "yes" if kind == "choice" else word
    value = float(scope.whole(node, name)) if kind == "count" else scope.number(node, kind)
    if value <= 0.0:
        raise scope.fail(node, "not-positive", f"{name} must be greater than 0, not {value:g}")
    if kind == "count" and value > MOST_ITERATIONS:
        raise scope.fail(
            node, "too-large", f"{name} lies from 1 to {MOST_ITERATIONS:,}, not at {value:g}"
        )
    return value
