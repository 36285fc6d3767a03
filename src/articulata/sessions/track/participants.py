"""Who takes part in a session, by what a command, a take and a text say: figure, body, weapon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.analyses.track.weapon import STATES
from articulata.errors import ArticulataError, WorldError
from articulata.records.recording import load
from articulata.sessions.track.figures import choice_of
from articulata.sessions.track.sources import TABLE
from articulata.world.requests.choices import DeviceChoice, FigureChoice
from articulata.world.requests.track import TrackQuestion

NONE = "none"
"""The word for no weapon, and for no calibration."""


@dataclass(frozen=True, slots=True)
class Participant:
    """What is asked for of one person; ``stations`` None where the command says nothing.

    ``body`` is what trunk and legs do, ``weapon`` how one is carried, "" for none.
    """

    figure: FigureChoice
    stations: str | None
    body: str
    weapon: str


def participants(
    sources: Mapping[str, Sequence[DeviceChoice]],
    question: TrackQuestion,
    *,
    figures: Sequence[str] = (),
    stations: Sequence[str] = (),
    body: str | None = None,
    weapon: str | None = None,
    by_takes: bool = False,
) -> dict[str, Participant]:
    """Return what is asked for of each person whose sources these are.

    What a command says goes before the person's take, where that counts, and this before the
    text's question. ``figures`` and ``stations`` are everybody's, or one person's where they begin
    with NAME=. Raises ArticulataError for what cannot be understood.
    """
    of_figures = _of_each(figures, tuple(sources), "--figure")
    of_stations = _of_each(stations, tuple(sources), "--stations")
    found = {}
    for who, chosen in sources.items():
        text = of_figures[who]
        taken = _of_take(chosen, who) if by_takes and text is None else _Taken()
        found[who] = Participant(
            (taken.figure or question.figure) if text is None else choice_of(text),
            of_stations[who],
            body or taken.body or question.body,
            _weapon(weapon or taken.weapon or question.weapon),
        )
    return found


def _weapon(word: str) -> str:
    """Return how a weapon is carried; "" for none."""
    if word not in (*STATES, NONE):
        raise ArticulataError(f"--weapon {word!r}: a weapon is {', '.join(STATES)}, or {NONE}")
    return "" if word == NONE else word


def _of_each(words: Sequence[str], names: Sequence[str], option: str) -> dict[str, str | None]:
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

    figure: FigureChoice | None = None
    body: str = ""
    weapon: str = ""


def _of_take(sources: Sequence[DeviceChoice], who: str) -> _Taken:
    """Return what somebody's take tells of him."""
    for source in sources:
        if source.name == "file" and Path(str(source.port)).suffix != TABLE:
            settings = load(Path(str(source.port))).header.settings
            text, body, weapon = (
                str(settings.get(f"{who} {key}", settings.get(key)) or "")
                for key in ("figure", "body", "weapon")
            )
            return _Taken(_known(text, str(source.port)) if text else None, body, weapon)
    return _Taken()


def _known(text: str, take: str) -> FigureChoice:
    """Return the figure of the library that a take was made with."""
    try:
        return choice_of(text)
    except WorldError as error:
        raise ArticulataError(
            f"{take} was made with figure {text}, which the library does not have: play it with the"
            f" text of that figure, as in articulata track me.art --from {take}, or as another one"
            " by --figure"
        ) from error
