"""A file of VRML97 or X3D as a graph of nodes, whichever syntax it is written in."""

from __future__ import annotations

import re
from pathlib import Path

from articulata.errors import FormatError
from articulata.formats.vrml.classic import ClassicReader
from articulata.formats.vrml.graph import Graph
from articulata.formats.vrml.vrml_files import Around, text_of
from articulata.formats.vrml.x3d_xml import XmlReader


def read_graph(path: Path) -> tuple[Graph, Around]:
    """Return the graph of a file, and what lies around it.

    Raises FormatError with line and column for what is no VRML97 and no X3D.
    """
    whole = Path(path).resolve()
    around = Around(whole.parent)
    return around.graph(whole), around


def parsed(data: bytes, path: Path, around: Around) -> Graph:
    """Return the graph of a file's bytes."""
    head = text_of(data[:2000])
    if head.lstrip().startswith(("<", "{")):
        return XmlReader(data, path, around).whole()
    known = re.match(r"#(VRML +V2\.0 +utf8|X3D +V[34]\.\d)", head)
    if known is None and (around.graphs or len(around.open) > 1):
        # files that are only taken in often lack their first line
        graph = ClassicReader(text_of(data), path, around).whole()
        graph.lost[f"first line of {path.name} (#VRML V2.0 utf8; read without it)"] += 1
        return graph
    if known is None:
        first = head.partition("\n")[0].strip()[:40]
        old = "; VRML 1.0 is another format, convert it to VRML97" if "VRML V1" in first else ""
        raise FormatError(
            f"{path}:1:1: VRML97 begins with '#VRML V2.0 utf8', X3D with '#X3D V3.3 utf8' or "
            f"<X3D>, this with '{first}'{old}"
        )
    return ClassicReader(text_of(data), path, around).whole()
