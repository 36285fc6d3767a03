"""A newcomer draws a bathroom in Chromium, puts a person into it and gets the report."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import articulata as art
from articulata.report.viewer.conversation import PlanServer
from articulata.sessions.reach.drawing import Drawing
from browser.pdf_words import letters_of

pytestmark = pytest.mark.browser


def put(page: Page, x: float, z: float) -> tuple[float, float]:
    """Return where on the screen a place of the plan is, after moving the mouse there."""
    px, py = page.evaluate(
        "([x, z]) => { const p = new DOMPoint(x, z).matrixTransform("
        "document.getElementById('plan').getScreenCTM()); return [p.x, p.y]; }",
        [x, z],
    )
    page.mouse.move(px, py, steps=3)
    return px, py


def click(page: Page, x: float, z: float) -> None:
    put(page, x, z)
    page.mouse.down()
    page.mouse.up()


def saved(page: Page, file: Path, said: str) -> None:
    """Wait until a text says something."""
    for _ in range(600):
        if file.exists() and said in file.read_text():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{said!r} is not in {file.read_text()}")


def test_a_bathroom_is_drawn_and_its_report_made(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bath.art"
    with PlanServer() as server:
        drawing = Drawing(file, server)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        try:
            page.goto(server.address)
            expect(page.get_by_text("How large is the room?")).to_be_visible()
            # two corners clicked, a length typed, the last wall closed
            click(page, 0.5, 0.5)
            click(page, 2.92, 0.56)  # on the grid and square: 2.4 m
            put(page, 2.9, 1.5)
            page.keyboard.type("220")
            page.keyboard.press("Enter")
            click(page, 0.5, 2.7)
            click(page, 0.5, 0.5)
            expect(page.get_by_role("button", name="toilet", exact=True)).to_be_visible()
            page.get_by_role("button", name="door", exact=True).click()
            click(page, 1.2, 2.7)
            expect(page.get_by_label("width", exact=True)).to_have_value("90")
            # a click outside, at the right: the leaf is hinged there and opens outwards
            click(page, 1.45, 3.0)
            expect(page.get_by_label("Its leaf")).to_have_value("left out")
            page.get_by_label("Its leaf").select_option("right out")
            saved(page, file, "matching (hinge, outer_right) limits (-90 deg, 0)")
            # undone by keys, though a field has the focus, and done again by the button
            page.keyboard.press("Control+z")
            expect(page.get_by_label("Its leaf")).to_have_value("left out")
            page.get_by_role("button", name="Redo").click()
            expect(page.get_by_label("Its leaf")).to_have_value("right out")
            page.get_by_role("button", name="window", exact=True).click()
            click(page, 0.5, 1.6)
            page.get_by_label("sill above the floor").fill("95")
            page.keyboard.press("Tab")
            page.get_by_label("handle").check()
            saved(page, file, "window: window(1.2 m, sill: 95 cm, high: 1.2 m)")
            expect(page.get_by_text("window: handle: reached")).to_be_visible()
            # the room is 2.4 m wide, 2.2 m deep
            page.get_by_role("button", name="measure", exact=True).click()
            click(page, 0.49, 0.52)
            click(page, 2.91, 2.69)
            expect(page.get_by_text("326 cm (240 across, 220 deep)").first).to_be_visible()
            page.keyboard.press("Escape")
            for each in ("toilet", "basin"):
                page.get_by_role("button", name=each, exact=True).click()
                expect(page.get_by_role("heading", name=each)).to_be_visible()
            # a patient by a tape
            page.get_by_label("way").select_option("wheelchair")
            expect(page.get_by_text("a woman of 170 cm in a wheelchair")).to_be_visible()
            page.get_by_text("Measured with a tape").click()
            for label, value in (
                ("stature", "162"), ("weight (empty: usual)", "60"),
                ("floor to shoulder, standing", "133"), ("floor to elbow, arm hanging", "102"),
                ("bent elbow to fingertip", "43"), ("wall to thumb, arm ahead", "74"),
                ("sole to top of knee, sitting", "50"), ("seat to crown", "85"),
                ("shoulders, widest over the muscles", "43"), ("hips, widest", "36"),
            ):  # fmt: skip
                page.get_by_label(label).fill(value)
                page.keyboard.press("Tab")
            expect(page.get_by_text("Measured with a tape (8 of 8)")).to_be_visible()
            expect(page.get_by_text("basin: lever: reached")).to_be_visible()
            # dragged along its wall, the toilet keeps its back to it
            toilet = art.read(file).world("bath").bodies["toilet"].pose.position
            assert toilet[2] == pytest.approx(0.5)
            put(page, toilet[0], toilet[2] + 0.3)
            page.mouse.down()
            put(page, toilet[0] + 0.12, toilet[2] + 0.35)
            # from its right side, 20 cm from its middle, to the wall at x = 2.9 m
            far = 2.9 - (toilet[0] + 0.1) - 0.2
            expect(page.locator("text.far", has_text=f"{100 * far:.0f} cm")).to_be_visible()
            page.mouse.up()
            at = f"toilet.foot at ({toilet[0] + 0.1:g} m, 0 m, 0.5 m)"
            saved(page, file, at)
            text = file.read_text()
            assert art.parse(text).check() == ()
            assert "person(1.62 m, 60 kg, woman, shoulder_height: 1.33 m, elbow_height:" in text
            # what cannot be is told, and nothing is lost
            page.locator("[data-opening='door']").focus()
            page.get_by_label("width", exact=True).fill("300")
            page.keyboard.press("Tab")
            expect(page.get_by_role("alert")).to_contain_text("50 to 200 cm wide")
            assert file.read_text() == text
            page.reload()
            expect(page.get_by_text("basin: lever: reached")).to_be_visible()
            page.get_by_role("button", name="Make the report").click()
            expect(page.get_by_role("link", name="Open it")).to_be_visible()
            with page.expect_popup() as opened:
                page.get_by_role("link", name="Open it").click()
            report = opened.value
            expect(report.get_by_text("basin.lever").first).to_be_visible()
            expect(report.get_by_role("heading", name="What is reached")).to_be_visible()
            said = letters_of(report.pdf())
            for each in (
                "Reach: bath", "basin.lever", "woman, 1.62 m, 60 kg; 3 objects",
                "measured: floor to shoulder 1.33 m, floor to elbow 1.02 m", "shoulders 0.43 m",
            ):  # fmt: skip
                assert each.replace(" ", "") in said
            report.close()
            page.context.add_init_script("window.print = () => { document.title = 'printed'; }")
            with page.expect_popup() as opened:
                page.get_by_role("button", name="Print or PDF").click()
            expect(opened.value).to_have_title("printed")
            opened.value.close()
            page.get_by_role("button", name="Undo").click()
            expect(page.get_by_text("from before the last change")).to_be_visible()
            assert (tmp_path / "out" / "bath" / "reach.html").is_file()
            assert not wrong
        finally:
            page.close()
            drawing.close()
        server.check()


def test_pages_of_other_sites_are_refused(tmp_path: Path) -> None:
    with PlanServer() as server:
        port = int(server.address.split(":")[2].split("/")[0])
        for path, headers, status in (
            ("/draw", {}, 200),
            ("/draw", {"Host": "elsewhere.invalid"}, 403),
            ("/flow", {"Origin": "http://elsewhere.invalid"}, 403),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", path, headers=headers)
            assert connection.getresponse().status == status
            connection.close()


def test_what_is_ticked_stays_so_until_it_is_answered(chromium: Browser) -> None:
    with PlanServer() as server:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        try:
            page.goto(server.address)
            corners = [[0, 0], [3, 0], [3, 3], [0, 3]]
            plan = {"corners": corners, "drawn": True, "things": [], "walls": [], "objects": [],
                    "openings": []}  # fmt: skip
            told = {
                "file": "room.art", "done": 0, "message": "", "palette": {}, "undo": 0, "redo": 0,
                "report": {"state": ""}, "plan": plan, "people": [], "verdicts": [], "shown": 0,
                "looked": "", "seeking": True, "codes": {"one": "Code one", "two": "Code two"},
                "rules": [], "hands": "both", "conditions": {}, "condition": "",
            }  # fmt: skip
            buttons = [
                page.get_by_role("button", name=each) for each in ("Undo", "Make the report")
            ]
            for each in buttons:  # nobody answers yet
                expect(each).to_be_disabled()
            server.say(told)
            expect(buttons[1]).to_be_enabled()
            one, two = page.get_by_label("Code one"), page.get_by_label("Code two")
            one.check()
            two.check()
            numbers: list[int] = []
            while len(numbers) < 2:
                numbers += [number for number, _ in server.wishes.take(5.0).values()]
            # a verdict came, and the first tick is answered before the second
            server.say(told | {"done": min(numbers), "rules": ["one"], "undo": 1})
            expect(page.get_by_role("button", name="Undo")).to_be_enabled()
            expect(one).to_be_checked()
            expect(two).to_be_checked()
        finally:
            page.close()


def test_things_clicked_on_at_once_stand_apart_and_codes_are_ticked(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "bath.art"
    with PlanServer() as server:
        drawing = Drawing(file, server)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        try:
            page.goto(server.address.removesuffix("/draw"))  # as somebody types it
            page.get_by_role("button", name="Make it").click()
            expect(page.get_by_role("button", name="toilet", exact=True)).to_be_visible()
            page.evaluate(
                "for (const each of ['toilet', 'basin', 'mirror'])"
                " document.querySelector(`[data-add=${each}]`).click()"
            )
            saved(page, file, "place mirror")
            bodies = art.read(file).world("bath").bodies
            toilet, basin = (bodies[each].pose.position for each in ("toilet", "basin"))
            assert abs(toilet[0] - basin[0]) + abs(toilet[2] - basin[2]) > 0.19 + 0.275
            page.get_by_label("Arrêté of 2017").check()
            saved(page, file, "rules: france_public_2017")
            page.get_by_label("Arrêté of 2017").uncheck()
            for _ in range(600):
                if "rules:" not in file.read_text():
                    break
                page.wait_for_timeout(100)
            assert "rules:" not in file.read_text()
            page.get_by_label("hands that are used").select_option("the right one")
            saved(page, file, "hands: right")
            page.get_by_label("an illness that limits them").select_option("a stroke, the left arm")
            saved(page, file, "condition: stroke left")
        finally:
            page.close()
            drawing.close()


def test_a_fridge_clicked_on_stands_clear_of_a_shelf_in_the_corner(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "kitchen.art"
    with PlanServer() as server:
        drawing = Drawing(file, server)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        try:
            page.goto(server.address)
            page.get_by_role("button", name="Make it").click()
            page.get_by_role("button", name="shelf", exact=True).hover()
            page.mouse.down()
            put(page, 0.1, 0.8)
            page.mouse.up()
            saved(page, file, "place shelf")
            expect(page.get_by_role("heading", name="shelf")).to_be_visible()
            shelf = art.read(file).world("kitchen").bodies["shelf"].pose.position
            assert shelf == pytest.approx((0.0, 0.0, 0.8))
            page.evaluate("document.querySelector('[data-add=fridge]').click()")
            saved(page, file, "place fridge")
            fridge = art.read(file).world("kitchen").bodies["fridge"].pose.position
            # along the first wall: the shelf's depth, half the fridge, and 10 cm between them
            assert fridge == pytest.approx((0.15 + 0.3 + 0.1, 0.0, 0.0))
        finally:
            page.close()
            drawing.close()


def test_corners_come_back_after_the_page_was_closed(chromium: Browser, tmp_path: Path) -> None:
    file, kept = tmp_path / "room.art", tmp_path / "room.corners.json"
    for number in range(2):  # another start has another address
        with PlanServer() as server:
            drawing = Drawing(file, server)
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            try:
                page.goto(server.address)
                if number == 0:
                    click(page, 0.5, 0.5)
                    click(page, 2.9, 0.5)
                    click(page, 2.9, 2.7)
                    saved(page, kept, ", 2.7]]")
                    continue
                expect(page.locator("circle.corner")).to_have_count(3)
                click(page, 0.5, 2.7)
                click(page, 0.5, 0.5)
                saved(page, file, "reach room")
                assert not kept.exists()
            finally:
                page.close()
                drawing.close()
