"""A server on the loopback address, as all viewers want it, which refuses other sites' pages.

Nothing leaves the machine: page, scripts and data come from this server alone. It talks to its own
page and to programs, not to pages of other sites (``articulata.admission``).

viser serves with ``websockets`` and offers no place to look at a request. So its call of
``websockets.asyncio.server.serve`` is led through ours while a server starts; calls of anybody else
meanwhile are passed on as they are. Whether the guard stands is then asked of the server itself:
should a later viser serve in another way, no viewer starts rather than an open one.

Whoever draws puts messages into viser's queues and wakes the server's thread. viser also sets the
queue's ``asyncio.Event`` from the drawing thread itself, which asyncio does not allow: on a busy
machine that ended the drawing ("deque mutated during iteration"), or left the queue asleep for
good. So the queues of our servers have events that their own thread alone sets.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http
import io
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any, Self, cast
from weakref import WeakKeyDictionary

import numpy as np

from articulata.admission import LOCAL, refusal
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.report.viewer.keys import Key, Keys
from articulata.report.viewer.lights import VIEW

_STARTING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Beside:
    """What a viser server serves beside its own page, at paths of its own.

    ``pages`` are HTML pages by path; ``views`` are further paths of viser's own page, by which its
    clients can be told apart; ``talk`` takes the WebSocket connections to ``talks``. ``title``
    is what viser's page shows now.
    """

    pages: Mapping[str, bytes] = field(default_factory=dict)
    views: tuple[str, ...] = ()
    talks: str = ""
    talk: Callable[[Any], Awaitable[None]] | None = None
    title: Callable[[], str] = str


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
            # a view within another page stays as light as it is
            more = HEAD if path in beside.views else HEAD + DARK
            if path in beside.views:
                request.path = path = "/"
            if path == "/" and then is not None:
                # Within one machine, to compress the page takes longer than to send it.
                taken = ", ".join(request.headers.get_all("Accept-Encoding"))
                packed = "gzip" in taken and not _is_near(connection.remote_address)
                if taken:
                    del request.headers["Accept-Encoding"]
                return _as_ours(then(connection, request), beside.title(), more, packed=packed)
        return None if then is None else then(connection, request)

    return answer


TITLE = b"<title>Viser</title>"
"""What viser's page is called by itself."""

HEAD, DARK = (files(__package__).joinpath(f"{x}.html").read_bytes() for x in ("head", "dark"))
"""What viser's page lacks: paper, contrast, names of its controls; and, where its address says what
is dark, that it be dark where all others are."""


def _as_ours(response: Any, title: str, more: bytes, *, packed: bool) -> Any:
    """Return viser's page under ``title`` with ``more`` in its head, ``packed`` by gzip."""
    if response is None or response.status_code != http.HTTPStatus.OK:
        return response
    named = f"<title>{escape(f'{title} - Articulata' if title else 'Articulata')}</title>"
    body = response.body.replace(TITLE, named.encode() + more, 1)
    response.body = _packed(body) if packed else body
    del response.headers["Content-Length"], response.headers["Content-Encoding"]
    response.headers["Content-Length"] = str(len(response.body))
    response.headers["Content-Encoding"] = "gzip" if packed else "identity"
    return response


@lru_cache(maxsize=4)
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


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


class OwnEvent(asyncio.Event):
    """An event of ``loop``; in other threads ``set`` does nothing.

    viser's queues set their event in the loop too, after each message or group of messages.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._own = loop

    def set(self) -> None:
        """Wake who waits, in the loop's own thread."""
        with contextlib.suppress(RuntimeError):  # no loop runs in this thread
            if asyncio.get_running_loop() is self._own:
                super().set()


@lru_cache(maxsize=1)
def _wake_by_own_thread() -> None:
    """Let the queues that viser makes from now on have events of the server's own thread."""
    from viser.infra import _infra
    from viser.infra._async_message_buffer import AsyncMessageBuffer

    class Queue(AsyncMessageBuffer):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.message_event = OwnEvent(self.event_loop)

    _infra.AsyncMessageBuffer = Queue  # type: ignore[attr-defined] # ours in its place


FIRST_PORT, LAST_PORT = 8080, 8179


def serve(host: str, port: int | None, beside: Beside | None = None) -> tuple[Any, str]:
    """Start a server at ``port``, or a free one; return it and its address.

    ``beside`` is what it serves beside the viewer.
    """
    import viser

    # Where somebody else takes the free port meanwhile, viser goes on to the next.
    chosen = _free_port(host) if port is None else port
    if port is not None and not _is_free(host, port):
        raise ArticulataError(
            f"port {port} on {host} is taken or not allowed; name another one from 1024 to "
            "65535, or none for a free one"
        )
    _wake_by_own_thread()
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


class PageServer:
    """A viewer's server at ``address``, and the thread that draws once there is one.

    ``failure`` is what has ended the drawing, if anything. Use it as a context manager, or
    ``close`` it. ``title`` is what its page is called when it is opened.
    """

    def __init__(self, host: str, port: int | None, beside: Beside | None = None) -> None:
        self.title = ""
        named = replace(beside or Beside(), title=lambda: self.title)
        self._server, self.address = serve(host, port, named)
        self.failure: BaseException | None = None
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def _meet(self, client: Any) -> None:
        """Fit the view of a page to its shape whenever it looks from where it was put.

        A slow browser tells its shape late, what is said to all may come after the fit, and
        somebody turns the phone.
        """

        def fit(camera: Any) -> None:
            first = self._server.initial_camera
            place, shape = _PUT.get(client, (first.position, 0.0))
            begun = np.allclose(camera.position, first.position, atol=1e-6)
            turned = camera.aspect != shape and np.allclose(camera.position, place, atol=1e-6)
            if first.up is not None and (begun or turned):
                self._fit_view(client)

        client.camera.on_update(fit)(client.camera)

    def _fit_view(self, client: Any) -> None:
        """Let a phone's reader see above the panels what others see beside them."""
        first = self._server.initial_camera
        turn(client, np.array(first.position), np.array(first.look_at), first.up)

    def _listen(self, *keys: Key) -> None:
        """Offer ``keys``, the list of them and a picture."""
        Keys(self._server, lambda: self.title, keys)

    def _begin(self, name: str, draw: Callable[[], None]) -> None:
        """Let ``draw`` go on in a thread called ``name`` until it is closing."""
        self._server.on_client_connect(self._meet)

        def run() -> None:
            try:
                draw()
            except BaseException as failure:
                self._fail(failure)

        self._thread = threading.Thread(target=run, name=name, daemon=True)
        self._thread.start()

    def _fail(self, failure: BaseException) -> None:
        """Note what has ended the drawing, and say so above all controls of the page."""
        self.failure = failure
        with contextlib.suppress(Exception):  # what cannot be drawn may not be said either
            self._server.gui.add_markdown(stopped_by(failure), order=-1.0)
            self._server.flush()

    @property
    def clients(self) -> Mapping[int, Any]:
        """The browsers that look on, by number."""
        return cast(Mapping[int, Any], self._server.get_clients())

    def check(self) -> None:
        """Raise what has ended the drawing, if anything has."""
        if self.failure is not None:
            raise self.failure

    def wait(self) -> None:
        """Return when the viewer is closed from elsewhere or the user presses Ctrl-C."""
        try:
            while not self._closing.wait(0.2):
                self.check()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop drawing and close the server."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=5)
        stop(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def stopped_by(failure: BaseException) -> str:
    """Return what a page says of the failure that has ended its drawing, as Markdown."""
    what = f"{type(failure).__name__}: {failure}".replace("*", "")
    return f"**This picture stands still: its drawing has failed. Start it again. {what}**"


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
        turn(client, place, target, up)


PHONE, SHEET = 0.7, -0.2
"""Width as a share of the height below which a page is a phone's, where panels are a sheet below;
the sheet's upper edge, in halves of the height below the middle."""

FARTHER = 2.4
"""A phone's reader is so many times as far away: less than half of the height is free."""


_PUT: WeakKeyDictionary[Any, tuple[Any, float]] = WeakKeyDictionary()
"""Where we put the eye of each client, and what shape its page had."""


def turn(
    client: Any, place: Array, target: Array, up: Sequence[float], *, fitted: bool = False
) -> None:
    """Let one client look from ``place`` (3,) at ``target`` (3,) m.

    On a phone it is farther away and sees the target above the sheet of panels, unless ``fitted``.
    """
    if client.camera.aspect < PHONE and not fitted:
        back = FARTHER * (place - target)
        above = np.cross(back, np.cross(up, back))
        slope = 0.5 * (1.0 - SHEET) * np.tan(0.5 * VIEW)
        place = target + back
        target = target - slope * np.linalg.norm(back) * above / np.linalg.norm(above)
    _PUT[client] = place, client.camera.aspect
    if not np.allclose((client.camera.position, client.camera.look_at), (place, target), atol=1e-6):
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
