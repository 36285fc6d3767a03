"""Worlds drawn from a seed: 3 to 30 bodies of all shapes, free, in chains and in rings.

Bodies stand in columns so that nothing overlaps at the start, and fall on a ground or on each
other. Some hinges have limits, some give way; some worlds are edited by clauses while they run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import articulata as art

SHAPES = {
    "cuboid({l}, {m}, {n})": 3,
    "sphere({r})": 2,
    "cylinder({r}, {l})": 2,
    "capsule({s}, {s})": 2,
    "cone({r}, {l})": 2,
    "cone({r}, {l}, {s})": 2,
    "prism({k}, {r}, {l})": 2,
    "extruded(((0, 0), ({l}, 0), (0, {m})), {n})": 1,
    "extruded(((0, 0), ({l}, 0), ({l}, {s}), ({s}, {s}), ({s}, {m}), (0, {m})), {n})": 1,
    "union(cuboid({l}, {s}, {s}), cuboid({s}, {m}, {s}) at ({s}, 0, 0))": 1,
    "difference(cuboid({l}, {l}, {n}), cuboid({s}, {s}, 1))": 1,
    "difference(cuboid({l}, {l}, {n}), cylinder({h}, 1))": 1,
    "intersection(cuboid({l}, {l}, {l}), cylinder({r}, 1))": 1,
}
"""Shapes that reach at most 0.5 m from their reference point, and how often each is drawn."""

HINGES = (
    "ball",
    "pin(axis: {axis})",
    "slider(axis: {axis})",
    "cylindrical(axis: {axis})",
    "universal(axis: x, second: z)",
    "planar(normal: {axis})",
    "screw(lead: 0.1, axis: {axis})",
    "weld",
    "point.on.surface(surface: plane((0, 0, 0), (0, 1, 0)))",
    "spring(stiffness: 200, length: 0.2, damping: 2)",
    "damper(damping: 5)",
)

RING = ("pin(axis: z)", "pin(axis: z)", "ball", "cylindrical(axis: z)")
"""Hinges of a ring after its first, a pin: it moves in its plane at least, and more or less of its
rows are redundant. Its sides (2, 1, 1 and 1.4 arms) never lie in one line, where it could go on in
several ways."""

ARM = 0.3
"""Way (m) from a body's reference point to its hinges."""

PLACES = (("mid", 0, 0), ("up", 0, 1), ("down", 0, -1), ("east", 1, 0), ("west", -1, 0))
"""Names of a body's features, and where they lie in arms."""

APART = 0.2
"""Way (m) between two features that a spring or a damper joins."""

PITCH = 1.5
"""Distance (m) of the columns."""


@dataclass
class Drawing:
    """A world under way."""

    draw: np.random.Generator
    primitives: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=lambda: ["floor: ground"])
    structure: list[str] = field(default_factory=list)
    hinges: int = 0
    firm: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    count: int = 0

    def chance(self, share: float) -> bool:
        """Return true in a share of all cases."""
        return bool(self.draw.random() < share)

    def body(self) -> str:
        """Draw a body, which stands nowhere yet; return its name."""
        draw, name = self.draw, f"b{self.count}"
        self.count += 1
        weights = np.array(list(SHAPES.values()), float)
        shape = str(draw.choice(list(SHAPES), p=weights / weights.sum())).format(
            **{each: _drawn(draw, 0.15, 0.45) for each in "lmn"},
            r=_drawn(draw, 0.08, 0.22),
            s=_drawn(draw, 0.05, 0.14),
            h=_drawn(draw, 0.03, 0.06),
            k=int(draw.integers(3, 9)),
        )
        made = str(draw.choice(["steel", "rubber", ""], p=[0.2, 0.2, 0.6]))
        stuff = f"material: {made}"
        if not made:
            e, mu = (str(draw.choice([0.0, _drawn(draw, 0, top)])) for top in (0.9, 1.0))
            stuff = f"density: {_drawn(draw, 200, 4000)}, restitution: {e}, friction: {mu}"
        places = "; ".join(f"{place}: ({x * ARM}, {y * ARM}, 0)" for place, x, y in PLACES)
        self.primitives.append(
            f"primitive {name}_type {{ properties: ({stuff}); "
            f"geometry: {shape} where {{ {places} }}; dynamics }}"
        )
        self.components.append(f"{name}: {name}_type")
        return name

    def place(self, name: str, at: tuple[float, float, float], moving: bool = True) -> None:
        """Say where a body stands and how it moves."""
        speed = ""
        if moving:
            v, w = self.draw.uniform(-2, 2, 3).round(2), self.draw.uniform(-3, 3, 3).round(2)
            speed = f" velocity = (({v[0]}, {v[1]}, {v[2]}) ({w[0]}, {w[1]}, {w[2]}))"
        x, y, z = (round(each, 4) for each in (at[0], at[1] + ARM, at[2]))
        self.structure.append(f"place {name} by {name}.up at ({x}, {y}, {z}){speed}")

    def kind(self, kinds: tuple[str, ...]) -> str:
        """Draw a kind of hinge."""
        axis = str(self.draw.choice(["x", "y", "z"]))
        return str(self.draw.choice(kinds)).format(axis=axis)

    def join(self, one: str, other: str, matching: str, kind: str) -> None:
        """Join two bodies by a hinge, some with limits, some that give way."""
        draw, name, more = self.draw, "", ""
        if kind.startswith(("pin", "slider")) and self.chance(0.4):
            low, high = (_drawn(draw, 0.05, 1.0 if kind.startswith("pin") else 0.2) for _ in "ab")
            more += f" limits (-{low}, {high})"
        if not _elastic(kind):
            name = f" as h{self.hinges}"
            if self.chance(0.2):
                more += f" breaks at {_drawn(draw, 100, 2000)} N"
            else:
                self.firm.append(f"h{self.hinges}")  # what gives way is not broken once more
            self.hinges += 1
        self.structure.append(f"join {one} to {other} with {kind}{name} matching {matching}{more}")

    def chain(self, length: int, x: float, y: float, z: float) -> float:
        """Draw a chain whose lowest body is at a height y; return the height above it."""
        top = y + (2 * ARM + APART) * length
        at, above = top, ""
        for link in range(length):
            name, kind = self.body(), self.kind(HINGES)
            way = APART if _elastic(kind) else 0.0
            if link == 0 and self.chance(0.4):
                post = f"post{self.count}"
                self.components.append(f"{post}: fixed_point")
                self.structure.append(f"place {post} by {post} at ({x}, {at + ARM + way:.4f}, {z})")
                self.join(name, post, "(up, center)", kind)
                self.place(name, (x, at, z), moving=_elastic(kind))
            elif link == 0:
                self.place(name, (x, at, z))
            else:
                at -= 2 * ARM + way
                self.join(name, above, "(up, down)", kind)
                if _elastic(kind):
                    self.place(name, (x, at, z))
            above = name
        return top + 2 * ARM

    def ring(self, x: float, y: float, z: float) -> float:
        """Draw four bodies joined in a ring, the lowest at a height y; return the height above."""
        names = [self.body() for _ in range(4)]
        self.place(names[0], (x, y, z))
        self.join(names[1], names[0], "(mid, east)", RING[0])
        self.join(names[2], names[1], "(east, up)", self.kind(RING))
        self.join(names[3], names[2], "(up, mid)", self.kind(RING))
        self.join(names[0], names[3], "(west, west)", self.kind(RING))
        return y + 2 * ARM

    def clauses(self) -> list[str]:
        """Draw edits at events."""
        draw, found = self.draw, []
        if self.firm and self.chance(0.5):
            found.append(f"on time {_drawn(draw, 0.2, 2.0)} s: break {draw.choice(self.firm)}")
        if self.chance(0.3):
            found.append("on impact(b0, floor) with impulse > 1 N*s: set b0.v = (0, 3 m/s, 0)")
        if self.chance(0.3):
            found.append("on contact(b1, floor): set gravity = (0.5, -9.81, 0)")
        if self.chance(0.3):
            found.append("on b2.v.y < -3 and time > 0.3 s: set b2.w = (0, 0, 2)")
        if self.chance(0.3) and len(self.free) > 3:
            found.append(f"on contact({self.free[-1]}, floor): remove {self.free[-1]}")
        if self.chance(0.3) and self.free:
            name = self.free[0]
            found.append(
                f"on time {_drawn(draw, 1.0, 3.0)} s: "
                f"add extra: {name}_type by extra at (-4.0, 2.0, -4.0)"
            )
        return found


def _elastic(kind: str) -> bool:
    """Tell whether a kind of hinge leaves bodies free to move and only pulls at them."""
    return kind.startswith(("spring", "damper"))


def _drawn(draw: np.random.Generator, low: float, high: float) -> float:
    return round(float(draw.uniform(low, high)), 3)


def random_text(seed: int, most: int = 30) -> str:
    """The text of world ``drawn``, 3 to ``most`` bodies, and of a request that simulates it."""
    draw = np.random.default_rng(seed)
    drawing = Drawing(draw)
    count = int(draw.integers(3, most + 1))
    side = int(np.ceil(np.sqrt(0.4 * count)))
    heights = np.full(side * side, 0.6)
    while drawing.count < count:
        rest = count - drawing.count
        column = int(np.argmin(heights + draw.uniform(0, 1, len(heights))))
        x, z = PITCH * (column % side), PITCH * (column // side)
        y = round(float(heights[column]) + _drawn(draw, 0.0, 0.4), 3)
        kind = str(draw.choice(["one", "chain", "ring"], p=[0.5, 0.4, 0.1]))
        if kind == "ring" and rest >= 4:
            heights[column] = drawing.ring(x, y, z) + 0.5
        elif kind == "chain" and rest >= 2:
            length = int(draw.integers(2, min(5, rest) + 1))
            heights[column] = drawing.chain(length, x, y, z) + 0.3
        else:
            name = drawing.body()
            drawing.free.append(name)
            drawing.place(name, (x, y, z))
            heights[column] = y + 0.9
    clauses = drawing.clauses() if drawing.chance(0.4) else []
    mu, e = _drawn(draw, 0.0, 0.5), _drawn(draw, 2.0, 6.0)
    return "\n".join(
        [
            "let steel = material(density: 7850, friction: 0.3, restitution: 0.5)",
            "let rubber = material(density: 1100, friction: 0.9, restitution: 0.7)",
            f"contact steel with ground: (friction: {mu} + 0.1 s/m * speed, "
            f"restitution: exp(-speed / ({e} m/s)))",
            f"contact rubber with steel: (friction: {mu}, static_friction: {mu + 0.2:.3f}, "
            "restitution: 0.2)",
            *drawing.primitives,
            "world drawn {",
            "  gravity: (0, -9.81, 0)",
            "  components { " + "; ".join(drawing.components) + " }",
            "  structure {",
            *(f"    {line}" for line in drawing.structure),
            "  }",
            "}",
            "simulate drawn {",
            "  time: (0.05 s, 5 s)",
            *(f"  {line}" for line in clauses),
            "}",
        ]
    )


def random_request(seed: int, most: int = 30) -> art.Request:
    """The request to simulate the world drawn from ``seed``, with its clauses."""
    (request,) = art.parse(random_text(seed, most)).requests
    return request


def random_world(seed: int, most: int = 30) -> art.World:
    """The world drawn from ``seed``."""
    return art.parse(random_text(seed, most)).world("drawn")
