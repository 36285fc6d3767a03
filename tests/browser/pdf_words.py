"""What a PDF says that Chromium printed, letter by letter, without a library."""

from __future__ import annotations

import re
import unicodedata
import zlib


def letters_of(pdf: bytes) -> str:
    """Return the letters of all pages without spaces, as lines break where they like."""
    objects = dict(re.findall(rb"\n(\d+) 0 obj\s(.*?)\sendobj", pdf, re.S))
    fonts: dict[bytes, dict[str, str]] = {}
    for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", pdf):
        (table,) = re.findall(rb"/ToUnicode (\d+) 0 R", objects[number])
        fonts[name] = _letters(_stream(objects[table]).decode())
    said = ""
    for number in re.findall(rb"/Contents (\d+) 0 R", pdf):
        font: dict[str, str] = {}
        page = _stream(objects[number])
        for name, codes in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj", page):
            font = fonts[name] if name else font
            said += "".join(font.get(each, "?") for each in re.findall("....", codes.decode()))
    return unicodedata.normalize("NFKC", "".join(said.split()))  # ligatures, letter by letter


def _stream(body: bytes) -> bytes:
    return zlib.decompress(body.partition(b"stream")[2].lstrip(b"\r\n"))


def _letters(table: str) -> dict[str, str]:
    """Return the letters by their codes, four hexadecimal digits, of a font's table."""
    code = "<([0-9A-F]+)>"
    found = {}
    for one, letter in re.findall(f"^{code} {code}$", table, re.M):
        found[one] = bytes.fromhex(letter).decode("utf-16-be")
    for low, high, first in re.findall(f"^{code} {code} {code}$", table, re.M):
        for k in range(int(high, 16) - int(low, 16) + 1):
            found[f"{int(low, 16) + k:04X}"] = chr(int(first, 16) + k)
    return found
