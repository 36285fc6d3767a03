"""Makes the viewer's server refuse requests of other sites' pages.

viser serves with ``websockets`` and offers no place to look at a request. So its call of
``websockets.asyncio.server.serve`` is led through ours while a server starts; calls of anybody else
meanwhile are passed on as they are. Whether the guard stands is then asked of the server itself:
should a later viser serve in another way, no viewer starts rather than an open one.
"""

from __future__ import annotations

import contextlib
import http
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from articulata.admission import LOCAL, refusal
from articulata.errors import ArticulataError

_STARTING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Beside:
    """What a viser server serves beside its own page, at paths of its own.

    ``pages`` are HTML pages by path; ``views`` are further paths of viser's own page, by which its
    clients can be told apart; ``talk`` takes the WebSocket connections to ``talks``.
    """

    pages: Mapping[str, bytes] = field(default_factory=dict)
    views: tuple[str, ...] = ()
    talks: str = ""
    talk: Callable[[Any], Awaitable[None]] | None = None


@contextlib.contextmanager
def guarded(host: str, beside: Beside | None = None) -> Iterator[None]:
    """Guard the viser servers that are started within, which listen at ``host``."""
    import websockets.asyncio.server as serving

    more = Beside() if beside is None else beside

    with _STARTING:
        plain: Callable[..., Any] = serving.serve

        def serve(handler: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
            if handler.__module__.partition(".")[0] == "viser":
                options["process_request"] = _asked_first(
                    options.get("process_request"), host, more
                )
                handler = _parted(handler, more)
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


def _asked_first(then: Callable[..., Any] | None, host: str, beside: Beside) -> Callable[..., Any]:
    """Return how a request is answered: by our rule, by a page of ours, else by ``then``."""

    def answer(connection: Any, request: Any) -> Any:
        why = refusal(list(request.headers.raw_items()), host)
        if why:
            return connection.respond(403, f"{why}\n")
        if request.headers.get("Upgrade") is None:
            path = request.path.partition("?")[0]
            if path in beside.pages:
                response = connection.respond(http.HTTPStatus.OK, "")
                response.body = beside.pages[path]
                del response.headers["Content-Type"], response.headers["Content-Length"]
                response.headers["Content-Type"] = "text/html; charset=utf-8"
                response.headers["Content-Length"] = str(len(response.body))
                return response
            if "Accept-Encoding" in request.headers and _is_near(connection.remote_address):
                # Within one machine, to compress the page takes longer than to send it.
                del request.headers["Accept-Encoding"]
            if path in beside.views:
                request.path = "/"
        return None if then is None else then(connection, request)

    return answer


def _is_near(peer: Any) -> bool:
    """Tell whether ``peer``, a socket's address, is on this machine (or forwards from it)."""
    try:
        address = ipaddress.ip_address(peer[0].partition("%")[0])
    except (AttributeError, IndexError, TypeError, ValueError):
        return False
    # A server that listens at "::" is told IPv4 peers as "::ffff:127.0.0.1".
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _parted(handler: Callable[..., Any], beside: Beside) -> Callable[..., Any]:
    """Return what takes a connection: our talk at its path, else ``handler``."""
    talk = beside.talk
    if talk is None:
        return handler

    async def part(connection: Any) -> None:
        path = connection.request.path.partition("?")[0]
        await (talk if path == beside.talks else handler)(connection)

    return part
