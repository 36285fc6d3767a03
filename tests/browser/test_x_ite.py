"""X_ITE, an X3D browser that is not ours, loads exported worlds without a complaint.

It also says where things of worlds by chance are, and where their interpolators put them.

`make test-slow` installs it from locks/x_ite; without it the test fails.
"""

from __future__ import annotations

import functools
import http.server
import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

import articulata as art
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.vrml.humanoid_writer import is_person
from articulata.sessions.converting import convert
from articulata.sessions.simulation import asked

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
LIBRARY = Path(art.__file__).parent / "world" / "library"
PLACES = """async name => {
  const browser = document.querySelector("x3d-canvas").browser;
  await browser.loadURL(new X3D.MFString(name));
  const found = {};
  const walk = (node, above) => {
    const value = node.getValue();
    let M = above;
    if (value.getMatrix) M = above.copy().multLeft(value.getMatrix());
    if (node.getNodeTypeName() === "HAnimSite") found[node.getNodeName()] = [M[12], M[13], M[14]];
    for (const field of ["skeleton", "children"])
      if (node[field]) for (const each of node[field]) walk(each, M);
  };
  for (const node of browser.currentScene.rootNodes) {
    if (node.getNodeTypeName() === "Transform")
      found[node.getNodeName()] = [...node.translation];
    if (node.getNodeTypeName() === "HAnimHumanoid")
      walk(node, node.getValue().getMatrix().copy().identity());
  }
  return found;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with X_ITE in it and the address where a page finds it."""
    script = ROOT / ".cache" / "x_ite" / "node_modules" / "x_ite" / "dist" / "x_ite.min.js"
    if not script.exists():
        pytest.fail(f"X_ITE is not in {script.parent}: `make test-slow` installs it (locks/x_ite)")
    root = tmp_path_factory.mktemp("x_ite")
    (root / "x_ite").symlink_to(script.parent)
    (root / "page.html").write_text(
        "<link rel='icon' href='data:,'>"
        "<script src='x_ite/x_ite.min.js'></script><x3d-canvas></x3d-canvas>"
    )
    handler = functools.partial(_Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield root, f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_exported_worlds_stand_the_same_in_x_ite(
    folder: tuple[Path, str], chromium: Browser
) -> None:
    root, address = folder
    page = chromium.new_page()
    heard: list[str] = []
    page.on("console", lambda each: heard.append(each.text) if each.type != "info" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.goto(address)
    for source in sorted([*LIBRARY.glob("gallery/*.art"), *LIBRARY.glob("rooms/*.art")]):
        document = art.read(source)
        world = art.assemble(document.world(asked(document, "")))
        for ending in ("wrl", "x3d"):
            file = root / f"{source.stem}.{ending}"
            convert(source, file)
            found = page.evaluate(PLACES, file.name)
            persons = {each: art.figure(world, each) for each in world.figures}
            persons = {each: figure for each, figure in persons.items() if is_person(figure)}
            for id, figure in persons.items() if ending == "x3d" else ():
                q = figure.vector(world.figures[id].values)
                for mark in figure.landmarks:
                    tip = mark.replace(" ", "_")
                    name = f"{id}_{tip}{'' if tip.endswith('_tip') else '_pt'}"
                    place = figure.landmark(q, mark)[:3, 3]
                    assert found[name] == pytest.approx(place, abs=1e-6), name
            for id, body in world.bodies.items():
                if id.split(".")[0] in persons:
                    continue
                if body.shape is not None or body.look is not None:
                    name = id.replace(".", "_").replace("[", "_").replace("]", "").replace(" ", "_")
                    assert found[name] == pytest.approx(body.pose.position, abs=1e-6), id
    assert [each for each in heard if "X_ITE" not in each] == []
    page.close()


PERIOD = 4.0
"""s. Every clock of a world by chance goes round in it."""
AT = (0.0, 0.13, 0.5, 0.77)
"""Fractions of it at which worlds by chance are compared."""
MATRICES = """async ([name, fraction]) => {
  const browser = document.querySelector("x3d-canvas").browser;
  if (name) await browser.loadURL(new X3D.MFString(name));
  const scene = browser.currentScene, found = {};
  for (const node of scene.rootNodes)
    if (node.getNodeTypeName().endsWith("Interpolator")) node.set_fraction = fraction;
  await browser.nextFrame();
  await browser.nextFrame();
  const walk = (node, above) => {
    const value = node.getValue();
    const M = value.getMatrix ? above.copy().multLeft(value.getMatrix()) : above;
    if (node.getNodeTypeName() === "Shape") found[node.getNodeName()] = [...M];
    if (node.children) for (const each of node.children) walk(each, M);
  };
  for (const node of scene.rootNodes)
    if (node.getNodeTypeName() === "Transform") walk(node, node.getValue().getMatrix().copy().identity());
  return found;
}"""  # noqa: E501 -- a script of the page
NUMBERS = itertools.count()
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]])
FACES = "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 ]"


@dataclass
class Thing:
    """A Transform by chance: its fields, key frames of its place and its turn, what is in it."""

    fields: dict[str, tuple[float, ...]]
    places: list[tuple[float, ...]] = field(default_factory=list)
    turns: list[tuple[float, ...]] = field(default_factory=list)
    inside: list[Thing] = field(default_factory=list)

    def text(self, number: list[int], after: list[str]) -> str:
        """Return its node; ``number`` counts, ``after`` takes what moves it."""
        number[0] += 1
        k = number[0]
        told = " ".join(f"{name} {_row(value)}" for name, value in self.fields.items())
        for kind, keys, into in (("Position", self.places, "translation"),
                                 ("Orientation", self.turns, "rotation")):  # fmt: skip
            if keys:
                key = _row(tuple(np.linspace(0.0, 1.0, len(keys))))
                after.append(
                    f"DEF {kind[0]}{k} {kind}Interpolator {{ key [ {key} ] "
                    f"keyValue [ {', '.join(map(_row, keys))} ] }}\n"
                    f"ROUTE C.fraction_changed TO {kind[0]}{k}.set_fraction\n"
                    f"ROUTE {kind[0]}{k}.value_changed TO T{k}.{into}"
                )
        below = " ".join(each.text(number, after) for each in self.inside)
        points = ", ".join(_row(tuple(each)) for each in CORNERS)
        return (
            f"DEF T{k} Transform {{ {told} children [ DEF S{k} Shape {{ geometry IndexedFaceSet {{ "
            f"coord Coordinate {{ point [ {points} ] }} {FACES} }} }} {below} ] }}"
        )


def _row(values: tuple[float, ...]) -> str:
    return " ".join(repr(float(each)) for each in values)


def _numbers(low: float, high: float, count: int) -> st.SearchStrategy[tuple[float, ...]]:
    one = st.floats(low, high, width=32).map(lambda each: round(each, 4))
    return st.tuples(*[one] * count)


@st.composite
def axes(draw: st.DrawFn) -> tuple[float, ...]:
    """Draw an axis of length 1 and an angle: browsers differ in what another length means."""
    x, y, z, angle = draw(_numbers(-1, 1, 3).filter(any)) + draw(_numbers(-6, 6, 1))
    size = float(np.linalg.norm((x, y, z)))
    return (x / size, y / size, z / size, angle)


@st.composite
def things(draw: st.DrawFn, depth: int = 0) -> Thing:
    """Draw a Transform. What moves scales evenly, so that what is in it keeps its form."""
    made = Thing({"translation": draw(_numbers(-5, 5, 3)), "rotation": draw(axes())})
    if draw(st.booleans()):
        made.fields["center"] = draw(_numbers(-2, 2, 3))
    moves = draw(st.booleans())
    inner = depth < 3 and draw(st.booleans())
    if draw(st.booleans()):
        even = draw(_numbers(0.5, 2, 1)) * 3
        made.fields["scale"] = even if inner else draw(_numbers(0.5, 2, 3))
        made.fields["scaleOrientation"] = draw(axes())
    if moves:
        made.places = draw(
            st.one_of(st.just([]), st.lists(_numbers(-4, 4, 3), min_size=2, max_size=4))
        )
        made.turns = draw(st.one_of(st.just([]), st.lists(axes(), min_size=2, max_size=4)))
    if inner:
        made.inside = draw(st.lists(things(depth + 1), min_size=1, max_size=2))
    return made


def corners(scene: Scene, t: float) -> dict[str, np.ndarray]:
    """Return where the corners (4, 3) of each shape of a scene are at ``t`` s."""
    found = {}
    for part in scene.parts:
        X = part.X_WP if part.motion is None else part.motion.at([t])[0]
        vertices, _ = triangles_of(part.shape or part.look)
        found[part.name] = vertices @ X[:3, :3].T + X[:3, 3]
    return found


@pytest.fixture
def page(folder: tuple[Path, str], chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    opened.goto(folder[1])
    yield opened
    opened.close()


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(tops=st.lists(things(), min_size=1, max_size=3))
def test_worlds_by_chance_stand_and_move_as_in_x_ite(
    folder: tuple[Path, str], page: Page, tops: list[Thing]
) -> None:
    root, _ = folder
    number, after = [0], list[str]()
    nodes = [each.text(number, after) for each in tops]
    clock = f"DEF C TimeSensor {{ cycleInterval {PERIOD} loop "
    head = ["#VRML V2.0 utf8", *nodes]
    (root / "ours.wrl").write_text("\n".join([*head, clock + "TRUE }", *after]))
    # theirs stands still until it is told a fraction
    name = f"chance{next(NUMBERS)}.wrl"  # browsers keep what they have loaded by its name
    (root / name).write_text("\n".join([*head, clock + "TRUE enabled FALSE }", *after]))
    scene = scene_of(root / "ours.wrl")
    assert not any("scale" in each for each in scene.lost)
    for again, fraction in enumerate(AT):
        theirs = page.evaluate(MATRICES, ["" if again else name, fraction])
        ours = corners(scene, PERIOD * fraction)
        assert len(theirs) == number[0]
        for shape, matrix in theirs.items():
            M = np.array(matrix).reshape(4, 4).T
            there = CORNERS @ M[:3, :3].T + M[:3, 3]
            found = ours[shape.replace("S", "T")]
            apart = np.linalg.norm(found[:, None] - there[None], axis=2)
            assert apart.min(axis=0) == pytest.approx(0.0, abs=1e-4), (shape, fraction)
