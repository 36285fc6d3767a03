"""What a newcomer asks of a run: whole things by their names, and why something happened."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.records.recording import Recording
from articulata.report.folder import files_of
from articulata.report.plots import plot
from articulata.report.recording_tables import table

TEXT = """
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(2 cm, 50 cm, 2 cm) where { top: (0, 25 cm, 0) }
  dynamics
}
world hang {
  gravity: (0, -9.81, 0)
  components { anchor: fixed_point; bar: rod }
  structure {
    join bar to anchor with pin(axis: z) as elbow matching (top, center) breaks at 2 N
    join bar to anchor with spring(stiffness: 10 N/m) as coil matching (center, center)
    force closer about elbow = -0.01 N*m*s/rad * rate
    place bar by elbow.angle = 80 deg
  }
}
simulate hang {
  time: (10 ms, 1 s)
  report: monitor coil, monitor closer, monitor elbow, monitor bar
}
"""
HELD = {
    "coil": ("coil.force", "coil.distance", "coil.speed"),
    "closer": ("closer.moment", "closer.angle", "closer.rate"),
    "elbow": (
        *("elbow.angle", "elbow.rate"),
        *(f"elbow.{each}.{axis}" for each in ("force", "moment") for axis in "xyz"),
    ),
    "bar": tuple(f"bar.{each}.{axis}" for each in ("center", "v", "w") for axis in "xyz"),
}


@pytest.fixture(scope="module")
def run() -> Recording:
    document = art.parse(TEXT)
    assert not document.check()
    return art.simulate(document.requests[0])


@pytest.mark.parametrize("name", HELD)
def test_a_whole_thing_is_monitored_tabled_and_plotted_by_its_name(
    run: Recording, name: str
) -> None:
    assert table(run, name).names == ("time", *HELD[name])
    assert len(plot(run, name).axes) >= 2
    (request,) = art.parse(TEXT).requests
    files = dict(files_of(run, request.reports))
    head = files[f"monitor-{name}.csv"]().decode().splitlines()[0]
    assert head == ",".join(("time", *HELD[name]))


def test_why_takes_the_name_of_what_something_happened_to(run: Recording) -> None:
    told = run.why("elbow")
    assert told == run.why(next(each for each in run.events if each.kind == "edit"))
    assert "Hinge elbow gives way" in told
    assert run.why("edit") == told
    known = "about 'elbw'; they are about closer, elbow.*, and of the kinds .*edit"
    with pytest.raises(art.NameNotFound, match=known):
        run.why("elbw")


def test_an_event_prints_its_account(run: Recording) -> None:
    assert str(run.events[0]) == run.events[0].explain()
