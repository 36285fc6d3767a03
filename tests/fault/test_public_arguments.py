"""Every function of the public face, given what it does not take: one message, no traceback.

Asked in a process of its own: where shapes are checked functions lose their signatures.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ASKING = '''
import inspect
import warnings
from typing import Any
import numpy as np
import articulata as art
from articulata.world.taken import explained

warnings.simplefilter("ignore")
BALL = """primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics }
world w { gravity: (0, -9.81, 0); components b: ball }
"""
world = art.parse(BALL).world("w")
WRONG = [None, 3, "x.art", [], world, np.full(3, np.nan), np.zeros((2, 5, 1)), object()]
TAKES_A_WORLD = ("art_text", "assemble", "equations", "reach")
SERVES = ("connect", "view")  # these open a port, and wait
asked = 0
for name in art.__all__:
    function = getattr(art, name)
    if not inspect.isfunction(function) or name in SERVES:
        continue
    asked += 1
    found = inspect.signature(function).parameters.values()
    never = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    due = [each for each in found if each.default is each.empty and each.kind not in never]
    for value in WRONG:
        if value is world and name in TAKES_A_WORLD:
            continue
        places = [value for each in due if each.kind is not each.KEYWORD_ONLY]
        named = {each.name: value for each in due if each.kind is each.KEYWORD_ONLY}
        try:
            function(*places, **named)
        except art.ArticulataError:
            pass
        except Exception as error:
            print(f"{name} of {value!r}: {type(error).__name__}: {error}")
print(asked > 50)


def said(call, *given):
    try:
        getattr(art, call)(*given)
    except (art.ArticulataError, TypeError) as error:
        print(error)


said("reba", 3)
said("art_text", None)
said("table", "a.artrun", ["p"])
said("plot_front", "a.artpose")
said("composite_lifting_index", [1])
said("tracked_body", [])
said("aligned", np.zeros((2, 5, 1)))
said("reba")


def broken(world: "World") -> None:
    raise AttributeError("a mistake of ours")


try:
    explained("broken", broken)(world)
except AttributeError as error:
    print(error)
'''
SAID = """True
reba takes art.BodyAngles as 'body', not int
art_text takes art.World as 'world', not NoneType
table takes art.Recording as 'recording', not the name 'a.artrun'; read the file first: art.load("a.artrun")
plot_front takes art.Front as 'front', not the name 'a.artpose'
composite_lifting_index takes a list of art.Lift as 'lifts', not list
tracked_body takes art.Figure as 'figure', not list
aligned cannot take 'paths' of shape (2, 5, 1): The truth value of an array with more than one element is ambiguous. Use a.any() or a.all(); help(art.aligned) tells the shapes that are due
reba() missing 1 required positional argument: 'body'
a mistake of ours
"""  # noqa: E501 # messages as they are told


def test_what_functions_do_not_take_is_said(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", ASKING], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert found.stderr == ""
    assert found.stdout == SAID
