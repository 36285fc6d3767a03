"""Who takes part in a session, by what a command, a take and a text say: figure, body, weapon."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.analyses.track.weapon import STATES
from articulata.errors import ArticulataError, WorldError
from articulata.records.recording import load
from articulata.sessions.track.tracked_figures import choice_of
from articulata.world.figures.shelf import shelf
from articulata.world.requests.choices import DeviceChoice, FigureChoice
from articulata.world.requests.track import TrackQuestion

NONE = "none"
"""The word for no weapon, and for no calibration."""


@dataclass(frozen=True, slots=True)
class Participant:
    """What is asked for of one person.

    ``body`` is what trunk and legs do, ``weapon`` how one is carried, "" for none; ``released``
    are the sides of hands that let it go.
    """

    figure: FigureChoice
    body: str
    weapon: str
    released: str = ""


def participants(
    sources: Mapping[str, Sequence[DeviceChoice]],
    question: TrackQuestion,
    *,
    figures: Sequence[str] = (),
    body: str | None = None,
    weapon: str | None = None,
    by_takes: Collection[str] = (),
) -> dict[str, Participant]:
    """Return what is asked for of each person whose sources these are.

    What a command says goes before the takes of those who are named in ``by_takes``, and these
    before the text's question. ``figures`` are everybody's, or one person's where they begin with
    NAME=. Raises ArticulataError for what cannot be understood.
    """
    of_figures = of_each(figures, tuple(sources), "--figure")
    found = {}
    for who, chosen in sources.items():
        text = of_figures[who]
        taken = _of_take(chosen, who) if who in by_takes else _Taken()
        if text is not None:
            figure = choice_of(text)
        else:
            figure = _known(taken) if taken.figure else question.figure
        found[who] = Participant(
            figure,
            body or taken.body or question.body,
            _weapon(weapon or taken.weapon or question.weapon),
            "" if weapon else taken.released,
        )
    return found


def _weapon(word: str) -> str:
    """Return how a weapon is carried; "" for none."""
    if word not in (*STATES, NONE):
        raise ArticulataError(f"--weapon {word!r}: a weapon is {', '.join(STATES)}, or {NONE}")
    return "" if word == NONE else word


def of_each(words: Sequence[str], names: Sequence[str], option: str) -> dict[str, str | None]:
    """Return what an option says of each person: NAME=... of one, else what it says of all."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, rest = word.partition("=")
        name = name.strip() if equals and name.strip().isidentifier() else ""
        if name and name not in names:
            known = (
                f"give one of {', '.join(names)}"
                if any(names)
                else f"give the sources names, as in --from {name}=emulator"
            )
            raise ArticulataError(f"{option} {word!r}: nobody is called {name}; {known}")
        if name in found:
            raise ArticulataError(
                f"{option} is given twice{f' for {name}' if name else ''}; give it once, or once"
                f" for each person, as in {option} NAME=..."
            )
        found[name] = rest if name else word
    return {name: found.get(name, found.get("")) for name in names}


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a take tells: its figure, what the body did and how a weapon was carried at first."""

    take: str = ""
    figure: str = ""
    body: str = ""
    weapon: str = ""
    released: str = ""


def _of_take(sources: Sequence[DeviceChoice], who: str) -> _Taken:
    """Return what somebody's take tells of him."""
    for source in sources:
        if source.name == "file" and Path(str(source.port)).suffix == ".artrun":
            settings = load(Path(str(source.port))).header.settings
            told = (
                str(settings.get(f"{who} {key}", settings.get(key)) or "")
                for key in ("figure", "body", "weapon", "released")
            )
            return _Taken(str(source.port), *told)
    return _Taken()


def _known(taken: _Taken) -> FigureChoice:
    """Return the figure of the library that a take was made with."""
    text, take = taken.figure, taken.take
    try:
        return choice_of(text)
    except WorldError as error:
        known = text.partition("(")[0].strip() in shelf()
        why = f"which cannot be made: {error}" if known else "which the library does not have"
        raise ArticulataError(
            f"{take} was made with figure {text}, {why}. Play it with the text of that figure, as"
            f" in articulata track me.art --from {take}, or as another one by --figure"
        ) from error
