"""The page of film: what it serves, what it hears, whom it refuses."""

from __future__ import annotations

import http.client
import json
import time

import numpy as np
import pytest
import websockets.sync.client as client
from websockets.exceptions import InvalidStatus

from articulata.geometry.arrays import Array
from articulata.geometry.camera import Lens
from articulata.report.viewer.theatre import Theatre


@pytest.fixture(scope="module")
def theatre() -> object:
    with Theatre(Lens(0.035)) as opened:
        yield opened


def port(theatre: Theatre) -> int:
    return int(theatre.address.split(":")[2].split("/")[0])


def asked(theatre: Theatre, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port(theatre), timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_the_page_and_its_two_views_are_served(theatre: Theatre) -> None:
    status, text = asked(theatre, "/film")
    assert status == 200
    assert "aspect-ratio: 1.5" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    for path in ("/view", "/camera", "/"):
        assert asked(theatre, path)[0] == 200
    assert asked(theatre, "/elsewhere")[0] == 404


def test_pages_of_other_sites_are_refused(theatre: Theatre) -> None:
    assert asked(theatre, "/film", Host="elsewhere.invalid")[0] == 403
    assert asked(theatre, "/film", Origin="http://elsewhere.invalid")[0] == 403
    with pytest.raises(InvalidStatus):
        client.connect(
            f"ws://127.0.0.1:{port(theatre)}/flow",
            origin="http://elsewhere.invalid",  # type: ignore[arg-type]
        )


def test_reports_and_wishes_arrive_and_states_leave(theatre: Theatre) -> None:
    with client.connect(f"ws://127.0.0.1:{port(theatre)}/flow") as flow:
        theatre.say({"state": "follows"})
        assert json.loads(flow.recv(timeout=20)) == {"state": "follows"}
        flow.send(json.dumps({"report": [0, 0.5, 0, 0, 0, -1]}))
        flow.send(json.dumps({"do": "seek", "to": 1.5}))
        flow.send(json.dumps({"set": "mode", "to": "object"}))
        for nonsense in (
            "{",
            "[]",
            "7",
            '{"report": [1]}',
            '{"report": ["x",1,1,1,1,1]}',
            "x" * 9999,
        ):
            flow.send(nonsense)
        flow.send(b"\x00\x01")
        heard: dict[str, object] = {}
        end = time.monotonic() + 20
        while len(heard) < 3 and time.monotonic() < end:
            heard.update(theatre.wishes.take(0.1))
        assert heard == {
            "report": (0.0, 0.5, 0.0, 0.0, 0.0, -1.0), "do:seek": 1.5, "set:mode": "object",
        }  # fmt: skip
    end = time.monotonic() + 20
    while theatre.talking and time.monotonic() < end:
        time.sleep(0.02)
    assert theatre.talking == 0


def test_what_moves_by_less_than_any_picture_shows_is_not_drawn(theatre: Theatre) -> None:
    X, lens = np.eye(4), Lens(0.035)

    def drawn(X: Array) -> bool:
        return theatre.stage.draw(None, X, (0, 0, 0), lens, (X, lens))

    assert drawn(X)
    rounded = X.copy()
    rounded[0, 2] = 1.6e-19  # an arm at rest
    assert not drawn(rounded)
    creeping = [X + np.eye(4)[0][:, None] * np.eye(4)[3] * k * 4e-10 for k in range(1, 5)]
    assert [drawn(each) for each in creeping] == [False, False, True, False]
