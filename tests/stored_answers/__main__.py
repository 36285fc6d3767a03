"""``python -m stored_answers record|compare [ROOM ...]``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator

from . import film, inverse, language, pose, reach, simulate, track
from .store import Question, asked, differences, kept, record

ROOMS: dict[str, Callable[[], Iterator[Question]]] = {
    "language": language.questions,
    "inverse": inverse.questions,
    "simulate": simulate.questions,
    "reach": reach.questions,
    "pose": pose.questions,
    "track": track.questions,
    "film": film.questions,
}


def compare(
    room: str, questions: Iterator[Question], share: Container[str] | None = None
) -> list[str]:
    """Return what differs from the stored answers of a room (of a share of them), in lines."""
    before = {n: answer for n, answer in kept(room).items() if share is None or n in share}
    found = []
    for name, question in questions:
        if name not in before:
            found.append(f"{room}: {name}: was not asked before")
            continue
        found += [
            f"{room}: {name}: {each}" for each in differences(before.pop(name), asked(question))
        ]
    return [*found, *(f"{room}: {name}: is not asked any more" for name in before)]


def main(words: list[str]) -> int:
    """Record or compare; return the exit status."""
    if not words or words[0] not in ("record", "compare"):
        print(__doc__)
        return 2
    rooms = words[1:] or list(ROOMS)
    wrong = []
    for room in rooms:
        if words[0] == "record":
            print(f"{room}: {record(room, ROOMS[room]())} answers", flush=True)
        else:
            wrong += compare(room, ROOMS[room]())
            print(f"{room}: {len(wrong)} differ so far", flush=True)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
