"""The viewer's socket as pages of other sites find it: closed."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from articulata.errors import ArticulataError
from articulata.report.viewer import serving
from articulata.report.viewer.server import Viewer


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with Viewer() as viewer:
        yield int(viewer.address.rpartition(":")[2])


def greeted(port: int, host: str = "", origin: str = "") -> bytes:
    """The first message of a viewer that is asked at ``port`` under another name or origin."""
    import viser

    headers = {"Origin": origin} if origin else {}
    with connect(
        f"ws://{host or '127.0.0.1'}:{port}",
        sock=socket.create_connection(("127.0.0.1", port)),  # where a rebound name leads
        additional_headers=headers,
        subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
        proxy=None,
    ) as server:
        answer = server.recv(timeout=20)
    assert isinstance(answer, bytes)
    return answer


def test_a_program_and_its_own_page_are_answered(port: int) -> None:
    assert greeted(port)
    assert greeted(port, origin=f"http://127.0.0.1:{port}")
    assert greeted(port, "localhost", f"http://localhost:{port}")


def test_a_port_that_is_taken_meanwhile_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where two viewers of one program start at once and find the same port free."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(serving, "_free_port", lambda host: taken)
        with Viewer() as viewer:
            assert int(viewer.address.rpartition(":")[2]) > taken


def page_and_encoding(port: int) -> tuple[bytes, str]:
    asked = Request(f"http://127.0.0.1:{port}", headers={"Accept-Encoding": "gzip"})
    with urlopen(asked, timeout=20) as answer:
        return answer.read(), answer.headers["Content-Encoding"]


def test_the_page_comes_as_it_is_within_one_machine(port: int) -> None:
    page, encoding = page_and_encoding(port)
    assert encoding == "identity"
    assert page.lstrip().lower().startswith(b"<!doctype html>")


def test_a_program_that_names_no_encoding_gets_the_page(port: int) -> None:
    """As curl asks; urlopen would name an encoding by itself."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert line.recv(64).startswith(b"HTTP/1.1 200 ")


def test_the_page_comes_compressed_to_another_machine(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = property(lambda _: ("192.0.2.7", 50000))
    monkeypatch.setattr(ServerConnection, "remote_address", far)
    page, encoding = page_and_encoding(port)
    assert encoding == "gzip"
    assert gzip.decompress(page).lstrip().lower().startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("peer", "near"),
    [
        (("127.0.0.1", 5), True),
        (("::1", 5, 0, 0), True),
        (("::ffff:127.0.0.1", 5, 0, 0), True),
        (("::ffff:192.0.2.7", 5, 0, 0), False),
        (("fe80::1%eth0", 5, 0, 2), False),
        (None, False),
    ],
)
def test_who_is_on_this_machine(peer: object, near: bool) -> None:
    assert serving._is_near(peer) is near


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("", "http://evil.example"),
        ("", "null"),
        ("evil.example", ""),
        ("evil.example", "http://evil.example"),
    ],
)
def test_a_page_of_another_site_gets_no_socket(port: int, host: str, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        greeted(port, host, origin)
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}])
def test_a_page_of_another_site_gets_no_file(port: int, headers: dict[str, str]) -> None:
    with urlopen(f"http://127.0.0.1:{port}/", timeout=20) as page:
        assert b"<html" in page.read(2000)
    with pytest.raises(HTTPError, match="403"):
        urlopen(Request(f"http://127.0.0.1:{port}/", headers=headers), timeout=20)


def test_a_viewer_that_cannot_be_guarded_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    # as a viser would be that serves in another way
    monkeypatch.setattr(serving, "_asked_first", lambda then, *_: then)
    with pytest.raises(ArticulataError, match="takes requests of any site's page"):
        Viewer()
