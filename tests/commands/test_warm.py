"""``articulata warm`` prepares all that the five questions call, and so does a wheel."""

from __future__ import annotations

import subprocess
import sys

import pytest

SIMULATE = """
import sys
from importlib.resources import as_file, files
from pathlib import Path
from numba.core import event
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.simulation import simulate_file
from articulata.sessions.warming import STEPS, warm

for _ in warm(("simulate", "contact")):
    pass

class Quiet:
    def simulating(self, done, total): pass
    def writing(self, done, total): pass
    def say(self, text): pass

out = Path(sys.argv[1])
with as_file(files("articulata.world.library") / "gallery") as gallery:
    worlds = sorted(gallery.glob("*.art"))
    questions = [(world, None) for world in worlds]
    questions += [(gallery / "four_bar.art", method) for method in STEPS]
    questions += [(gallery / "linkage.art", method) for method in STEPS]
    for world, method in questions:
        wish = SimulateAsked(world, out=out / world.stem, until=0.02, step=0.01, method=method)
        with event.install_recorder("numba:compile") as compiled:
            simulate_file(wish, Quiet())
        names = {each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer}
        print(world.stem, method, "compiled", sorted(names) or "nothing")
"""

ASK = """
import sys
from numba.core import event
from articulata.app.main import app
from articulata.sessions.warming import warm

for _ in warm():
    pass
for words in (
    "pose warehouse",
    "film museum",
    "track --from emulator --seconds 16",
    "reach kitchen",
):
    with event.install_recorder("numba:compile") as compiled:
        app.run([*words.split(), "--headless", "--out", sys.argv[1]])
    names = {each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer}
    print(words, "compiled", sorted(names) or "nothing", flush=True)
"""


@pytest.mark.slow
def test_after_warming_no_world_of_the_gallery_compiles(tmp_path: object) -> None:
    result = subprocess.run(
        [sys.executable, "-c", SIMULATE, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) > 15
    assert [line for line in lines if not line.endswith("compiled nothing")] == []


@pytest.mark.slow
def test_after_warming_no_question_about_what_ships_compiles(tmp_path: object) -> None:
    result = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if " compiled " in line]
    assert len(lines) == 4
    assert [line for line in lines if not line.endswith("compiled nothing")] == []
