"""How a drawn room writes lengths, places, things and people, and reads them back.

Lengths in m, turns in deg about y.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from articulata.errors import WorldError
from articulata.world.document import Document
from articulata.world.language.diagnostics import Notes
from articulata.world.language.syntax import tree as t
from articulata.world.model import Body, World
from articulata.world.requests.reach import Person, Population
from articulata.world.requests.ways_to_move import POWER_SEAT, Walker, Wheelchair
from articulata.world.single_frames import moved
from articulata.world.values import ZERO

MOUNTS: Final = ("foot", "wall")
"""Features by which things are placed where the text does not say it."""

FAR: Final = 100.0
"""m of the largest thing."""

MEASURES: Final = (
    "shoulder_height", "elbow_height", "forearm_hand", "arm_reach", "knee_height",
    "sitting_height", "shoulder_width", "hip_width",
)  # fmt: skip
"""What is measured with a tape, m, beside stature and mass."""
_ORDER: Final = ("height", "weight", "sex", "percentile", "age", "child", *MEASURES)
_DEVICES: Final = {"walker": ("radius",), "wheelchair": ("width", "length", "seat")}


# ---- lengths and places


def length(metres: float) -> str:
    """Return a length to a tenth of a millimetre as people write it.

    >>> length(0.855), length(2.4), length(-0.0)
    ('85.5 cm', '2.4 m', '0 m')
    """
    if 0.0 < abs(metres) < 1.0:
        return f"{round(100.0 * metres, 2) + 0.0:g} cm"
    return f"{round(metres, 4) + 0.0:g} m"


def at(x: float, z: float, turn: float, y: float = 0.0) -> str:
    """Return a place in the plan, ``turn`` deg about y, as a clause says it."""
    point = ", ".join("0" if abs(each) < 5e-5 else length(each) for each in (x, y, z))
    turn = 180.0 - round((180.0 - turn) % 360.0, 3)
    turn = 180.0 if turn == -180.0 else turn
    return f"at ({point})" + (f" turned {turn + 0.0:g} deg about y" if turn else "")


def mount_of(world: World, body: Body) -> str:
    """Return the feature that a text places a body by, else one that is there to place it by."""
    for each in world.placements:
        for ref, _ in (*each.points, *each.frames) if each.component == body.id else ():
            return ref.feature
    return next((each for each in MOUNTS if each in body.features), "center")


def placed(body: Body, mount: str) -> tuple[float, float, float, float]:
    """Return where a body's mount is (x, y, z) m, and how it is turned about y, deg."""
    feature = body.features.get(mount)
    x, y, z = moved(body.pose, ZERO if feature is None else feature.pose.position)
    w, _, turn, _ = body.pose.orientation
    return x, y, z, math.degrees(2.0 * math.atan2(turn, w))


# ---- people


def person_text(form: Mapping[str, Any]) -> str:
    """Return what a request says of a person who is chosen in a form; lengths in m, mass in kg."""
    said = []
    units = {"weight": "kg"}
    for name in ("height", "weight"):
        if form.get(name):
            value = f"{float(form[name]):g} {units[name]}" if name in units else length(form[name])
            said.append(value if name == "height" or form.get("height") else f"{name}: {value}")
    if form.get("child"):
        said.append("child")
    said.append("woman" if form.get("sex") == "woman" else "man")
    said += [f"{each}: {float(form[each]):g}" for each in ("age", "percentile") if form.get(each)]
    said += [f"{each}: {length(form[each])}" for each in MEASURES if form.get(each)]
    way = str(form.get("way", "foot"))
    sizes = [
        f"{each}: {length(form[each])}"
        for each in _DEVICES["walker" if way == "walker" else "wheelchair"]
        if form.get(each) and way != "foot"
    ]
    device = f"{way}({', '.join(sizes)})" if sizes else way
    return f"person({', '.join(said)}) {'with' if way == 'walker' else 'on'} {device}"


def form_of(person: Person) -> dict[str, Any] | None:
    """Return the form of a person, None for whom no form can say, as a population."""
    choice = person.figure
    if isinstance(choice, Population) or choice.name != "person" or choice.component:
        return None
    given = {**dict(zip(_ORDER, choice.positional, strict=False)), **choice.named}
    if not set(given) <= set(_ORDER) or given.get("sex", "man") not in ("man", "woman", 0, 1):
        return None
    form: dict[str, Any] = {"sex": "woman" if given.pop("sex", 0) in ("woman", 1) else "man"}
    form["child"] = given.pop("child", 0) in ("child", 1)
    form |= given
    means = person.means
    if isinstance(means, Walker):
        form |= {"way": "walker", **_changed(means, Walker(), "walker")}
    elif isinstance(means, Wheelchair):
        usual = Wheelchair(seat=POWER_SEAT, power=True) if means.power else Wheelchair()
        way = "power_chair" if means.power else "wheelchair"
        form |= {"way": way, **_changed(means, usual, "wheelchair")}
    else:
        form["way"] = "foot"
    return form


def _changed(means: Walker | Wheelchair, usual: object, kind: str) -> dict[str, float]:
    return {
        each: getattr(means, each)
        for each in _DEVICES[kind]
        if getattr(means, each) != getattr(usual, each)
    }


# ---- things


def entry_of(document: Document, world: str, name: str) -> t.Component | None:
    """Return the entry of a component that is written by itself, without an index."""
    item = document.module.worlds[world]
    for entry in item.components:
        if any(each.name == name and each.range is None for each in entry.names):
            return entry
    return None


def sizes_of(document: Document, entry: t.Component | None, kind: str) -> list[dict[str, Any]]:
    """Return the lengths that a thing is made with: their names, values (m), as written."""
    found = document.module.own_definition(kind)
    if found is None or not isinstance(found.definition, t.Primitive):
        return []
    parameters = found.definition.parameters
    given = _given(document, entry, parameters)
    notes, sizes = Notes(), []
    for each in parameters:
        if each.quantity != "length":
            continue
        scope = (document.module if each.name in given else found.module).scope(notes)
        value = given[each.name].value if each.name in given else each.default
        if value is not None:
            metres = scope.to_kind(scope.evaluate(value), "length", value)
            sizes.append({"name": each.name, "value": round(metres, 6)})
    return sizes


def resized(document: Document, world: str, name: str, sizes: Mapping[str, float]) -> str:
    """Return what a component is made of with other sizes, m."""
    entry = entry_of(document, world, name)
    if entry is None:
        raise WorldError(f"'{name}' is one of several; change it in the text")
    found = document.module.own_definition(entry.type.text)
    parameters = (
        found.definition.parameters if found and isinstance(found.definition, t.Primitive) else ()
    )
    text = document.tree.source.text
    said = {
        each: text[slice(*argument.value.span)]
        for each, argument in _given(document, entry, parameters).items()
    }
    known = {each.name for each in parameters if each.quantity == "length"}
    for size, value in sizes.items():
        if size not in known:
            raise WorldError(f"'{name}' has no size '{size}'")
        if not 0.0 < value <= FAR:
            raise WorldError(f"the {size.replace('_', ' ')} of '{name}' is more than 0 m")
        said[size] = length(value)
    order = [each.name for each in parameters if each.name in said]
    kind = entry.type.text
    return f"{kind}({', '.join(f'{each}: {said[each]}' for each in order)})" if order else kind


def _given(
    document: Document, entry: t.Component | None, parameters: Sequence[t.Parameter]
) -> dict[str, t.Argument]:
    if entry is None:
        return {}
    free = iter([each.name for each in parameters])
    return {each.name or next(free, ""): each for each in entry.arguments}
