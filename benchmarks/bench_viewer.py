"""What the viewer costs while people and things move: processor time and messages of an update.

No browser looks on: measured is what this side does for a picture, which is all that holds up a
run that is computed meanwhile.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import articulata as art
from articulata.geometry.arrays import Array
from articulata.report.viewer.motion_sources import Motion, motion_of
from articulata.report.viewer.serving import serve, stop
from articulata.report.viewer.stage import Stage
from benchmarks.harness import Report

UPDATES = 300

SCENES = {
    "one person": (1, 0),
    "one person and 1000 bodies": (1, 1000),
    "20 persons": (20, 0),
}


def scene(persons: int, things: int) -> Motion:
    """Return people beside each other and boxes of one shape in a square."""
    side = int(np.ceil(np.sqrt(max(things, 1))))
    parts = [f"p[1..{persons}]: person", *([f"b[1..{things}]: box"] if things else [])]
    places = [f"place p[{n}] by p[{n}].base at ({n} m, 1 m, 0 m)" for n in range(1, persons + 1)]
    for n in range(things):
        x, z = 0.2 * (n % side), 0.2 * (n // side) + 1.0
        places.append(f"place b[{n + 1}] by b[{n + 1}].center at ({x} m, 0 m, {z} m)")
    text = f"""
    primitive box {{ geometry: cuboid(8 cm, 8 cm, 8 cm) }}
    world crowd {{
      gravity: (0, -9.81, 0)
      components {{ {"; ".join(parts)} }}
      structure {{ {"; ".join(places)} }}
    }}
    """
    return motion_of(art.parse(text).world())


def moved(poses: Array, number: int) -> Array:
    """Return poses (bodies, 7) of the next update: everything has moved."""
    made = poses.copy()
    made[:, 1] += 1e-3 * (number + 1)
    return made


SHOWN = """
import sys, time
from pathlib import Path
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.serving import serve, stop
from articulata.report.viewer.stage import Stage
from articulata.world.document import read
server, _ = serve("127.0.0.1", None)
Stage(server).show(motion_of(read(Path(sys.argv[1])).world()))
# what a process held at most; getrusage counts what it was started from, too
held = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(time.process_time(), 1024 * int(held))
stop(server)
"""
"""A process that shows a file, its processor time (s) and its memory (bytes)."""


def written(path: Path, rings: int, around: int, whole: bool = True) -> int:
    """Write a rough ball, normals and colours with it, as .glb; return its bytes.

    It is closed, or lacks every hundredth triangle: then it may be a room.
    """
    lon, lat = np.meshgrid(np.linspace(0, 2 * np.pi, around), np.linspace(0.05, 3.09, rings))
    rough = 1.0 + 2e-4 * np.random.default_rng(1).standard_normal(lon.shape)
    rough[:, -1] = rough[:, 0]
    way = [np.sin(lat) * np.cos(lon), np.cos(lat), np.sin(lat) * np.sin(lon)]
    normals = np.stack(way, axis=-1).reshape(-1, 3)
    at = np.arange(rings * around).reshape(rings, around)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    faces = np.stack([a, b, c, b, d, c], axis=-1).astype("<u4")
    faces = faces.reshape(-1, 3)
    if not whole:
        faces = np.delete(faces, np.s_[::100], axis=0)
    colors = np.full((len(normals), 4), 200, np.uint8)
    parts = [
        (rough.reshape(-1, 1) * normals).astype("<f4"), normals.astype("<f4"), colors,
        faces.reshape(-1, 1),
    ]  # fmt: skip
    starts = np.cumsum([0, *(each.nbytes for each in parts)]).tolist()
    kinds = [(5126, "VEC3"), (5126, "VEC3"), (5121, "VEC4"), (5125, "SCALAR")]
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2}, "indices": 3}
        ]}],
        "buffers": [{"byteLength": starts[-1]}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": start, "byteLength": each.nbytes}
            for start, each in zip(starts, parts, strict=False)
        ],
        "accessors": [
            {"bufferView": k, "componentType": kind, "type": rows, "count": len(parts[k])}
            for k, (kind, rows) in enumerate(kinds)
        ],
    }  # fmt: skip
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    size = 28 + len(text) + starts[-1]
    head = struct.pack("<4sIIII", b"glTF", 2, size, len(text), 0x4E4F534A)
    rest = struct.pack("<I4s", starts[-1], b"BIN\0")
    path.write_bytes(b"".join([head, text, rest, *(each.tobytes() for each in parts)]))
    return size


def shown(path: Path) -> tuple[float, float]:
    """Return the processor time (s) and the memory (bytes) of a process that shows a file."""
    asked = [sys.executable, "-c", SHOWN, str(path)]
    spent, held = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return float(spent), float(held)


def scan(report: Report) -> None:
    for whole, kind in ((True, "closed"), (False, "open")):
        with tempfile.TemporaryDirectory() as folder:
            small, large = Path(folder) / "small.glb", Path(folder) / "large.glb"
            written(small, 40, 40)
            size = written(large, 1300, 1480, whole)
            (_, before), (spent, held) = shown(small), shown(large)
        about = f"a .glb of {size / 1e6:.0f} MB, 3.8 million triangles"
        with report.case(
            f"a large {kind} scan until it is sent to the viewer", unit="s of processor",
            better="lower", target=5.0, note=f"{about}, starting the process with it",
        ) as case:  # fmt: skip
            case.number("articulata", spent, ours=True)
        with report.case(
            f"memory while a large {kind} scan is shown", unit="times its size", better="lower",
            target=3.0, note=f"{about}, beyond what a small file takes",
        ) as case:  # fmt: skip
            case.number("articulata", (held - before) / size, ours=True)


def run(report: Report) -> None:
    scan(report)
    for name, (persons, things) in SCENES.items():
        motion = scene(persons, things)
        server, _ = serve("127.0.0.1", None)
        try:
            stage = Stage(server)
            stage.show(motion)
            here = [moved(motion.poses[0], number) for number in range(UPDATES)]
            stage.draw(here[0], 0)
            queue = server._websock_server.get_message_buffer()
            sent = queue.message_counter
            spent, began = time.process_time(), time.perf_counter()
            for poses in here[1:]:
                with server.atomic():
                    stage.draw(poses, 0)
                server.flush()
            spent = time.process_time() - spent
            took = time.perf_counter() - began
            sent = queue.message_counter - sent
        finally:
            stop(server)
        count = UPDATES - 1
        shapes = len({look.shape for look in motion.looks})
        with report.case(
            f"an update of the viewer, {name}",
            unit="ms of processor",
            better="lower",
            target=0.5 if persons == 1 and not things else 1e3 / (60 if things else 30),
            note=f"{len(motion.looks)} bodies of {shapes} shapes; "
            f"{sent / count:g} messages an update; {count / took:.0f} updates/s",
        ) as case:
            case.number("articulata", 1e3 * spent / count, ours=True)
