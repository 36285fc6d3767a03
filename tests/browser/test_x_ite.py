"""X_ITE, an X3D browser that is not ours, loads exported worlds without a complaint.

`make test-slow` installs it from locks/x_ite; without it the test fails.
"""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import articulata as art
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
