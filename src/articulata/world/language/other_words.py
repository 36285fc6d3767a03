"""Words of other programs, and what they may mean here: the first that is known where they stand.

They are those of URDF and SDF, MJCF, Modelica, USD, of CAD and of scripts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

OTHER_WORDS: Final[dict[str, tuple[str, ...]]] = {
    # what a file defines
    "def": ("composite", "let"), "class": ("composite",), "assembly": ("composite",),
    "body": ("primitive", "component"), "link": ("primitive",), "part": ("primitive",),
    "robot": ("figure",), "model": ("composite", "world"), "scene": ("world",),
    "run": ("simulate",), "sim": ("simulate",), "animate": ("simulate",),
    "struct": ("primitive",), "object": ("primitive", "component"), "type": ("primitive",),
    "human": ("person",), "man": ("person",), "woman": ("person",), "mannequin": ("person",),
    "manikin": ("person",), "operator": ("person",),
    "const": ("let",), "var": ("let",), "param": ("let",), "define": ("let",),
    "include": ("import",), "use": ("import",),
    # sections
    "bodies": ("components",), "parts": ("components",), "links": ("components",),
    "joints": ("structure",), "connections": ("structure",), "constraints": ("structure",),
    "shape": ("geometry",), "visual": ("look",), "collision": ("interference",),
    "inertial": ("dynamics",), "physics": ("dynamics",), "appearance": ("properties",),
    "material": ("properties",), "attributes": ("properties",),
    "pose": ("posture",), "keyframe": ("posture",), "sites": ("landmarks",),
    "site": ("landmarks",), "markers": ("landmarks",), "animation": ("motion",),
    # statements and what stands in them
    "connect": ("join",), "attach": ("join",), "mate": ("join",), "put": ("place",),
    "joint": ("join",), "spring": ("force",), "motor": ("force",),
    "position": ("place", "at"), "move": ("place",), "loop": ("repeat", "for"),
    "foreach": ("for",), "while": ("for",),
    "named": ("as",), "called": ("as",), "between": ("matching",), "mates": ("matching",),
    "range": ("limits",), "actuated": ("driven",), "powered": ("driven",),
    "rotated": ("turned",), "rotate": ("turned",), "rotation": ("turned",),
    "rot": ("turned", "rpm"),
    # hinges, shapes, functions, options
    "hinge": ("pin",), "revolute_joint": ("pin",), "continuous": ("pin",), "slide": ("slider",),
    "translational": ("slider",), "spherical": ("ball",), "fixed": ("weld",), "rigid": ("weld",),
    "box": ("cuboid",), "cube": ("cuboid",), "block": ("cuboid",), "tube": ("cylinder",),
    "cut": ("difference",), "subtract": ("difference",), "fuse": ("union",), "hull": ("mesh",),
    "arcsin": ("asin",), "arccos": ("acos",), "arctan": ("atan",), "arctan2": ("atan2",),
    "middle": ("center",), "r": ("radius",), "height": ("length",), "size": ("radius",),
    "rgba": ("color",),
    "rho": ("density",), "mu": ("friction",), "k": ("stiffness",), "rest_length": ("length",),
    "int": ("count",), "integer": ("count",), "rev": ("rpm",), "revs": ("rpm",), "sec": ("s",),
    "str": ("text",), "string": ("text",), "vector": ("direction", "point"),
    # requests
    "if": ("on",), "when": ("on",), "whenever": ("on",), "dt": ("time",), "duration": ("time",),
    "timestep": ("time",), "integrator": ("method",), "solver": ("method",),
    "output": ("report",), "outputs": ("report",), "result": ("report",), "fps": ("frames",),
    "framerate": ("frames",), "goal": ("place",), "target": ("place", "look"),
    "minimize": ("minimise",), "maximize": ("maximise",), "who": ("person", "figure"),
    "runge_kutta": ("rk4",), "rungekutta": ("rk4",), "euler": ("euler1986", "symplectic"),
    "feet": ("r_heel", "r_sole"), "foot": ("r_heel", "r_sole"), "head": ("skull",),
    "hand": ("r_grip", "right hand"), "hands": ("r_grip", "right hand"),
    "print": ("report",), "log": ("report",), "delete": ("remove",), "destroy": ("remove",),
}  # fmt: skip


def other_word(word: str, known: Collection[str]) -> str:
    """Return the known word that a word of another program means, or ``""``."""
    return next((each for each in OTHER_WORDS.get(word.lower(), ()) if each in known), "")
