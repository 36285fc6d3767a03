"""Forces as arrows, and why things happened: from recordings alone."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import articulata as art
import recorded
from articulata.records.events import Event
from articulata.report.accounts import account, chain, parties
from articulata.report.arrows import Arrows, arrows_of, drawn
from articulata.report.page.recording_page import page
from articulata.report.viewer.plot import with_lines

TEXT = """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(10 cm); dynamics }
world bounce {
  gravity: (0, -10, 0)
  components { floor: ground; ball: ball }
  structure { place ball by ball.center at (0, 1.1, 0) }
}
"""


@pytest.fixture(scope="module")
def bounce() -> art.Recording:
    return art.simulate(art.parse(TEXT).world("bounce"), until=2.0, step=0.05)


def test_a_ball_at_rest_is_carried_by_an_upward_arrow(bounce: art.Recording) -> None:
    (contact,) = arrows_of(bounce)
    weight = 1000 * 4 / 3 * np.pi * 0.1**3 * 10
    assert contact.kind == "contact"
    assert contact.usual == pytest.approx(weight)
    assert np.isnan(contact.values[0]).all()  # in the air
    start, end = drawn(contact.values[-1], 0.5 / weight, 10.0)
    np.testing.assert_allclose(start, bounce.series("ball.center")[-1:] - (0, 0.1, 0), atol=1e-9)
    np.testing.assert_allclose(end - start, [(0, 0.5, 0)], atol=1e-12)
    start, end = drawn(contact.values[-1], 0.5 / weight, 0.25)
    np.testing.assert_allclose(end - start, [(0, 0.25, 0)], atol=1e-12)
    assert drawn(contact.values[0], 1.0, 1.0)[0].shape == (0, 3)


def test_hinge_arrows_stand_where_the_hinge_is() -> None:
    recording = recorded.swing(5)
    (hinge,) = arrows_of(recording)
    assert hinge.values.shape == (5, 3, 6)
    np.testing.assert_allclose(hinge.values[:, 0, :3], np.tile((0.0, 2.0, 0.0), (5, 1)), atol=1e-12)
    force = recording.array("dynamic.hinge_force")[:, :, :3]
    np.testing.assert_array_equal(hinge.values[:, :, 3:], force)


def test_one_peak_does_not_hide_the_rest() -> None:
    values = np.zeros((100, 1, 6))
    values[:, 0, 3] = 1.0
    values[50, 0, 3] = 1e6
    assert Arrows("hinge", values).usual == 1.0
    assert Arrows("hinge", np.zeros((3, 0, 6))).usual == 0.0


def test_an_impact_is_accounted_for(bounce: art.Recording) -> None:
    first = account(bounce, 0)
    rows = dict(first.rows)
    assert first.event.kind == "impact"
    assert first.chain == ()
    assert rows["law"] == "Newton"
    assert rows["where"] == "ball.surface on floor.top"
    assert rows["text"] == "<text>, line 5"
    assert rows["restitution"] == "0.5"
    assert rows["approach speed"] == "4.47214 m/s"
    assert rows["kinetic"] == "41.8879 \u2192 10.472 J (\u221231.42)"
    assert rows["energy"] == "46.0767 \u2192 14.6608 J (\u221231.42)"
    assert rows["contact rows"] == "0 \u2192 0"
    assert rows["rank"] == "6 \u2192 6"
    assert account(bounce, 2).chain == (0, 1)


def test_what_happens_at_once_does_not_lead_to_one_another() -> None:
    events = (
        Event(0.0, "contact", ("a", "floor")),
        Event(0.0, "contact", ("a", "b")),
        Event(1.0, "impact", ("b", "c")),
        Event(1.0, "separation", ("b", "a")),
        Event(2.0, "impact", ("d", "floor")),
    )
    taking_part = tuple(frozenset(event.who) - {"floor"} for event in events)
    assert chain(events, 1, taking_part) == ()
    assert chain(events, 3, taking_part) == (1, 2)
    assert chain(events, 4, taking_part) == ()
    long = tuple(Event(float(k), "impact", ("a",)) for k in range(100))
    assert chain(long, 99, (frozenset("a"),) * 100) == tuple(range(87, 99))


def test_an_edit_follows_from_its_causes_and_a_fall_from_the_edit() -> None:
    world = recorded.chain(3)
    events = (
        Event(0.5, "impact", ("ball", "floor")),
        Event(1.0, "break", ("p.h2_1",)),
        Event(1.0, "edit", ("p.h2_1",), values={"causes": (1.0,), "asked": 2.0}),
        Event(2.0, "condition", ("p.rod[3].center.y",)),
        Event(3.0, "impact", ("p.rod[2]", "p.anchor")),
    )
    taking_part = parties(world, events)
    assert taking_part[0] == {"ball", "floor"}  # unknown here, so nobody knows whether they move
    assert taking_part[1] == taking_part[2] == taking_part[3] == taking_part[4]
    assert len(taking_part[4]) == 1  # the anchor never moves
    assert chain(events, 2, taking_part) == (1,)
    assert chain(events, 4, taking_part) == (1, 2, 3)


def test_lines_in_a_chart_are_upright() -> None:
    times, up = with_lines(np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.0]))
    assert times.tolist() == [0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 2.0]
    assert up.tolist() == [0, 0, 1, 0, 0, 0, 1, 0, 0]


HANGING = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
world lamp {
  gravity: (0, -10, 0)
  components { hook: fixed_point; lamp, other: ball }
  structure {
    place hook by hook at (0, 2, 0)
    join lamp to hook with weld as cord matching (center, center)
    join other to lamp with ball as link matching (center, center)
  }
}
"""


def test_a_page_holds_forces_and_accounts_and_forgets_hinges_that_broke() -> None:
    def commands(time: float, world: art.World) -> list[art.Command]:
        return [art.Command("let go", (art.BreakHinge("cord"),))] if time == 0.5 else []

    world = art.parse(HANGING).world("lamp")
    recording = art.simulate(world, until=1.0, step=0.1, commands=commands)
    html = page(recording, every=0.2)
    data = json.loads(re.search(r'id="recording">(.*?)</script>', html, re.S)[1])  # type: ignore[index]
    assert [each["kind"] for each in data["arrows"]] == ["hinge"]
    assert data["arrows"][0]["count"] == 2
    by_body = {data["bodies"][joint["body"]]["name"]: joint["frames"] for joint in data["joints"]}
    # frames at 0, 0.2, 0.4 s, then the first from 0.6 s on, which has lost the cord
    assert by_body == {"lamp": [0, 2], "other": None}
    accounts = [dict(each["rows"]) for each in data["accounts"]]
    assert accounts[0]["command"] == "let go"
    assert accounts[1]["hinges broken"] == "cord"
    assert "asked" not in accounts[1]
    assert data["accounts"][1]["chain"] == [0]
