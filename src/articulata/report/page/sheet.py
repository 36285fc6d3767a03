"""One HTML file that holds everything: a scene to turn, what its page adds, data and scripts."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import msgspec

from articulata.records.header import versions

SCRIPTS = ("data.js", "camera.js", "arrows.js", "scene.js", "sheet.js")


def sheet(name: str, scripts: tuple[str, ...], data: dict[str, Any], **shown: object) -> str:
    """Return the page of the template ``name``, with the ``scripts`` that follow the common ones.

    ``data`` is what the scripts read, ``shown`` what the template shows.
    """
    import jinja2

    folder = files(__package__)
    environment = jinja2.Environment(
        autoescape=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(lambda each: folder.joinpath(each).read_text("utf-8")),
    )
    script = "\n".join(folder.joinpath(each).read_text("utf-8") for each in SCRIPTS + scripts)
    # In a script element only "</" could end the element early; JSON may write it as "<\/".
    recording = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    return environment.get_template(name).render(
        version=versions()["articulata"],
        recording=_Raw(recording),
        script=_Raw(f'"use strict";\n{script}'),
        **shown,
    )


class _Raw(str):
    """Text that the template takes as it is: its own script and data that is already escaped."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)
