"""Files that hold no world's text: what they are, who reads them, and what to do with the rest.

A file is recognised by its first bytes, else by the ending of its name. ``FORMATS`` has one row a
format; whoever adds a reader names the commands that read it in that row. Signatures are those of
the formats' own specifications (VRML 97 ISO/IEC 14772-1 5.2, X3D ISO/IEC 19776, glTF 2.0, STEP
ISO 10303-21, USD's ``.usda``, ``.usdc`` and ``.usdz``, the DXF reference, zip's APPNOTE).
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HEAD: Final = 64 * 1024
"""Bytes of a file that are looked at; comments may go before what tells a format."""

_THEN: Final = 'then mesh("FILE{end}") puts its surface into a text'
_BLENDER: Final = f"export glTF from Blender, {_THEN.format(end='.glb')}"
_MESHLAB: Final = f"export OBJ from MeshLab, {_THEN.format(end='.obj')}"
_FREECAD: Final = f"export STL from FreeCAD, {_THEN.format(end='.stl')}"
_MESH: Final = 'mesh("{file}") puts its surface into a text'
_REMARKS: Final = r"(?:[ \t\r]*(?:#[^\n]*)?\n)*"
_ANGLES: Final = "make joint angles of them in OpenSim or Blender, as BVH (.bvh)"
_WORLD: Final = ("check", "simulate", "reach", "film", "view")
_OPENED: Final = ('import "{file}" as room takes it into a text',)
_SCAN: Final = ("reach", "view")
_ROOM: Final = "articulata reach {file} takes it as the scan of a room"
_URDF: Final = "write the robot as URDF (.urdf)"


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """One format: what it is called, and what becomes of a file of it.

    ``begins`` is sought at the start of a file; ``root`` is the name of an XML document's first
    element. ``commands`` are those of ours that take such a file. ``ways`` say in words who reads
    it ("{file}" is its name), ``convert`` what to do where nothing does.
    """

    key: str
    name: str
    endings: tuple[str, ...] = ()
    begins: str = ""
    root: str = ""
    commands: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    convert: str = ""

    def advice(self, file: str) -> str:
        """Return what to do with ``file``: how it is read here, else what to make of it."""
        shown = "articulata view {file} shows it"
        ways = ((shown,) if "view" in self.commands else ()) + self.ways
        if ways:
            return "; ".join(ways).format(file="FILE" if file[:1] in ("", "<") else file)
        return f"no command reads it; {self.convert}" if self.convert else "give an .art file"

    def this_is(self, wanted: str = "a text of the world language") -> str:
        """Return what a file of it is, where something else was ``wanted``."""
        return f"this is {self.name}, not {wanted}"


_F = ForeignFormat
FORMATS: Final[tuple[ForeignFormat, ...]] = (
    # scenes
    _F("vrml", "a VRML scene", ("wrl", "wrz", "vrml"), r"#VRML V\d", commands=_WORLD, ways=_OPENED),
    _F("webots", "a world of Webots", ("wbt", "proto"), r"#VRML_SIM ",
       convert="export the robot from Webots as URDF (.urdf), things as STL"),
    _F("x3d", "an X3D scene", ("x3d", "x3dv", "x3dz", "x3dj"),
       r'#X3D V\d|\s*\{\s*"X3D"\s*:', "X3D", _WORLD, _OPENED),
    _F("gltf", "a glTF scene", ("gltf", "glb"),
       r'glTF[\x01\x02]\x00\x00\x00|\s*\{(?=[\s\S]*"asset"\s*:)(?=[\s\S]*"version"\s*:\s*"\d\.\d")',
       commands=_WORLD,
       ways=(*_OPENED, _MESH, 'from: "{file}" in a request to film takes a camera\'s move')),
    _F("usd", "a USD scene", ("usd", "usda", "usdc", "usdz"),
       r"#usda \d|PXR-USDC|PK\x03\x04[\s\S]{26}[^\x00]{0,200}?\.usd[ac]?",
       commands=_WORLD, ways=_OPENED),
    _F("collada", "a COLLADA scene", ("dae",), root="COLLADA", convert=_MESHLAB),
    _F("blend", "a file of Blender", ("blend",), r"BLENDER[-_\d]",
       convert=_BLENDER),
    _F("fbx", "an FBX scene", ("fbx",), r"Kaydara FBX Binary|; FBX \d", convert=_BLENDER),
    _F("3ds", "a scene of 3D Studio", ("3ds",), convert=_MESHLAB),
    _F("alembic", "an Alembic scene", ("abc",), r"Ogawa\xff?", convert=_BLENDER),
    _F("3mf", "a 3MF model", ("3mf",),
       r"PK\x03\x04[\s\S]{26}(?:3D/|(?:\[Content_Types\]|_rels/)[\s\S]*3D/3dmodel)",
       convert=_FREECAD),
    _F("sketchup", "a model of SketchUp", ("skp",), r"\xff\xfe\xff\x0eS\x00k\x00e\x00t\x00c\x00h",
       convert="export glTF or COLLADA from SketchUp; of COLLADA Blender makes glTF (.glb)"),
    _F("rhino", "a model of Rhino", ("3dm",), r"3D Geometry File Format",
       convert=f"export OBJ from Rhino, {_THEN.format(end='.obj')}"),
    # surfaces
    _F("obj", "a surface (Wavefront OBJ)", ("obj",),
       _REMARKS + r"(?:mtllib|usemtl|[ogsv]|v[nt])[ \t][\s\S]*?^v(?:[ \t]+-?[\d.][\deE.+-]*){3}",
       commands=_SCAN, ways=(_ROOM, _MESH)),
    _F("mtl", "materials of a Wavefront OBJ", ("mtl",), _REMARKS + r"newmtl[ \t]",
       convert="give the .obj that names them"),
    _F("stl", "a surface (STL)", ("stl",), r"\s*solid\b[^\n]*\n\s*(?:facet\s+normal|endsolid)",
       commands=_SCAN, ways=(_ROOM, _MESH, 'in mm: mesh("{file}", 0.001)')),
    _F("ply", "a surface (PLY)", ("ply",), r"ply\r?\n(?:comment[^\n]*\n)*format ",
       commands=_SCAN, ways=(_ROOM, _MESH)),
    _F("off", "a surface (OFF)", ("off",), r"(?:ST)?C?N?4?n?OFF\b[^\n]*\n\s*[\d#]",
       commands=_SCAN, ways=(_ROOM, _MESH)),
    # buildings and machines
    _F("ifc", "a building (IFC)", ("ifc", "ifczip", "ifcxml"),
       r"ISO-10303-21;[\s\S]*?FILE_SCHEMA\s*\(\s*\(\s*'IFC", "ifcXML", _WORLD, _OPENED),
    _F("step", "a CAD model (STEP)", ("step", "stp", "p21"), r"ISO-10303-21;", convert=_FREECAD),
    _F("iges", "a CAD model (IGES)", ("iges", "igs"), r".{72}S[ 0]{,6}1\s*\n", convert=_FREECAD),
    _F("brep", "a CAD model (BREP)", ("brep", "brp"), r"DBRep_DrawableShape|\s*CASCADE Topology",
       convert=_FREECAD),
    _F("parasolid", "a CAD model (Parasolid)", ("x_t", "x_b"), r"\*\*ABCDEFGHIJKLMNOP",
       convert="export STEP from the program it comes from, then STL or OBJ from FreeCAD"),
    _F("freecad", "a model of FreeCAD", ("fcstd",), r"PK\x03\x04[\s\S]{26}Document\.xml",
       convert="export STL or OBJ from FreeCAD"),
    _F("cad", "a model of a CAD program",
       ("sldprt", "sldasm", "ipt", "iam", "prt", "catpart", "catproduct", "f3d", "jt"),
       r"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", convert="export STEP or STL from that program"),
    _F("dxf", "a drawing (DXF)", ("dxf",),
       r"\s*(?:999\s*\r?\n[^\n]*\n\s*)*0\s*\r?\n\s*SECTION\b|AutoCAD Binary DXF",
       commands=_WORLD, ways=_OPENED),
    _F("dwg", "a drawing of AutoCAD (DWG)", ("dwg",), r"AC10\d\d",
       convert="save it as DXF (.dxf), which is read as a floor plan"),
    _F("roomplan", "a room that a phone measured (RoomPlan)", (),
       r'\s*\{(?:\s*"coreModel"\s*:|(?=[\s\S]*"(?:walls|floors|doors|windows|openings|objects)"\s*:'
       r'\s*\[)(?=[\s\S]*"(?:parentIdentifier|polygonCorners|confidence)"\s*:)'
       r'(?=[\s\S]*"transform"\s*:\s*\[)(?=[\s\S]*"dimensions"\s*:\s*\[))',
       commands=_WORLD, ways=_OPENED),
    _F("openscad", "a program of OpenSCAD", ("scad",), convert="export STL from OpenSCAD"),
    # robots and mechanisms
    _F("urdf", "a robot's description (URDF)", ("urdf",), root="robot",
       commands=("check", "simulate", "view", "export"),
       ways=("articulata simulate {file} lets it move",
             'import "{file}" as robot takes it into a text',
             'art.read_urdf("{file}") reads it in Python')),
    _F("xacro", "a robot's description with macros", ("xacro",),
       convert="expand them first: xacro FILE.xacro > FILE.urdf"),
    _F("srdf", "what MoveIt adds to a robot's description (SRDF)", ("srdf",),
       convert="give the .urdf that it belongs to"),
    _F("sdf", "a world or robot of Gazebo (SDF)", ("sdf",), root="sdf|gazebo",
       commands=_WORLD, ways=_OPENED),
    _F("mjcf", "a model of MuJoCo (MJCF)", ("mjcf",), root="mujoco|mujocoinclude",
       commands=_WORLD, ways=_OPENED),
    _F("mjb", "a compiled model of MuJoCo", ("mjb",), convert="give the model's XML"),
    _F("simscape", "a model of Simulink", ("slx", "mdl"), convert=_URDF),
    _F("modelica", "a model in Modelica", ("mo",), convert="write it as a text"),
    # bodies and their motion
    _F("bvh", "a recorded motion (BVH)", ("bvh",), r"\s*HIERARCHY\s+ROOT\b", commands=("track",),
       ways=("articulata track --from emulator --perform {file} plays it on a person",)),
    _F("asf", "a skeleton (ASF)", ("asf",), r"(?:\s*#[^\n]*\n)*\s*:version\b",
       ways=("it is read with its motion: articulata track --from emulator --perform MOTION.amc",)),
    _F("amc", "a recorded motion (AMC)", ("amc",),
       r"(?:\s*#[^\n]*\n)*\s*:(?:FULLY|fully)[-_](?:SPECIFIED|specified)", commands=("track",),
       ways=("articulata track --from emulator --perform {file} plays it on a person",)),
    _F("c3d", "recorded markers (C3D)", ("c3d",), r"\x02\x50", convert=_ANGLES),
    _F("trc", "recorded markers (TRC)", ("trc",), r"PathFileType\s", convert=_ANGLES),
    _F("opensim", "a model of OpenSim", ("osim",), root="OpenSimDocument",
       convert="write it as a figure in a text"),
    _F("storage", "numbers over time (OpenSim)", ("mot", "sto"),
       r"[^\x00]{0,4000}?^endheader\s*$", convert="OpenSim reads it"),
    # files of ours
    _F("artrun", "a recording", ("artrun",), r"\x93ARTRUN\n", commands=("view", "export", "track")),
    _F("artpose", "a front of postures", ("artpose",),
       ways=("its page is front.html beside it",
             'art.Front.load("{file}") reads it in Python')),
    _F("artreach", "a map of reach", ("artreach",), commands=("reach",),
       ways=("its report is reach.html beside it, which a browser prints, also into a PDF",
             "articulata reach ROOM.art --before {file} compares a room with it",
             'art.ReachMap.load("{file}") reads it in Python')),
    # what is no description at all
    _F("python", "a Python program", ("py", "ipynb"), r"#!.*python",
       ways=("python {file} runs it", 'import "{file}" in a text names controllers')),
    _F("picture", "a picture", ("png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "svg"),
       r"\x89PNG|\xff\xd8\xff|GIF8\d|II\*\x00|MM\x00\*|RIFF[\s\S]{4}WEBP", "svg"),
    _F("pdf", "a PDF document", ("pdf",), r"%PDF-"),
    _F("web", "a web page", ("html", "htm"), r"\s*<!(?:DOCTYPE|doctype) html|\s*<(?:HTML|html)\b",
       "html", ways=("a browser opens it and prints it, also into a PDF",)),
    _F("table", "a table", ("csv",),
       ways=('from: "{file}" in a request to film or track takes a recorded motion',)),
    _F("sheet", "a spreadsheet", ("xlsx", "xls", "ods"), convert="save it as CSV (.csv)"),
    _F("packed", "a packed file", ("zip", "gz", "7z", "rar", "tar", "tgz", "zst"),
       r"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd", convert="unpack it first"),
    _F("yaml", "a YAML file", ("yaml", "yml")),
    _F("json", "a JSON file", ("json",), r'\s*(?:\{\s*["}]|\[\s*[\[{"])'),
    _F("xml", "an XML document", ("xml",), r"\s*<(?:\?xml|!--|[A-Za-z][\w:.-]*[\s/>])"),
)  # fmt: skip
"""Rows in order: the first whose signature stands at a file's start is the file's format."""

SURFACES: Final = ("obj", "off", "ply", "stl")
"""Formats of surfaces alone: shown as they are, and scans of rooms where a room is asked for."""
BY_KEY: Final = {each.key: each for each in FORMATS}
_BY_ENDING: Final = {ending: each for each in FORMATS for ending in each.endings}
_BEGINS: Final = tuple(
    (re.compile(each.begins.encode("latin-1"), re.MULTILINE), each)
    for each in FORMATS
    if each.begins
)
_ROOT: Final = re.compile(
    rb"\s*(?:(?><\?[\s\S]*?\?>|<!--[\s\S]*?-->|<![A-Za-z][^>\[]*(?:\[[^\]]*\]\s*)?>)\s*)*+"
    rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]"
)
_PACKED: Final = ("wrl", "wrz", "x3d", "x3dv", "x3dz")
"""Endings of files that are often packed by gzip and called as if they were not."""
_UNTOLD: Final = ("", "art", "txt")
"""Endings of names that say nothing."""


def format_of_bytes(head: bytes, ending: str = "") -> ForeignFormat | None:
    """Return the format that a file's first bytes tell, None for what may be a world's text.

    ``ending`` of its name tells formats apart that begin alike, such as URDF and SRDF, and those
    that are packed.
    """
    head = _plain(head[:HEAD])
    if (root := _ROOT.match(head)) is not None:
        tag = root[1].decode("latin-1")
        named = next((each for each in FORMATS if tag in each.root.split("|") and each.root), None)
        if named is not None:
            other = _BY_ENDING.get(ending)
            return other if named.key == "urdf" and other in _LIKE_URDF else named
    found = next((each for begins, each in _BEGINS if begins.match(head)), None)
    told = _BY_ENDING.get(ending)  # such as of a map of reach, or a spreadsheet
    return told if found is BY_KEY["packed"] and told and not told.begins else found


_LIKE_URDF: Final = (BY_KEY["xacro"], BY_KEY["srdf"])


def format_of_text(text: str, file: str = "") -> ForeignFormat | None:
    """Return the format of a text that was read already, None for a world's text."""
    return format_of_bytes(text[:HEAD].encode("utf-8", "replace"), _ending(file))


def format_of(path: str | Path) -> ForeignFormat | None:
    """Return the format of a file: what its first bytes tell, else the ending of its name.

    None for what may be a world's text, and for what cannot be read.
    """
    ending = _ending(path)
    try:
        with Path(path).open("rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError):
        return None
    found = format_of_bytes(head, ending)
    if head.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):
            inside = format_of_bytes(zlib.decompressobj(31).decompress(head, HEAD))
            if inside is not None and inside.key in ("vrml", "x3d"):
                return inside
        if ending in _PACKED:
            return _BY_ENDING[ending]
    return found or (None if ending in _UNTOLD else _BY_ENDING.get(ending))


def is_urdf(path: str | Path) -> bool:
    """Return whether a file is a robot's description, by its content, or is called so."""
    found = format_of(path)
    return _ending(path) == "urdf" if found is None else found.key == "urdf"


def is_file_name(text: str) -> bool:
    """Tell whether what was given as a text is the name of a file: it is there, or ends as one."""
    if "\n" in text or "{" in text or not text.strip():
        return False
    try:
        found = Path(text).is_file()
    except (OSError, ValueError):
        return False
    return found or (_ending(text) in ("art", "txt", *_BY_ENDING) and "=" not in text)


def _ending(file: str | Path) -> str:
    return Path(file).suffix.lstrip(".").lower()


def _plain(head: bytes) -> bytes:
    """Return bytes without a mark of their order, those of UTF-16 as UTF-8."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and not head.startswith(b"\xff\xfe\xff\x0e"):
        return head.decode("utf-16", "replace").encode("utf-8", "replace")
    return head.removeprefix(b"\xef\xbb\xbf")
