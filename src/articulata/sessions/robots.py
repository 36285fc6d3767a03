"""A robot's description as a world of its own: the robot stands on its base under gravity.

A thing of one link falls on the ground.
"""

from __future__ import annotations

from pathlib import Path

from articulata.formats.scenes.scene_files import read_mesh, readable
from articulata.formats.urdf.urdf_figure import read_urdf
from articulata.world.document import Document, parse, read
from articulata.world.foreign_files import SURFACES, format_of, is_urdf

TEXT = """import "{file}" as robot

world robot_alone {{
  gravity: (0, 0, -9.81)
  components {{ robot: robot }}
  structure {{ place robot by properties: (fixed) }}
}}

simulate robot_alone {{ time: (0.01 s, 2 s) }}
"""

THING = """import "{file}" as thing

world thing_alone {{
  gravity: (0, 0, -9.81)
  components {{ thing: thing; floor: ground }}
  structure {{
    place floor by floor.top at (0, 0, 0) turned 90 deg about x
    place thing by thing.base at (0, 0, 0.5)
  }}
}}

simulate thing_alone {{ time: (0.01 s, 2 s) }}
"""


SURFACE = """primitive surface {{ properties: (fixed); geometry: mesh("{file}") }}

world surface_alone {{ components {{ surface: surface }} }}
"""


def surface_alone(file: Path) -> Document | None:
    """Return the document of a world that holds the surface in a file alone, its numbers in m.

    None for a file of no such format. Raises FormatError where it holds no surface.
    """
    found = format_of(file)
    if found is None or not readable(file) or found.key not in SURFACES:
        return None
    whole = file.resolve()
    read_mesh(whole)
    text = SURFACE.format(file=whole.as_posix())
    return parse(text, f"<{file.name}>", allow=[whole.parent], folder=whole.parent)


def document_of(file: Path) -> Document:
    """Return the document of a text, or one that holds the robot of a foreign file alone.

    Raises FormatError where that file cannot be read, WorldError where the text cannot.
    """
    if not is_urdf(file):
        return read(file)
    whole = file.resolve()
    text = TEXT if read_urdf(whole).dof else THING
    return parse(text.format(file=whole.as_posix()), f"<{file.name}>", allow=[whole.parent])
