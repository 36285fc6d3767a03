"""What moves goes to pages that are open at once, and to those that are opened later as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
import viser
import zstandard
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from articulata.kinematics.library import figure
from articulata.records.tracking import TrackedPosture
from articulata.report.viewer import wire
from articulata.report.viewer.track_viewer import TrackViewer


def browser(address: str) -> Any:
    return connect(
        address.replace("http", "ws"),
        subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
        max_size=None,
        compression=None,
    )


def heard(page: Any, wanted: Callable[[dict[str, Any]], bool], seconds: float = 5.0) -> bool:
    """Read what a page is sent until a message is as ``wanted``."""
    until = time.monotonic() + seconds
    while (rest := until - time.monotonic()) > 0.0:
        try:
            data = page.recv(timeout=rest)
        except TimeoutError:
            break
        size = int.from_bytes(data[8:16], "little")
        told = zstandard.ZstdDecompressor().decompress(data[16 : 16 + size])
        if any(wanted(each) for each in msgspec.msgpack.decode(told)["messages"]):
            return True
    return False


def stands_at(x: float) -> Callable[[dict[str, Any]], bool]:
    return lambda told: (
        told.get("type") == "SetPositionMessage"
        and told.get("name") == "/figure"
        and abs(told["position"][0] - x) < 1e-9
    )


def test_pages_open_and_opened_later_stand_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "KEPT", 1e9)
    made = figure("jack_1995")

    def posture(x: float) -> TrackedPosture:
        base = np.array((1.0, 0.0, 0.0, 0.0, x, 0.0, 0.0))
        return TrackedPosture(x, made.neutral + 0.1 * x, base, np.zeros((2, 11)), ())

    with TrackViewer(made, made.neutral, lambda name, value: None) as viewer:
        with browser(viewer.address) as page:
            assert heard(page, lambda told: told.get("type") == "ReplayDoneMessage")
            viewer.follow(posture(1.0), time.monotonic())
            assert heard(page, stands_at(1.0))
            viewer.follow(posture(2.0), time.monotonic())
            assert heard(page, stands_at(2.0))
        # viser's queue knows nothing of it yet, and is told within a while
        monkeypatch.setattr(wire, "KEPT", 0.0)
        time.sleep(0.4)
        with browser(viewer.address) as late:
            assert heard(late, stands_at(2.0))
        assert viewer.failure is None


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 300_000])
def test_what_is_packed_without_compression_is_read_as_ever(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    packed = wire._stored(data)
    assert zstandard.ZstdDecompressor().decompress(packed) == data
    reader = StreamReader()
    reader.feed_data(wire._headed(packed))
    parsing = Frame.parse(reader.read_exact, mask=False)
    with pytest.raises(StopIteration) as ended:
        next(parsing)
    assert (ended.value.value.opcode, ended.value.value.data) == (Opcode.BINARY, packed)
