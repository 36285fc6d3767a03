"""What the viewer costs while people and things move: processor time and messages of an update.

No browser looks on: measured is what this side does for a picture, which is all that holds up a
run that is computed meanwhile.
"""

from __future__ import annotations

import time

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


def run(report: Report) -> None:
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
