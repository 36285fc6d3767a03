"""Records as tables of pandas and xarray hold the record's numbers under its names and units."""

from __future__ import annotations

import builtins
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from rooms import document
from small_records import a_verdict, swing


def test_a_recording_is_a_data_frame_over_time() -> None:
    found = swing().to_pandas()
    assert found.index.name == "time"
    assert found.index.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert list(found)[:2] == ["geometric.place.anchor.x", "geometric.place.anchor.y"]
    assert found["geometric.place.upper.z"].tolist() == pytest.approx([0.5, 1.5, 2.5, 3.5])
    assert found["weather.wind.south"].tolist() == [0.0, 2.0, 4.0, 6.0]
    assert found.attrs["units"]["weather.wind.south"] == "m/s"
    one = swing().to_pandas(["weather.wind.north"])
    assert list(one) == ["weather.wind.north"]


def test_a_recording_is_a_dataset_with_bodies_and_axes() -> None:
    found = swing().to_xarray()
    assert found["geometric.place"].dims == ("time", "body", "axis")
    assert found["geometric.place"].attrs["units"] == "m"
    lower = found["geometric.place"].sel(body="lower", axis="y")
    assert lower.values.tolist() == pytest.approx([0.7, 1.7, 2.7, 3.7])
    assert found["weather.wind"].dims == ("time", "weather_wind_row")


def test_a_front_is_a_table_of_postures() -> None:
    arm = art.figure("planar_4_2_1")
    aims = [art.Objective("discomfort", form="sum"), art.Objective("dexterity")]
    front = art.pose(arm, {"hand": [5.7, 3.6, 0.0]}, objectives=aims, points=20).final()
    frame, data = front.to_pandas(), front.to_xarray()
    assert frame.index.name == "posture"
    assert len(frame) == len(front)
    assert frame.index[frame["chosen"]].tolist() == [front.chosen]
    assert frame.attrs["units"]["dexterity"] == "m/rad"
    # a table of its own: what the CSV of the front says
    names, units, *rows = front.rows()
    for name, unit in zip(names, units, strict=True):
        if unit:
            column = [float(row[names.index(name)]) for row in rows]
            assert frame[name].tolist() == column
            assert frame.attrs["units"][name] == unit
    for k, joint in enumerate(front.names):
        np.testing.assert_array_equal(data["q"].sel(joint=joint), front.q[:, k])


def test_a_map_of_reach_is_a_table_of_verdicts_and_points_by_way() -> None:
    reached = art.reach(
        document().world("room"),
        objects=["counter.front"],
        person="human_upper_body",
        mobility=[art.OnFoot(), art.Wheelchair()],
        grid=0.4,
    )
    frame, data = reached.to_pandas(), reached.to_xarray()
    verdict = reached.verdict("counter.front", "on foot")
    row = frame.loc[("counter.front", "on foot")]
    assert row["verdict"] == "accessible"
    assert row["discomfort"] == pytest.approx(verdict.cost, abs=1e-4)
    assert (row["x"], row["y"], row["z"]) == pytest.approx(tuple(verdict.point), abs=1e-4)
    words = data["label"].attrs["flag_meanings"].split()
    for way, part in reached.parts.items():
        share = float((data["label"].sel(mobility=way) == words.index("accessible")).mean())
        assert share == part.share(1)
    np.testing.assert_array_equal(np.stack([data[a] for a in "xyz"], axis=1), reached.points)


def test_a_film_is_a_table_over_time() -> None:
    verdict = a_verdict()
    frame, data = verdict.to_pandas(), verdict.to_xarray()
    assert frame.index.tolist() == pytest.approx([0.0, 0.04, 0.08])
    assert frame["frame"].tolist() == [7, 8, 9]
    assert frame["verdict"].tolist() == ["follows", "too fast", "follows"]
    assert frame["b"].tolist() == [1.0, 3.0, 5.0]
    # half a turn about z has the quaternion (0, 0, 0, 1); a quarter cos 45 deg, w first
    assert frame["orientation.qw"].tolist() == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-12)
    assert data["position"].sel(axis="x").values.tolist() == [0.0, 1.0, 2.0]
    move = verdict.move.to_pandas()
    assert move["focal"].tolist() == [0.02, 0.03, 0.04]
    assert move.attrs["units"]["focal"] == "m"


def test_a_carried_move_is_a_table_with_rates() -> None:
    t = np.linspace(0.0, 1.0, 101)
    q = (t**2 * (3 - 2 * t))[:, None]  # rests at both ends; its rate is 6 t (1 - t)
    carried = art.CarriedMove(("a",), t, q, t, np.tile(np.eye(4), (101, 1, 1)))
    frame = carried.to_pandas()
    np.testing.assert_allclose(frame["rate.a"], 6 * t * (1 - t), atol=1e-9)
    slid = replace(carried, units=("m",)).to_pandas().attrs["units"]
    assert (slid["a"], slid["rate.a"]) == ("m", "m/s")


@pytest.mark.parametrize("name", ["pandas", "xarray"])
def test_a_missing_library_is_told_with_the_command(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(wanted: str, *rest: Any, **more: Any) -> Any:
        if wanted.split(".")[0] == name:
            raise ImportError(wanted)
        return real(wanted, *rest, **more)

    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(art.MissingExtra, match=r"pip install 'articulata\[notebook\]'"):
        getattr(a_verdict(), f"to_{name}")()


def test_no_column_replaces_another() -> None:
    """Joints have any name, also that of another column."""
    made = a_verdict()
    frame = replace(made, joints=("frame", "b")).to_pandas()
    assert frame["frame"].tolist() == [7, 8, 9]
    assert frame["q.frame"].tolist() == [0.0, 2.0, 4.0]


def test_the_extra_that_is_named_exists() -> None:
    path = Path(art.__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(path.read_text())["project"]["optional-dependencies"]
    assert [re.split("[><=]", each)[0] for each in extras["notebook"]] == ["pandas", "xarray"]
