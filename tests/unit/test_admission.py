"""Which requests a server of ours answers: those of its own page and of programs."""

from __future__ import annotations

import pytest

from articulata.admission import refusal

HERE = ("Host", "127.0.0.1:8080")


@pytest.mark.parametrize(
    ("headers", "bound"),
    [
        ([HERE], "127.0.0.1"),  # a program, or an address typed by hand
        ([HERE, ("Origin", "http://127.0.0.1:8080")], "127.0.0.1"),
        ([("host", "LOCALHOST:8080"), ("origin", "http://localhost:8080")], "127.0.0.1"),
        (
            [("Host", "localhost:9000"), ("Origin", "http://localhost:9000")],
            "127.0.0.1",
        ),  # a tunnel
        ([("Host", "[::1]:8080"), ("Origin", "http://[::1]:8080")], "127.0.0.1"),
        ([("Host", "robot.lab:8080"), ("Origin", "http://robot.lab:8080")], "robot.lab"),
        ([("Host", "192.168.0.7:8080"), ("Origin", "https://192.168.0.7:8080")], "0.0.0.0"),
        ([HERE, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Dest", "document")], "127.0.0.1"),
        ([HERE, ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "script")], "127.0.0.1"),
    ],
)
def test_its_own_page_and_programs_are_answered(headers: list[tuple[str, str]], bound: str) -> None:
    assert refusal(headers, bound) == ""


@pytest.mark.parametrize(
    ("headers", "bound", "said"),
    [
        ([HERE, ("Origin", "http://evil.example")], "127.0.0.1", "pages of 'http://evil.example'"),
        ([HERE, ("Origin", "http://127.0.0.1:9000")], "127.0.0.1", "only its own pages"),
        ([HERE, ("Origin", "http://127.0.0.1:8080.evil.example")], "127.0.0.1", "only its own"),
        ([HERE, ("Origin", "null")], "127.0.0.1", "only its own pages"),
        ([HERE, ("Origin", "")], "127.0.0.1", "only its own pages"),
        ([("Host", "evil.example:8080")], "127.0.0.1", "is not the address of this server"),
        ([("Host", "evil.example"), ("Origin", "http://evil.example")], "0.0.0.0", "is not the"),
        ([("Host", "192.168.0.7:8080")], "127.0.0.1", "is not the address of this server"),
        ([("Host", "127.0.0.1.evil.example")], "127.0.0.1", "is not the address"),
        ([("Host", "127.0.0.1:8080@evil.example")], "127.0.0.1", "is not the address"),
        ([("Host", "[::1")], "127.0.0.1", "is not the address"),
        ([("Host", "")], "0.0.0.0", "is not the address"),
        ([], "127.0.0.1", "names one Host"),
        ([HERE, ("Host", "evil.example")], "127.0.0.1", "names one Host"),
        ([HERE, ("Origin", "http://127.0.0.1:8080"), ("Origin", "http://evil.example")],
         "127.0.0.1", "at most one Origin"),
        ([HERE, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Dest", "script")],
         "127.0.0.1", "another site's page"),
        ([HERE, ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Dest", "iframe")],
         "127.0.0.1", "another site's page"),
    ],
)  # fmt: skip
def test_pages_of_other_sites_are_refused_with_the_reason(
    headers: list[tuple[str, str]], bound: str, said: str
) -> None:
    assert said in refusal(headers, bound)
