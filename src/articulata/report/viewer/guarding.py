"""Makes the viewer's server refuse requests of other sites' pages.

viser serves with ``websockets`` and offers no place to look at a request. So its call of
``websockets.asyncio.server.serve`` is led through ours while a server starts; calls of anybody else
meanwhile are passed on as they are. Whether the guard stands is then asked of the server itself:
should a later viser serve in another way, no viewer starts rather than an open one.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

from articulata.admission import LOCAL, refusal
from articulata.errors import ArticulataError

_STARTING = threading.Lock()


@contextlib.contextmanager
def guarded(host: str) -> Iterator[None]:
    """Guard the viser servers that are started within, which listen at ``host``."""
    import websockets.asyncio.server as serving

    with _STARTING:
        plain: Callable[..., Any] = serving.serve

        def serve(handler: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
            if handler.__module__.partition(".")[0] == "viser":
                options["process_request"] = _asked_first(options.get("process_request"), host)
            return plain(handler, *arguments, **options)

        serving.serve = serve  # type: ignore[assignment,misc] # a function in place of a class
        try:
            yield
        finally:
            serving.serve = plain  # type: ignore[assignment,misc] # the class again


def is_guarded(host: str, port: int) -> bool:
    """Tell whether the server at ``port`` refuses a page of another site; asked by such a one."""
    way = LOCAL[1] if host in ("0.0.0.0", "") else LOCAL[2] if host == "::" else host
    request = (
        f"GET / HTTP/1.1\r\nHost: {way}:{port}\r\nOrigin: http://elsewhere.invalid\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    try:
        with socket.create_connection((way, port), timeout=10) as probe:
            probe.sendall(request.encode())
            answer = probe.recv(64)
    except OSError:
        return False
    return answer.startswith(b"HTTP/1.1 403")


def unguarded() -> ArticulataError:
    """Return the error for a server that took the request of another site's page."""
    return ArticulataError(
        "the installed viser takes requests of any site's page, so the viewer was not started;"
        " install the version of viser that this version of Articulata was made with"
    )


def _asked_first(then: Callable[..., Any] | None, host: str) -> Callable[..., Any]:
    """Return how a request is answered: refused by our rule, else by ``then``."""

    def answer(connection: Any, request: Any) -> Any:
        why = refusal(list(request.headers.raw_items()), host)
        if why:
            return connection.respond(403, f"{why}\n")
        return None if then is None else then(connection, request)

    return answer
