"""axe finds nothing serious on our pages, light and dark, on a desk and a phone; none complains.

`make test-slow` installs axe from locks/x_ite; without it the test fails.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import articulata as art
import recorded
from articulata.analyses.pose.pose_question import search_of
from articulata.analyses.pose.pose_request import asked_of
from articulata.analyses.track.tracked_person import tracked_body
from articulata.kinematics.library import figure
from articulata.report.front_tables import body_poses
from articulata.report.page.recording_page import page as page_of
from articulata.report.page.recording_page import page_of_front
from articulata.report.reach_document import document
from articulata.report.viewer.conversation import PlanServer
from articulata.report.viewer.editor import EditorServer
from articulata.report.viewer.exercise_viewer import ExerciseNews, ExerciseViewer, Placed
from articulata.report.viewer.figures.viewer import FigureViewer
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panels.pose_panel import PosePanel
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.theatre import Theatre
from articulata.report.viewer.track_viewer import TrackViewer
from articulata.sessions.editing import NEW, Editing
from articulata.sessions.film.film_files import setting_in
from articulata.sessions.film.flying import Flight
from articulata.sessions.given_files import request_in
from articulata.sessions.pose_files import LivePose, places_of
from articulata.sessions.reach.drawing import Drawing
from articulata.sessions.reach.live_study import attached
from browser.motions import swinging
from rooms import TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
DOCUMENTATION = (
    "index", "getting-started", "gallery", "reach", "commands", "decisions/0052-pictures-and-pages",
)  # fmt: skip
SIGHTS = (("light", 1280, 720), ("dark", 1280, 720), ("dark", 390, 844))
"""A scheme, and the width and height of a window."""
THEIRS = ("THREE.Clock: This module has been deprecated",)
"""What the client of viser says of its own library; nobody can mend it from here."""
RUN = """async () => {
  const found = await axe.run(document, { preload: false, resultTypes: ["violations"] });
  return found.violations.filter((each) => ["serious", "critical"].includes(each.impact)).flatMap(
    ({ id, nodes }) => nodes.map((at) => `${id}: ${at.target.join(" ")}: ${at.failureSummary}`)
  );
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    script = ROOT / ".cache" / "x_ite" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        pytest.fail(f"axe is not in {script.parent}: `make test-slow` installs it (locks/x_ite)")
    return script.read_text("utf-8")


Judge = Callable[[str, Callable[[Page], object]], None]


@pytest.fixture
def judge(chromium: Browser, axe: str) -> Iterator[Judge]:
    """Opens an address in both schemes and sizes, waits until it is ready, and judges it."""
    found: list[str] = []

    def open_page(address: str, ready: Callable[[Page], object]) -> None:
        for scheme, width, height in SIGHTS:
            page = chromium.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            heard: list[str] = []
            page.on(
                "console",
                lambda m, heard=heard: (
                    heard.append(m.text) if m.type in ("warning", "error") else None
                ),
            )
            page.on("pageerror", lambda error, heard=heard: heard.append(str(error)))
            try:
                page.goto(address)
                ready(page)
                page.evaluate(axe)
                said = [*page.evaluate(RUN), *heard]
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    said.append("wider than the window")
            finally:
                page.close()
            said = [each for each in said if not each.startswith(THEIRS)]
            found.extend(f"{address}, {width}, {scheme}: {each}" for each in said)

    yield open_page
    assert not found, "\n".join(found)


def shows(text: str, wait: int = 1500) -> Callable[[Page], None]:
    """Wait until a page shows ``text``, and ``wait`` ms for the rest."""

    def ready(page: Page) -> None:
        expect(page.get_by_text(text).first).to_be_visible()
        page.wait_for_timeout(wait)

    return ready


def test_pages_of_the_documentation(judge: Judge, tmp_path: Path) -> None:
    wanted = ",".join(f"{each}.md" for each in DOCUMENTATION)
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-Q", "-b", "html", "-D", f"include_patterns={wanted}",
         ROOT / "docs", tmp_path],
        check=True, cwd=ROOT,
    )  # fmt: skip
    for each in DOCUMENTATION:
        judge((tmp_path / f"{each}.html").as_uri(), lambda page: page.wait_for_load_state())


POSE = """
world cell { components { anna: human_upper_body } }
pose touch {
  figure: anna
  world: cell
  place: "right hand" at (-0.2 m, 0.25 m, 0.4 m)
  minimise: discomfort, torque
  move: "trunk and right arm"
}
"""


def test_pages_that_are_one_file(judge: Judge, tmp_path: Path) -> None:
    room = TEXT.replace(
        "objects: counter", "surfaces: shelf\n  watch: counter.front\n  objects: counter"
    )
    reached = art.reach(art.parse(room.format(shelf=1.4)).requests[0], remedies=False)
    pages = {
        "replay": page_of(recorded.swing(121)),
        "eventless": page_of(recorded.swing(9, eventful=False)),
        "front": page_of_front(art.pose(art.parse(POSE).requests[0], points=8).final(), "touch"),
        "reach": document(reached),
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, "utf-8")
        judge((tmp_path / f"{name}.html").as_uri(), lambda page: page.wait_for_timeout(500))


def test_pages_beside_viewers(judge: Judge, tmp_path: Path) -> None:
    with PlanServer() as server:
        drawing = Drawing(tmp_path / "bath.art", server)
        judge(server.address, shows("How large is the room?"))

        def drawn(page: Page) -> None:
            made = page.get_by_role("button", name="toilet", exact=True)
            expect(made.or_(page.get_by_role("button", name="Make it")).first).to_be_visible()
            if page.get_by_role("button", name="Make it").is_visible():
                page.get_by_role("button", name="Make it").click()
                made.click()
            page.locator(".thing").first.focus()
            page.wait_for_timeout(500)

        judge(server.address, drawn)
        drawing.close()
    with EditorServer() as editor:
        (tmp_path / "first.art").write_text(NEW.replace("floor: ground", "floor: grund"))
        editing = Editing(tmp_path / "first.art", editor)
        judge(editor.address, shows("did you mean 'ground'"))
        (tmp_path / "first.art").write_text(NEW)
        judge(editor.address, shows("Simulated 5 s.", 2500))
        editing.close()


def test_pages_of_film(judge: Judge) -> None:
    setting = setting_in(Path(art.__file__).parent / "world" / "library" / "rooms" / "museum.art")
    with Theatre(setting.question.camera.lens) as theatre:
        flight = Flight(setting, theatre)
        flight.start()
        judge(theatre.address, shows("sharp from", 3000))
        flight.close()


def test_panels_of_viewers(judge: Judge, tmp_path: Path) -> None:
    with Viewer() as viewer:
        viewer.show(swinging(), playing=False)
        judge(viewer.address, shows("frame 1 of 200", 2000))
    search = search_of(asked := asked_of(art.parse(POSE).requests[0]), points=8)
    front = search.final()
    live = LivePose(asked, search)
    panel = PosePanel(front, body_poses(asked.world, front), places_of(asked), live)
    with Viewer() as viewer:
        viewer.show(motion_of(asked.world))
        viewer.attach(panel)
        judge(viewer.address, shows("Chosen by knee", 2000))
    body = tracked_body(figure("human_upper_body"))
    with TrackViewer(body.figure, body.rest, lambda *_: None) as tracked:
        judge(tracked.address, shows("Calibrate", 2000))
    with ExerciseViewer(np.array((0.0, 1.0, 0.0)), lambda *_: None, motions=("wave",)) as exercise:
        placed = Placed(body.rest, np.eye(4))
        exercise.show(0, body.figure, placed, name="ours")
        exercise.tell(ExerciseNews("DIS 7, exercise 1", [], (0.0, 0.0), (0.0, 0.0), ("a flood",)))
        judge(exercise.address, shows("a flood", 2000))
    with FigureViewer() as figures:
        figures.show(figure("human_upper_body"))
        judge(figures.address, shows("[deg]", 2000))
    file = tmp_path / "room.art"
    file.write_text(TEXT.format(shelf=1.1).replace("human_upper_body on foot, ", ""))
    request = request_in(art.read(file), "reach")
    with Viewer() as viewer:
        attached(viewer, request, art.reach(request, remedies=False), file)
        judge(viewer.address, shows("shelf.front", 2000))
