"""Functions and classes of the public face, given what they do not take: one message each.

Asked in a process of its own: where shapes are checked functions lose their signatures.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ASKING = '''
import inspect
import warnings
from enum import Enum
from typing import Any
import numpy as np
import articulata as art
from articulata.world.unfit_arguments import explained

warnings.simplefilter("ignore")
BALL = """primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics }
world w { gravity: (0, -9.81, 0); components b: ball }
"""
world = art.parse(BALL).world("w")
WRONG = [None, 3, "x.art", [], world, np.full(3, np.nan), np.zeros((2, 5, 1)), object()]
TAKES_A_WORLD = ("art_text", "assemble", "equations", "reach")
SERVES = ("connect", "view")  # these open a port, and wait
asked = 0
made, keeps = 0, []
for name in art.__all__:
    function = getattr(art, name)
    is_class = inspect.isclass(function) and not issubclass(function, (BaseException, Enum))
    if not (inspect.isfunction(function) or is_class) or name in SERVES:
        continue
    asked += not is_class
    made += is_class
    found = list(inspect.signature(function).parameters.values())
    never = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    due = [each for each in found if each.default is each.empty and each.kind not in never]
    due = due or found[:1] if is_class else due
    kept = is_class
    for value in WRONG:
        if value is world and (name in TAKES_A_WORLD or is_class):
            continue
        places = [value for each in due if each.kind is not each.KEYWORD_ONLY]
        named = {each.name: value for each in due if each.kind is each.KEYWORD_ONLY}
        try:
            function(*places, **named)
        except art.ArticulataError:
            kept = False
        except Exception as error:
            print(f"{name} of {value!r}: {type(error).__name__}: {error}")
    keeps += [name] if kept and due else []
print(asked > 50, made > 130, *keeps)


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
said("Motor", "fast")
said("Pose", (1, 2), (1, 0, 0, 0))
said("Wheelchair", "70 cm")
said("Population", 2.5)
said("Chain", "arm.urdf")
said("Recording", "a.artrun", "a")
said("LiftingLimit", 20.0, 1.0, {}, np.zeros(3))
said("Material", "steel", "7850 kg/m^3")


def broken(world: "World") -> None:
    raise AttributeError("a mistake of ours")


try:
    explained("broken", broken)(world)
except AttributeError as error:
    print(error)
'''
SAID = """True True CameraPath Sample Tick TrackedPosture
reba takes art.BodyAngles as 'body', not int
art_text takes art.World as 'world', not NoneType
table takes art.Recording as 'recording', not the name 'a.artrun'; read the file first: art.load("a.artrun")
plot_front takes art.Front as 'front', not the name 'a.artpose'
composite_lifting_index takes a list of art.Lift as 'lifts', not list
tracked_body takes art.Figure as 'figure', not list
aligned cannot take 'paths' of shape (2, 5, 1): The truth value of an array with more than one element is ambiguous. Use a.any() or a.all(); help(art.aligned) tells the shapes that are due
reba() missing 1 required positional argument: 'body'
Motor takes a number as 'speed', not the text 'fast'
Pose takes 3 numbers as 'position', not (1, 2)
the width of a wheelchair is a number of metres, not '70 cm'; give for instance 0.5
a population has 1 to 10000 people, not 2.5; take for instance 200
Chain takes a list of art.Joint as 'joints', not the name 'arm.urdf'
Recording takes art.Contents as 'contents', not the name 'a.artrun'
LiftingLimit takes one of 'start', 'end' as 'place', not ndarray
Material takes a number or None as 'density', not the text '7850 kg/m^3'
a mistake of ours
"""  # noqa: E501 # messages as they are told


def test_what_functions_do_not_take_is_said(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", ASKING], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert found.stderr == ""
    assert found.stdout == SAID
