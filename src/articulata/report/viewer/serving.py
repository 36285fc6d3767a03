"""A server on the loopback address, as all viewers want it.

Nothing leaves the machine: page, scripts and data come from this server alone. It talks to its own
page and to programs, not to pages of other sites (``articulata.admission``).
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.report.viewer.guarding import Beside, guarded, is_guarded, unguarded

FIRST_PORT, LAST_PORT = 8080, 8179


def serve(host: str, port: int | None, beside: Beside | None = None) -> tuple[Any, str]:
    """Start a server at ``port``, or a free one; return it and its address.

    ``beside`` is what it serves beside the viewer.
    """
    import viser

    chosen = _free_port(host) if port is None else port
    if not _is_free(host, chosen):
        raise ArticulataError(
            f"port {chosen} on {host} is taken or not allowed; name another one from 1024 to "
            "65535, or none for a free one"
        )
    with guarded(host, beside), contextlib.redirect_stdout(io.StringIO()):
        # Even told to be quiet, the server prints a frame with addresses; we say our own.
        server = viser.ViserServer(host=host, port=chosen, label="Articulata", verbose=False)
    if not is_guarded(host, server.get_port()):
        stop(server)
        raise unguarded()
    server.gui.configure_theme(
        control_width="small", show_logo=False, show_share_button=False, brand_color=(31, 111, 235)
    )
    return server, f"http://{host}:{server.get_port()}"


def stop(server: Any) -> None:
    """Close a server."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


@contextlib.contextmanager
def at_once(to: Any) -> Iterator[None]:
    """Send what is changed within together, as soon as it ends; ``to`` a server or one client.

    viser's own ``atomic`` and ``flush`` wake its thread one after the other; in a picture that is
    to leave within a millisecond, each waking is a tenth of it. Both are done in one here.
    """
    line = to._websock_server if hasattr(to, "_websock_server") else to._websock_connection
    buffer = line.get_message_buffer()
    buffer.atomic_start()
    try:
        yield
    finally:
        with buffer.buffer_lock:
            buffer.atomic_counter -= 1
            outermost = buffer.atomic_counter == 0
        if outermost:
            with contextlib.suppress(RuntimeError):  # a server that was stopped has nobody to wake
                buffer.event_loop.call_soon_threadsafe(_wake, buffer)


def _wake(buffer: Any) -> None:
    buffer.message_event.set()
    buffer.flush_event.set()


def look_from(server: Any, place: Array, target: Array, up: Sequence[float], *, now: bool) -> None:
    """Let who opens the page look from ``place`` (3,) at ``target`` (3,) m; all others ``now``."""
    camera = server.initial_camera
    camera.position, camera.look_at, camera.up = tuple(place), tuple(target), tuple(up)
    for client in server.get_clients().values() if now else ():
        client.camera.up_direction = tuple(up)
        client.camera.position = place
        client.camera.look_at = target


def path_of(server: Any, client: int) -> str:
    """Return the path by which a client of a server came, "/" where that is not known."""
    # viser tells its clients apart by numbers alone; the connections are its own
    connections = getattr(server._websock_server, "_live_connections", {})
    connection = connections.get(client)
    return "/" if connection is None else str(connection.request.path).partition("?")[0]


def _free_port(host: str) -> int:
    """Return the first port of our range that nobody listens on."""
    for port in range(FIRST_PORT, LAST_PORT + 1):
        if _is_free(host, port):
            return port
    raise ArticulataError(
        f"all ports from {FIRST_PORT} to {LAST_PORT} on {host} are taken; close another viewer "
        "or name a free port"
    )


def _is_free(host: str, port: int) -> bool:
    import socket

    with socket.socket() as probe:
        # As the server will: a port in the wait after a close counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError):
            return False
    return True
