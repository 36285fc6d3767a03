"""Only the server's thread wakes its queues, and a page says that its drawing has failed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import viser
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from articulata.geometry.shapes import Sphere
from articulata.report.viewer.motion_sources import Look, Motion
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.serving import serve, stop, stopped_by


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 20.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)


@pytest.mark.parametrize("mine", [False, True], ids=["for all pages", "for one page"])
def test_a_message_of_another_thread_leaves_the_event_to_the_server_s_own(mine: bool) -> None:
    """Where a thread sets what another one waits for, asyncio loses wakings or fails."""
    server, address = serve("127.0.0.1", None)
    line, held, go = server._websock_server, threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        go.wait(20.0)

    try:
        with connect(
            address.replace("http", "ws"),
            subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
            proxy=None,
        ) as page:
            until(lambda: line._client_state_from_id)
            (state,) = line._client_state_from_id.values()
            queue = state.message_buffer if mine else line.get_message_buffer()
            event = queue.message_event
            until(lambda: event._waiters)  # all that was to be said is said
            queue.event_loop.call_soon_threadsafe(hold)
            assert held.wait(20.0)
            queue.push(viser._messages.SetPositionMessage("/a", (7.0, 8.0, 9.0)))
            assert not event.is_set()
            assert not any(each.done() for each in event._waiters)
            go.set()
            while b"SetPositionMessage" not in told(page.recv(timeout=20.0)):
                pass
    finally:
        go.set()
        stop(server)


def told(message: object) -> bytes:
    """The words of a message, which are compressed."""
    import zstandard

    assert isinstance(message, bytes)
    size = int.from_bytes(message[8:16], "little")
    return zstandard.ZstdDecompressor().decompress(message[16 : 16 + size])


def ball(color: Any = (9, 9, 9)) -> Motion:
    poses = np.zeros((1, 1, 7))
    poses[..., 3] = 1.0
    return Motion("ball", (Look("a", Sphere(1.0), color),), np.zeros(1), poses, (0.0, 1.0, 0.0))


def test_a_page_says_that_its_drawing_has_failed() -> None:
    with Viewer() as viewer:
        viewer.show_first(ball(), within=20.0)
        viewer.show(ball("no colour"))
        until(lambda: viewer.failure)
        failure = viewer.failure
        assert failure is not None
        until(lambda: said(viewer._server))
        assert said(viewer._server) == [stopped_by(failure)]
        with pytest.raises(type(failure)):
            viewer.check()


def said(server: Any) -> list[str]:
    messages = tuple(server._websock_server.get_message_buffer().message_from_id.values())
    texts = [str(getattr(getattr(each, "props", None), "_markdown", "")) for each in messages]
    return [text for text in texts if "drawing has failed" in text]
