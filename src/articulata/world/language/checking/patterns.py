"""Patterns of a request's items: ``animation [every <time>]``, and how an item fits them.

``fit`` tells which pattern an item follows and gives the values that stand for ``<kind>``, or
says which part does not fit. The checker and whoever carries a request out use the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from articulata.world.language.syntax import tree


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pattern: a word, or a value of a kind; ``optional`` with those after it."""

    word: str = ""
    kind: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Fit:
    """How an item fits a pattern: the values with their kinds, or where it goes wrong.

    ``reached`` counts the parts that fit. When something is wrong ``expected`` are the words or
    kinds (in angle brackets) that could stand at part ``reached``.
    """

    pattern: str
    values: tuple[tuple[str, tree.Expression], ...] = ()
    reached: int = 0
    expected: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the item follows the pattern."""
        return not self.expected

    @property
    def words(self) -> tuple[str, ...]:
        """The fixed words of the pattern, without those that may be left out."""
        return tuple(step.word for step in steps(self.pattern) if step.word and not step.optional)


@lru_cache(maxsize=256)
def steps(pattern: str) -> tuple[Step, ...]:
    """Return the steps of a pattern."""
    result = []
    optional = False
    for word in pattern.replace("[", " [ ").replace("]", " ] ").split():
        if word in "[]":
            optional = word == "["
        elif word.startswith("<"):
            result.append(Step(kind=word[1:-1], optional=optional))
        else:
            result.append(Step(word=word, optional=optional))
    return tuple(result)


def word_of(node: tree.Expression) -> str:
    """Return the word that a part of an item is, or ``""`` for a value."""
    return node.simple if isinstance(node, tree.Path) else ""


def could_be(node: tree.Expression, kind: str) -> bool:
    """Say whether a part of an item has the form of a value of ``kind``."""
    match kind:
        case "time" | "length" | "number" | "count":
            return not isinstance(node, tree.Text | tree.Tuple) and not (
                isinstance(node, tree.Path) and len(node.parts) > 1
            )
        case "point":
            return isinstance(node, tree.Tuple) or bool(word_of(node))
        case "times":
            return isinstance(node, tree.Tuple)
        case "domains":
            return isinstance(node, tree.Tuple | tree.Path)
        case "path":
            return isinstance(node, tree.Path)
        case "name" | "device" | "figure":
            return isinstance(node, tree.Path)
        case "joint":
            return isinstance(node, tree.Path | tree.Text)
        case "text":
            return isinstance(node, tree.Text)
        case "world" | "method":
            return isinstance(node, tree.Path | tree.Call)
        case _:
            return True


def fit(item: tree.Item, patterns: tuple[str, ...]) -> Fit:
    """Return how ``item`` fits the pattern it fits best."""
    fits = [_fit(item, pattern) for pattern in patterns]
    best = max(fits, key=lambda each: (each.ok, each.reached))
    if best.ok:
        return best
    expected = tuple(
        dict.fromkeys(
            word for each in fits if each.reached == best.reached for word in each.expected
        )
    )
    return Fit(best.pattern, best.values, best.reached, expected)


def _fit(item: tree.Item, pattern: str) -> Fit:
    values: list[tuple[str, tree.Expression]] = []
    parts = item.parts
    i = 0
    skipping = False
    skipped: list[str] = []
    for step in steps(pattern):
        if not step.optional:
            skipping = False
        if skipping:
            continue
        shown = step.word or f"<{step.kind}>"
        if i < len(parts) and (
            word_of(parts[i]) == step.word if step.word else could_be(parts[i], step.kind)
        ):
            # "[<number>] torque": a word that the pattern needs next is not the number
            if step.optional and step.kind and word_of(parts[i]) and _needed(pattern, parts[i]):
                skipping = True
                skipped.append(shown)
                continue
            if step.kind:
                values.append((step.kind, parts[i]))
            i += 1
        elif step.optional and not (values and step.kind and i > 0 and not step.word):
            skipping = True
            skipped.append(shown)
        else:
            return Fit(pattern, tuple(values), i, (*skipped, shown))
    if i < len(parts):
        return Fit(pattern, tuple(values), i, (*skipped, "the end"))
    return Fit(pattern, tuple(values), i)


def _needed(pattern: str, node: tree.Expression) -> bool:
    return any(step.word == word_of(node) for step in steps(pattern))
