"""A description read as a figure: a tree of links from one root."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from articulata.errors import FormatError, FormatWarning
from articulata.formats.scenes.foreign_scene import HULL
from articulata.formats.scenes.scene_files import ENDINGS, readable
from articulata.formats.urdf.links_and_joints import (
    Connection,
    Surroundings,
    check_mimics,
    joints_by_name,
    materials,
    read_joint,
    read_link,
)
from articulata.formats.xml import Element, parse
from articulata.geometry.shapes import Mesh
from articulata.kinematics.described_figure import described
from articulata.kinematics.figure import Figure, Run, runs_to
from articulata.kinematics.joint import FIXED, Joint
from articulata.kinematics.link import Link, MeshFile
from articulata.world.figures.nodes import FigureNode
from articulata.world.named_meshes import mesh_at

AXIS, END = " axis", " end"
"""What a link on a joint's axis, and the fixed joint after it, are called after their owner."""
WORLD = "world"
"""A parent that need not be among the links: what the robot stands on."""
SOFT = "soft"
"""The name of the limits that safety controllers keep."""


def read_urdf(
    path: str | os.PathLike[str],
    *,
    roots: Iterable[str | os.PathLike[str]] = (),
    allow_missing_meshes: bool = False,
) -> Figure:
    """Return the robot that a URDF file describes.

    ``roots`` are folders in which ``package://`` names and relative mesh files are looked for,
    after the file's own. A mesh that is not there is an error that says where it was looked for;
    with ``allow_missing_meshes`` the figure goes on without it. Each link that carries no other,
    and each that carries several moving ones, ends a chain named like it. Raises FormatError with
    file, line, column and words.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise FormatError(f"{file} cannot be read: {error.strerror}") from None
    return parse_urdf(
        content,
        str(file),
        folder=file.resolve().parent,
        roots=roots,
        allow_missing_meshes=allow_missing_meshes,
    )


def parse_urdf(
    content: str | bytes,
    name: str = "the description",
    *,
    folder: str | os.PathLike[str] = ".",
    roots: Iterable[str | os.PathLike[str]] = (),
    allow_missing_meshes: bool = False,
) -> Figure:
    """Return the robot that ``content`` describes; ``name`` is what messages call it.

    Mesh files are relative to ``folder``; see ``read_urdf``.
    """
    robot = parse(content.encode() if isinstance(content, str) else content, name)
    if robot.tag != "robot":
        raise robot.error(f"a description begins with <robot>, this with <{robot.tag}>")
    macro = next((each for each in robot.children if each.tag.startswith("xacro:")), None)
    if macro is not None:
        raise macro.error(
            f"<{macro.tag}>: these are macros that write a description, not a description; expand "
            "them with the program 'xacro' and read its output"
        )
    around = Surroundings(
        Path(folder), tuple(map(Path, roots)), allow_missing_meshes, materials(robot)
    )
    links: dict[str, tuple[Link, Element]] = {}
    for element in robot.all("link"):
        link = read_link(element, around)
        if link.name in links:
            raise element.error(
                f"a second link '{link.name}'; the first is on line {links[link.name][1].line}, "
                "give each its own name"
            )
        links[link.name] = link, element
    connections = [read_joint(element) for element in robot.all("joint")]
    if any(each.parent == WORLD for each in connections) and WORLD not in links:
        links = {WORLD: (Link(WORLD), robot), **links}
    joints_by_name(connections)
    check_mimics(connections)
    return _figure(robot, links, connections)


def _figure(
    robot: Element, links: Mapping[str, tuple[Link, Element]], connections: list[Connection]
) -> Figure:
    root = _root(robot, links, connections)
    connections = _folded(links, connections)
    joints: list[Joint] = []
    parents: list[int] = []
    carried: dict[str, Link] = {}
    leaves: dict[str, int] = {}
    children: dict[str, list[Connection]] = {}
    for each in connections:
        children.setdefault(each.parent, []).append(each)
    # Depth first in the order of the file, so that parents come before their children.
    waiting = [(connection, -1) for connection in reversed(children.get(root, []))]
    while waiting:
        connection, parent = waiting.pop()
        for joint in connection.joints:
            parents.append(parent)
            parent = len(joints)
            joints.append(joint)
            carried[joint.name] = Link(joint.link)
        carried[joints[-1].name] = links[connection.child][0]
        further = children.get(connection.child, [])
        if not further:
            leaves[connection.child] = parent
        waiting += [(each, parent) for each in reversed(further)]
    if not joints:
        # a thing, not a robot: its one link hangs on a base without anything
        thing = links[root][0]
        return Figure(
            [Joint(thing.name, FIXED, link=thing.name)],
            [-1],
            name=robot.attributes.get("name", "").strip(),
            links={thing.name: thing},
        )
    soft = {each.name: each.soft for each in connections if each.soft is not None}
    return Figure(
        joints,
        parents,
        name=robot.attributes.get("name", "").strip(),
        root=links[root][0],
        links=carried,
        chains=_chains(joints, parents, leaves),
        limit_sets={SOFT: soft} if soft else None,
    )


def _folded(
    links: Mapping[str, tuple[Link, Element]], connections: list[Connection]
) -> list[Connection]:
    """Return connections without the bare links on joint axes that ``write_urdf`` puts in.

    ``NAME axis``, without a mass or a shape, carries one link, by a fixed joint ``JOINT end``.
    """
    after: dict[str, list[Connection]] = {}
    for each in connections:
        after.setdefault(each.parent, []).append(each)
    found, gone = [], set()
    for each in connections:
        further, link = after.get(each.child, []), links[each.child][0]
        bare = each.child.endswith(AXIS) and not (link.mass or link.visuals or link.collisions)
        if bare and [one.name for one in further] == [f"{each.name}{END}"]:
            end = further[0]
            if end.joints[0].kind == FIXED and len(each.joints) == 1:
                X_JL = each.joints[0].X_JL @ end.joints[0].X_PJ
                joint = replace(each.joints[0], X_JL=X_JL, link=end.child)
                found.append(replace(each, child=end.child, joints=(joint,)))
                gone.add(end.name)
                continue
        found.append(each)
    return [each for each in found if each.name not in gone]


def _chains(joints: list[Joint], parents: list[int], leaves: Mapping[str, int]) -> dict[str, Run]:
    """Return the chains from the root to each last link, and to each hand that carries fingers."""
    moving_below = [joint.kind != FIXED for joint in joints]
    branches = [0] * len(joints)
    for number in reversed(range(len(joints))):
        parent = parents[number]
        if parent >= 0 and moving_below[number]:
            moving_below[parent] = True
            branches[parent] += 1
    ends = {joints[i].link: i for i, count in enumerate(branches) if count > 1} | dict(leaves)
    return runs_to(joints, parents, ends)


def _root(
    robot: Element, links: Mapping[str, tuple[Link, Element]], connections: list[Connection]
) -> str:
    """Return the one link that all others hang on; refuse what is not a tree."""
    if not links:
        raise robot.error("the robot has no <link>")
    carriers: dict[str, Connection] = {}
    for each in connections:
        for end, link in (("parent", each.parent), ("child", each.child)):
            if link not in links:
                near = difflib.get_close_matches(link, links, 1)
                hint = f"; did you mean '{near[0]}'?" if near else ""
                raise each.element.error(
                    f"joint '{each.name}' has {end} link '{link}', which does not exist{hint}"
                )
        other = carriers.setdefault(each.child, each)
        if other is not each:
            raise each.element.error(
                f"link '{each.child}' is the child of joint '{each.name}' and of joint "
                f"'{other.name}' on line {other.element.line}: a loop, or two parents. A "
                "description is a tree; cut the loop at one joint"
            )
    free = [link for link in links if link not in carriers]
    if len(free) > 1:
        shown = ", ".join(f"'{link}' (line {links[link][1].line})" for link in free[:6])
        raise robot.error(
            f"{len(free)} links are no joint's child: {shown}; a robot has one root. Join the "
            "others to it, with fixed joints where they do not move"
        )
    looped = _looped(links, carriers)
    if looped is not None:
        raise carriers[looped[0]].element.error(
            f"links hang on each other in a loop: {' -> '.join(looped)}; a description is a tree, "
            "cut the loop at one joint"
        )
    return free[0]


def _looped(links: Iterable[str], carriers: Mapping[str, Connection]) -> list[str] | None:
    """Return links that hang on each other in a circle, from parent to child; None without."""
    sound: set[str] = set()
    for link in links:
        path: list[str] = []
        while link in carriers and link not in sound:
            if link in path:
                circle = [*path[path.index(link) :], link]
                return circle[::-1]
            path.append(link)
            link = carriers[link].parent
        sound.update(path)
    return None


ROBOT = """import "{file}" as robot

world robot_alone {{
  gravity: (0, 0, -9.81)
  components {{ robot: robot }}
  structure {{ place robot by properties: (fixed) }}
}}

simulate robot_alone {{ time: (0.01 s, 2 s) }}
"""
"""A robot stands on its base under gravity."""
THING = """import "{file}" as thing

world thing_alone {{
  gravity: (0, 0, -9.81)
  components {{ thing: thing; floor: ground }}
  structure {{
    place floor by floor.top at (0, 0, 0) turned 90 deg about x
    place thing by thing.base at (0, 0, 0.5)
  }}
}}

simulate thing_alone {{ time: (0.01 s, 2 s) }}
"""
"""A thing of one link falls on the ground."""


def world(path: Path) -> str:
    """Return the text of a world that holds the robot of a URDF file alone, and its request."""
    text = ROBOT if read_urdf(path, allow_missing_meshes=True).dof else THING
    return text.format(file=path.name)


def read_node(path: Path) -> FigureNode:
    """Return the robot of a URDF file as a world holds it; see ``read_urdf``.

    It looks like the meshes of the file that can be read, and touches by their hulls; FormatWarning
    names links of whose meshes neither is so, and a mesh that is not there.
    """
    missing: dict[str, None] = {}
    unread: dict[str, None] = {}

    def read(file: MeshFile, more: str) -> Mesh | None:
        if not file.path:
            missing[file.file] = None
            return None
        try:
            if readable(file.path):
                return mesh_at(Path(file.path), f"{file.path}{more}", file.scale)
        except FormatError:
            pass
        unread[file.file] = None
        return None

    figure = read_urdf(path, allow_missing_meshes=True)
    node = described(figure, lambda file: read(file, ""), lambda file: read(file, HULL))
    made = {row.link.name: row.link for row in node.rows.values()}
    names = {joint.name: joint.link for joint in figure.joints}
    links = {figure.root.name: figure.root}
    links |= {names[joint] or link.name: link for joint, link in figure.links.items()}
    formed = [n for n, each in links.items() if n in made and (each.visuals or each.collisions)]
    bare = [name for name in formed if made[name].shape is None and made[name].look is None]
    flat = [name for name in formed if made[name].shape is None and name not in bare]
    notes = []
    if missing:
        notes.append(
            f"{len(missing)} of its meshes are not there, such as '{next(iter(missing))}'; "
            "put the folder of the package beside the file or above it"
        )
    if bare and (unread or not missing):
        notes.append(
            "no mesh of these can be read, so that they are drawn as bones and touch nothing: "
            f"{', '.join(bare)}; give {', '.join(f'.{each}' for each in ENDINGS)}, or install "
            "pycollada for .dae"
        )
    if flat:
        notes.append(
            f"the meshes of these are flat, so that they touch nothing: {', '.join(flat)}; "
            "write a <box>, <cylinder> or <sphere> into their <collision>"
        )
    if notes:
        told = "\n".join(f"{path}: {each}" for each in notes)
        warnings.warn(told, FormatWarning, stacklevel=2)
    return node
