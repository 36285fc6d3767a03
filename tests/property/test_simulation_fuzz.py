"""No world that is simulated ends in anything but a recording or a message."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import articulata as art
from articulata.domains.control import controllers_of
from articulata.world.document import parse
from property.torn_texts import TOKENS, VALUES, WORLDS, disturbed

ABSURD = ("0", "-1", "1e308", "1e-308", "1e30", "1e-30", "-1e9", "1e6", "0.5", "7", "1e999")


def renumbered(chance: random.Random) -> str:
    """Return a world with few of its numbers exchanged, so that nearly all can be read."""
    tokens = TOKENS.findall(chance.choice(WORLDS))
    places = [place for place, token in enumerate(tokens) if token[0].isdigit()]
    for place in chance.sample(places, min(len(places), chance.choice((1, 1, 2, 3)))):
        tokens[place] = chance.choice((*ABSURD, chance.choice(VALUES)))
    return "".join(tokens)


def simulate_all(text: str, chance: random.Random) -> int:
    """Simulate a few cycles of every request of a text; return how many runs came to their end."""
    done = 0
    with suppress(art.ArticulataError):
        for request in parse(text).requests:
            if request.kind != "simulate":
                continue
            world = request.elaborate()
            value = chance.choice((0.0, 1.0, -1.0, 1e6))
            given = {
                name: lambda _t, _s, v=value: v for name in controllers_of(world, request.rules)
            }
            step = min(request.step or 0.01, 0.01)
            art.simulate(request, until=3 * step, step=step, controllers=given)
            done += 1
    return done


def run(seed: int, count: int) -> int:
    done = 0
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        text = (renumbered, disturbed)[number % 2](chance)
        try:
            done += simulate_all(text, chance)
        except Exception as error:
            raise AssertionError(
                f"text {number} of seed {seed}: {error!r} from:\n{text}"
            ) from error
    return done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_mutated_worlds_end_in_recordings_or_messages(seed: int) -> None:
    assert run(seed, 250) > 20


def test_energies_that_overflow_end_no_run() -> None:
    text = """
primitive ball {
  properties: (density: 7850)
  geometry: sphere(10 cm)
  dynamics
}
world w {
  gravity: (0, -1e200, 0)
  components b: ball
  structure { place b by b.center at (0, 5, 0) }
}
simulate w { time: (10 ms, 30 ms) }
"""
    assert len(art.simulate(parse(text).requests[0]).times) == 4


def test_a_screw_with_an_absurd_lead_ends_in_a_recording_or_a_message() -> None:
    text = next(text for text in WORLDS if "world running_nut" in text)
    absurd = text.replace("running_nut(4 cm) {", "running_nut(1e308 cm) {")
    assert absurd != text
    simulate_all(absurd, random.Random(0))
