"""Words of other programs, and what they may mean here: the first that is known where they stand.

They are those of URDF and SDF, MJCF, Modelica, USD, of CAD and of scripts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

OTHER_WORDS: Final[dict[str, tuple[str, ...]]] = {
    # what a file defines
    "def": ("composite", "let"), "class": ("composite",), "assembly": ("composite",),
    "body": ("primitive", "component"), "link": ("primitive",), "part": ("primitive",),
    "robot": ("figure",), "model": ("composite", "world"), "scene": ("world",),
    "room": ("world",), "environment": ("world",),
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
    "easing": ("ease",), "interpolation": ("ease",),
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
    "solid": ("primitive",), "module": ("composite",), "function": ("composite",),
    "template": ("composite",), "component": ("primitive", "components"),
    "pivot": ("pin",), "axle": ("pin",), "rotational": ("pin",), "rotary": ("pin",),
    "torque": ("force",), "moment": ("force",), "belt": ("gear",), "exclude": ("ignore",),
    "skip": ("ignore",), "disable": ("ignore",), "name": ("as",), "id": ("as",),
    "omega": ("rate", "speed"), "velocity": ("rate", "speed"), "theta": ("angle",),
    "phi": ("angle",), "angular_velocity": ("rate", "speed"), "speed": ("rate",),
    "rpm": ("speed",), "bounce": ("restitution",), "elasticity": ("restitution",),
    "weight": ("mass", "load"), "static": ("fixed",), "immovable": ("fixed",),
    "anchored": ("fixed",), "translate": ("at",), "translated": ("at",), "moved": ("at",),
    "end": ("time",), "t_end": ("time",), "tend": ("time",), "until": ("time",),
    "t": ("time",), "each": ("every",), "plot": ("monitor",), "watch": ("monitor",),
    "video": ("animation",), "movie": ("animation",), "walking": ("on",), "standing": ("on",),
    "length": ("span",), "female": ("woman",), "male": ("man",), "gender": ("sex",),
    # of MuJoCo, Simscape, OpenSim, Jack, Blender, OpenSCAD, URDF, SDF, Modelica
    "geom": ("primitive", "geometry"), "mjcf": ("world",), "worldbody": ("world", "components"),
    "equality": ("join",), "actuator": ("driven", "force"), "sensor": ("monitor", "report"),
    "weldjoint": ("weld",), "rigidtransform": ("weld", "at"),
    "subsystem": ("composite",), "gimbal": ("ball",), "bushing": ("ball",),
    "cartesian": ("planar",), "leadscrew": ("screw",), "pinslot": ("planar",),
    "jointlimits": ("limits",), "lower": ("limits",), "upper": ("limits",), "min": ("limits",),
    "max": ("limits",), "ctrlrange": ("limits",), "velocity_limit": ("speed",),
    "coordinate": ("joint",), "coordinates": ("limits",), "marker": ("landmarks",),
    "default_value": ("neutral",), "defaultpose": ("posture",), "rest": ("neutral",),
    "percentile": ("person",), "stature": ("height", "person"), "gaze": ("look",),
    "eyes": ("look",), "lookat": ("look",), "view": ("look",), "track": ("look",),
    "reachzone": ("reach",), "carry": ("load",), "payload": ("load",), "lift": ("load",),
    "pull": ("push",), "armature": ("figure",), "bone": ("revolute",), "action": ("motion",),
    "keyframes": ("motion",), "ease_in_out": ("smooth",), "bezier": ("smooth",),
    "focal_length": ("lens", "focal"), "camera": ("lens",), "sensor_width": ("width",),
    "rpy": ("turned",), "euler_angles": ("turned",), "rotation_euler": ("turned",),
    "orientation": ("turned",), "yaw": ("turned",), "pitch": ("turned",), "roll": ("turned",),
    "xyz": ("at",), "pos": ("at",), "location": ("at",), "translation": ("at",), "origin": ("at",),
    "offset": ("at",), "attached": ("on",), "mounted": ("on",), "parent": ("on",),
    "mimic_joint": ("mimic",), "inertia_matrix": ("inertia",), "equation": ("structure",),
    "der": ("rate",), "terminate": ("stop",), "assert": ("stop",), "halt": ("stop",),
    "print": ("report",), "log": ("report",), "delete": ("remove",), "destroy": ("remove",),
}  # fmt: skip


_SPRING = "force spring about {hinge} = -{value} * angle"
_DAMPER = "force damper about {hinge} = -{value} * rate"
HINGE_OPTIONS: Final[dict[str, str]] = {
    "stiffness": _SPRING, "k": _SPRING, "springref": _SPRING, "damping": _DAMPER, "c": _DAMPER,
    **dict.fromkeys(("limits", "range"), "limits {value} after the hinge"),
    **dict.fromkeys(("friction", "frictionloss"), "friction {value} after the hinge"),
    **dict.fromkeys(("torque", "effort"), "force drive about {hinge} = {value}"),
    "strength": "breaks at {value} after the hinge", "name": "as {value} after the hinge",
    "speed": "driven by motor(speed: {value}) after the hinge",
}  # fmt: skip
"""What other programs say as options of a joint, and what says it here of a hinge."""


def other_word(word: str, known: Collection[str]) -> str:
    """Return the known word that a word of another program means, or ``""``."""
    lower = word.lower()
    plain = lower.replace("_", "").removesuffix("joint")
    meant = OTHER_WORDS.get(lower) or OTHER_WORDS.get(plain, ())
    return next((each for each in meant if each in known), "")


def distance(a: str, b: str, most: int) -> int:
    """Return how many letters differ between ``a`` and ``b``, or ``most + 1`` when more do.

    A letter changed, added, left out, or two neighbours exchanged count one each (optimal string
    alignment).
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, previous, row = [0], [0], list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, previous, row = previous, row, [i] + [0] * len(b)
        for j, other in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return most + 1
    return row[-1]


LIKELY: Final = 1000
"""Among how many candidates a guess is looked for one by one."""


def plausible(word: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidates that are worth comparing with ``word``: all of them unless many.

    Of many, those that begin or end like it and are about as long; texts with thousands of names
    in one place would otherwise spend seconds on guesses.
    """
    all_of_them = list(candidates)
    if len(all_of_them) <= LIKELY or not word:
        return all_of_them
    first, last, length = word[0], word[-1], len(word)
    alike = [
        each for each in all_of_them
        if each and abs(len(each) - length) <= 3 and (each[0] == first or each[-1] == last)
    ]  # fmt: skip
    return alike[:LIKELY]
