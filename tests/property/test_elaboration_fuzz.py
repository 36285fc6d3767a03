"""No text ends in anything but findings: worlds are disturbed at random and read again."""

from __future__ import annotations

import random
import re

import pytest

from articulata.errors import WorldError
from articulata.world.document import parse
from articulata.world.files import LIBRARY
from articulata.world.language.vocabulary import FUNCTIONS, HINGES, SHAPES

SEEDS = [path.read_text() for path in sorted((LIBRARY / "gallery").glob("*.art"))]
TOKENS = re.compile(r"\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?|.", re.DOTALL)
WORDS = [
    *SHAPES, *FUNCTIONS, *HINGES, "0", "-1", "1e308", "1e-308", "(0, 0, 0)", "x", "pi", "n", "i",
    "center", "rod", "[1]", "[0]", "[1..3]", "none", "red", "/ 0", "^ 1000", "m", "deg", "fixed",
    "gravity", "velocity", "turned 90 deg about x", "at (0, 1, 0)", "scaled 2", "1..3", '"a"',
]  # fmt: skip


def disturbed(rng: random.Random) -> str:
    tokens = TOKENS.findall(rng.choice(SEEDS))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(tokens))
        match rng.randrange(4):
            case 0:
                tokens[at] = rng.choice(WORDS)
            case 1:
                del tokens[at]
            case 2:
                tokens.insert(at, f" {rng.choice(WORDS)} ")
            case _:
                tokens[at] = rng.choice(tokens)
    return "".join(tokens)


def read_all(text: str) -> None:
    """Read, check and elaborate a text; every finding must be a finding."""
    document = parse(text)
    found = document.check()
    for each in found:
        assert each.line >= 1
        assert each.column >= 1
    wrong = any(each.severity == "error" for each in found)
    try:
        for request in document.requests:
            request.elaborate()
    except WorldError:
        return
    assert not wrong or not document.requests or document.worlds


def run(seed: int, count: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        text = disturbed(rng)
        try:
            read_all(text)
        except Exception as error:
            raise AssertionError(f"{error!r} from:\n{text}") from error


def test_disturbed_worlds_end_in_findings() -> None:
    run(1986, 150)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_many_disturbed_worlds_end_in_findings(seed: int) -> None:
    run(seed, 4000)
