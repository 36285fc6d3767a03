"""What notebooks show: pictures and tables that hold the value, are small and ask nobody."""

from __future__ import annotations

import base64
import importlib
import io
import pkgutil
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import articulata as art
from articulata.records.recording import Recording
from articulata.report import notebook_views
from articulata.world.shown import Shown
from rooms import document
from small_records import ROD, a_verdict, swing

MOST = 300_000
"""Bytes of a piece of HTML."""


def pictures(html: str) -> list[Image.Image]:
    found = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    return [Image.open(io.BytesIO(base64.b64decode(each))) for each in found]


def drawn(html: str) -> bool:
    """Tell whether every picture shows more than paper."""
    shown = pictures(html)
    return bool(shown) and all(len(np.unique(np.asarray(p.convert("L")))) > 8 for p in shown)


def shown(value: Shown) -> str:
    html = value._repr_html_()
    assert len(html) < MOST
    assert not re.search(r"https?:|<script|<link|url\(", html)
    assert "\n" not in repr(value)
    assert len(repr(value)) < 200
    return html


def test_a_world_is_drawn_with_what_it_holds() -> None:
    world = art.parse(ROD).world("swing")
    html = shown(world)
    assert drawn(html)
    assert "anchor, upper, lower" in html
    assert repr(world) == "World 'swing': bodies 3, hinges 2"


def test_a_world_that_cannot_be_assembled_says_why() -> None:
    torn = ROD.replace("(0, 2, 0)", "(0, 2, 0)\n    place lower by lower.bottom at (0, 9, 0)")
    html = shown(art.parse(torn).world("swing"))
    assert "no picture: " in html
    assert not pictures(html)
    assert "anchor, upper, lower" in html


def test_a_figure_is_drawn() -> None:
    html = shown(art.figure("planar_4_2_1"))
    assert drawn(html)
    assert "3, 3 free" in html


def test_a_run_is_drawn_with_its_curves_and_events() -> None:
    run = art.simulate(art.parse(ROD).world("swing"), until=0.1, step=0.02)
    html = shown(run)
    assert drawn(html)
    assert len(pictures(html)) == 2
    assert "6 frames, 0 s to 0.1 s" in html
    alone = shown(swing())
    assert len(pictures(alone)) == 1


def test_a_front_is_drawn_with_its_chosen_posture_in_numbers() -> None:
    arm = art.figure("planar_4_2_1")
    aims = [art.Objective("discomfort", form="sum"), art.Objective("dexterity")]
    front = art.pose(arm, {"hand": [5.7, 3.6, 0.0]}, objectives=aims, points=20).final()
    html = shown(front)
    assert drawn(html)
    for value in front.values[front.chosen]:
        assert f"<td>{value:.4g}</td>" in html


def test_a_map_is_drawn_and_each_way_to_move_is_a_column() -> None:
    reached = art.reach(
        document().world("room"),
        objects=["counter.front", "shelf.front"],
        person="human_upper_body",
        mobility=[art.OnFoot(), art.Wheelchair()],
        grid=0.4,
    )
    html = shown(reached)
    assert drawn(html)
    assert "<th>on foot</th><th>manual wheelchair</th>" in html
    share = f"{reached.parts['on foot'].share(1):.1%}"
    assert f"<td>share of all points</td><td>{share}</td>" in html
    assert html.count("<td>counter.front</td>") == 1


def test_a_film_is_drawn_and_names_of_others_are_escaped() -> None:
    verdict = a_verdict()
    html = shown(verdict)
    assert drawn(html)
    assert "8 to 8" in html
    assert "joint &lt;b&gt; is too fast" in html
    assert repr(verdict) == "FilmVerdict: 2 of 3 frames follow"
    assert drawn(shown(verdict.move))
    assert repr(verdict.move) == "CameraMove: 3 frames, 0.08 s at 25 frames/s, with focal"


def test_a_large_picture_becomes_small() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (400, 500, 3)).astype(np.uint8)
    data = notebook_views._png(noise)
    assert len(data) > 2 * notebook_views.LARGEST
    less = notebook_views._smaller(data)
    assert len(less) <= notebook_views.LARGEST
    assert Image.open(io.BytesIO(less)).width > 200


def test_many_events_are_counted() -> None:
    run = swing()
    event = art.Event(0.1, "impact", ("upper",), (), {}, "bumps")
    many = replace_events(run, 40, event)
    html = shown(many)
    assert html.count("bumps") == notebook_views.ROWS
    assert f"and {40 - notebook_views.ROWS} more" in html


def replace_events(run: Recording, count: int, event: art.Event) -> Recording:
    run.__dict__["events"] = tuple(replace(event, time=0.01 * k) for k in range(count))
    return run


def test_each_kind_that_is_shown_has_a_view() -> None:
    for room in ("records", "kinematics", "world", "analyses"):
        package = importlib.import_module(f"articulata.{room}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(each.name)

    def below(kind: type) -> set[type]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    # slots make a class anew and leave the first one behind
    bare = [
        kind.__name__
        for kind in below(Shown)
        if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind
        and not any(each in notebook_views._VIEWS for each in kind.__mro__)
    ]
    assert sorted(bare) == ["Shown", "Tabular"]


@pytest.mark.parametrize("name", ["wrecking", "warehouse"])
def test_worlds_of_the_gallery_are_small(name: str) -> None:
    one = art.read(name)
    assert drawn(shown(one.world(one.worlds[-1])))


def test_a_room_is_looked_into() -> None:
    """White walls on the eye's side are left out: what stands within, a red block, is seen."""
    text = """
    primitive wall(w: length, d: length) {
      properties: (fixed, color: white); geometry: cuboid(w, 2.4 m, d)
    }
    primitive block { properties: (fixed, color: red); geometry: cuboid(50 cm, 50 cm, 50 cm) }
    world room {
      components { a, b: wall(3 m, 10 cm); c, d: wall(10 cm, 3 m); block: block }
      structure {
        place a by a.center at (0, 1.2 m, -1.5 m)
        place b by b.center at (0, 1.2 m, 1.5 m)
        place c by c.center at (-1.5 m, 1.2 m, 0)
        place d by d.center at (1.5 m, 1.2 m, 0)
        place block by block.center at (0, 25 cm, 0)
      }
    }
    """
    (seen,) = pictures(shown(art.parse(text).world("room")))
    r, g, b = np.moveaxis(np.asarray(seen.convert("RGB")).astype(int), 2, 0)
    assert ((r > 2 * g) & (r > 2 * b)).mean() > 0.005
