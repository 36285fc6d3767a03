"""Which argument goes to which parameter, and what does not fit."""

from __future__ import annotations

from collections.abc import Collection

from articulata.world.language.diagnostics import Findings, closest, did_you_mean, listed
from articulata.world.language.source import Span
from articulata.world.language.syntax.tree import Argument, Expression, Path, Text
from articulata.world.language.vocabulary import COLORS, CONSTANTS, Signature, Slot


def argument_errors(
    findings: Findings,
    signature: Signature,
    arguments: tuple[Argument, ...],
    at: Span,
    label: str,
    known: Collection[str] = (),
) -> list[tuple[Slot, Argument]]:
    """Return each argument with its parameter; report those that have none, and what is missing.

    ``at`` is where a missing argument is reported, ``label`` names what takes the arguments. A word
    for a value of a parameter is one where ``known``, the names that are defined, does not hold it.
    """
    slots = {slot.name: slot for slot in signature.slots}
    matched: list[tuple[Slot, Argument]] = []
    taken: set[str] = set()
    position = 0
    extra: list[Argument] = []
    misnamed = False
    said: set[int] = set()
    for argument in arguments:
        word = written_word(argument.value)
        slot = None if word in known else _slot_of(signature, argument.name, word)
        if slot is not None:
            said.add(id(argument))
        elif word and _misses(findings, signature, argument, word, known):
            continue
        elif argument.name is not None:
            slot = slots.get(argument.name)
            if slot is None:
                misnamed = True
                guess = closest(argument.name, tuple(slots))
                span = (argument.span[0], argument.span[0] + len(argument.name))
                findings.error(
                    "unknown-option", span, f"{label} takes no '{argument.name}'",
                    did_you_mean(argument.name, tuple(slots), _instead(tuple(slots))),
                )  # fmt: skip
                if guess and guess not in taken:
                    taken.add(guess)
                    matched.append((slots[guess], argument))
                continue
        else:
            while position < len(signature.slots) and signature.slots[position].name in taken:
                position += 1
            if position >= len(signature.slots):
                extra.append(argument)
                continue
            slot = signature.slots[position]
        if slot.name in taken and not slot.many:
            span = (argument.span[0], argument.span[0] + len(argument.name or " "))
            findings.error("duplicate", span, f"'{slot.name}' is given twice", "remove one of them")
            continue
        if slot.many:
            matched.append((slot, argument))
            taken.discard(slot.name)
            continue
        taken.add(slot.name)
        matched.append((slot, argument))
    given = {slot.name for slot, _ in matched}
    matched = [each for each in matched if id(each[1]) not in said]
    missing = [
        slot.name for slot in signature.slots if not slot.optional and slot.name not in given
    ]
    if extra and extra[0] in arguments[:-1]:
        pass  # stands for a value that is missing, which the parser has said
    elif extra:
        findings.error(
            "wrong-count", extra[0].span,
            f"{label} takes {_count(signature)}, {len(arguments)} are given",
            f"write {signature}" if signature.slots else "remove the parentheses",
        )  # fmt: skip
    elif missing and not misnamed:
        findings.error(
            "wrong-count", at,
            f"{label} lacks {_these(missing)}",
            f"write {signature}",
        )  # fmt: skip
    return matched


def _slot_of(signature: Signature, name: str | None, word: str) -> Slot | None:
    """Return the parameter of which ``word`` says a value; a ``name`` has to be its own."""
    return next((s for s in signature.slots if word in s.words and name in (None, s.name)), None)


def _misses(
    findings: Findings, signature: Signature, argument: Argument, word: str, known: Collection[str]
) -> bool:
    """Report a word that says no value where some words do; return whether it does."""
    slots = [s for s in signature.slots if s.words and argument.name in (None, s.name)]
    words = [each for slot in slots for each in slot.words]
    taken = word in known or word in CONSTANTS or word in COLORS or closest(word, tuple(known))
    if not words or (taken and argument.name is None):
        return False
    slot = slots[0]
    findings.error(
        "unknown-word", argument.value.span, f"'{word}' says no value of '{slot.name}'",
        did_you_mean(word, words, f"write {' or '.join(slot.words)}"),
    )  # fmt: skip
    return True


def written_word(value: Expression) -> str:
    """Return the word that a value is, bare or in quotes; "" for other values."""
    if isinstance(value, Text):
        return value.value
    return value.simple if isinstance(value, Path) else ""


def _these(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _count(signature: Signature) -> str:
    few, many = signature.fewest, signature.most
    if many == 0:
        return "no arguments"
    if few == many:
        return f"{few} argument{'s' if few > 1 else ''}"
    return (
        f"{few} to {many} arguments" if few else f"at most {many} argument{'s' if many > 1 else ''}"
    )


def _instead(names: tuple[str, ...]) -> str:
    """Return what to do with an argument of a name that resembles none of ``names``."""
    return f"remove it, or use {listed(names)}" if names else "remove it"
