"""A small world and its recording, made by hand: no parser and no simulation is needed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from articulata.geometry.shapes import Cuboid, Sphere
from articulata.records import artrun
from articulata.records.events import Event
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame
from articulata.world.edits.transaction import Edit
from articulata.world.hinges import REVOLUTE
from articulata.world.model import Body, Component, Feature, FeatureRef, Hinge, World, frozen
from articulata.world.values import Material, Pose, Span

LENGTH = 1.0
"""Length of a rod in m."""


def chain(rods: int = 3) -> World:
    """Rods 1 m long hanging below each other from an anchor, all pins about z."""
    features = {
        name: Feature(name, "point", Pose((0.0, y, 0.0)), Span("folder/chain.art", 3, 5))
        for name, y in (("top", LENGTH / 2), ("bottom", -LENGTH / 2))
    }
    steel = Material("steel", 7850.0, 0.3, 0.6, "red")
    anchor = Body("p.anchor", "fixed_point", Sphere(0.1), frozen({}), frozen({}), Pose((0, 2, 0)))
    bodies = {"p.anchor": replace(anchor, motion="fixed")}
    hinges = {}
    for number in range(1, rods + 1):
        body = Body(
            f"p.rod[{number}]",
            "rod",
            Cuboid(0.05, LENGTH, 0.05),
            frozen(features),
            frozen({"material": steel, "color": "red", "density": 7850.0}),
            Pose((0.0, 2 - LENGTH * (number - 0.5), 0.0)),
            material=steel,
        )
        bodies[body.id] = body
        on = bodies["p.anchor"] if number == 1 else bodies[f"p.rod[{number - 1}]"]
        feature = "center" if number == 1 else "bottom"
        name = f"p.h{number}_{number - 1}" if number > 1 else "p.rod_anchor"
        hinges[name] = Hinge(
            name,
            REVOLUTE,
            body.id,
            on.id,
            ((FeatureRef(body.id, "top"), FeatureRef(on.id, feature)),),
            features["top"].pose,
            Pose() if number == 1 else features["bottom"].pose,
        )
    return World(
        "swing",
        frozen(bodies),
        frozen(hinges),
        frozen({}),
        frozen({}),
        frozen({"p": Component("p", "pendulum", tuple(bodies))}),
        gravity=(0.0, -9.81, 0.0),
        arguments=(60.0,),
        text="world swing(start) { }\n",
    )


@dataclass(frozen=True, slots=True)
class Recolour:
    """An edit made up for the tests; its class stands in no room that a recording may name."""

    body: str

    def apply(self, world: World) -> World:
        return world

    def inverse(self, world: World) -> tuple[Edit, ...]:
        return (self,)


def channels(world: World) -> tuple[Channel, ...]:
    """What the frames of ``swing`` hold."""
    bodies, hinges = tuple(world.bodies), tuple(world.hinges)
    axes, quaternion = ("x", "y", "z"), ("w", "x", "y", "z")
    return (
        Channel("dynamic.position", "m", bodies, axes),
        Channel("dynamic.orientation", "", bodies, quaternion),
        Channel("dynamic.velocity", "m/s", bodies, axes),
        Channel("dynamic.rate", "rad/s", bodies, axes),
        Channel("geometric.pose", "m", bodies, (*axes, "qw", "qx", "qy", "qz")),
        Channel("dynamic.acceleration", "m/s^2", bodies, axes),
        Channel("dynamic.angular_acceleration", "rad/s^2", bodies, axes),
        Channel("dynamic.hinge_force", "N", hinges, ("fx", "fy", "fz", "mx", "my", "mz")),
        Channel("dynamic.coordinate", "rad", tuple(f"{name}.angle" for name in hinges)),
        Channel("dynamic.coordinate_rate", "rad/s", tuple(f"{name}.angle" for name in hinges)),
        Channel("dynamic.energy", "J", ("kinetic", "potential", "elastic", "total")),
        Channel("dynamic.momentum", "N s", ("px", "py", "pz", "lx", "ly", "lz")),
    )


def frame(world: World, time: float, version: int = 0) -> Frame:
    """All rods in one line, swinging about the anchor with angle sin(2 t)."""
    angle, rate, turn = math.sin(2 * time), 2 * math.cos(2 * time), -4 * math.sin(2 * time)
    count, hinges = len(world.bodies), len(world.hinges)
    pose = np.zeros((count, 7))
    pose[:, 3] = 1.0
    pose[0, :3] = 0, 2, 0
    velocity, omega, alpha = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    acceleration = np.zeros((count, 3))
    down = np.array([math.sin(angle), -math.cos(angle), 0.0])
    along = np.array([math.cos(angle), math.sin(angle), 0.0])
    for number in range(1, count):
        arm = LENGTH * (number - 0.5)
        pose[number, :3] = (0, 2, 0) + arm * down
        pose[number, 3:] = math.cos(angle / 2), 0, 0, math.sin(angle / 2)
        velocity[number] = arm * rate * along
        acceleration[number] = arm * (turn * along - rate * rate * down)
        omega[number, 2] = rate
        alpha[number, 2] = turn
    coordinate = np.zeros(hinges)
    coordinate[0] = angle
    coordinate_rate = np.zeros(hinges)
    coordinate_rate[0] = rate
    force = np.arange(hinges * 6, dtype=float).reshape(hinges, 6) + time
    kinetic = 0.5 * rate * rate
    arrays = {
        "dynamic.position": pose[:, :3].copy(),
        "dynamic.orientation": pose[:, 3:].copy(),
        "dynamic.velocity": velocity,
        "dynamic.rate": omega,
        "geometric.pose": pose,
        "dynamic.acceleration": acceleration,
        "dynamic.angular_acceleration": alpha,
        "dynamic.hinge_force": force,
        "dynamic.coordinate": coordinate,
        "dynamic.coordinate_rate": coordinate_rate,
        "dynamic.energy": np.array([kinetic, -kinetic, 0.0, 0.0]),
        "dynamic.momentum": np.zeros(6),
    }
    return Frame(time, arrays, version)


def record(
    recorder: Recorder, world: World, frames: int, step: float = 0.05, *, eventful: bool = True
) -> None:
    """Write ``frames`` frames, an event in the middle and a controller's outputs."""
    recorder.layout(channels(world))
    for number in range(frames):
        time = number * step
        recorder.control("wind", time, (math.sin(time), 0.0, 1.0))
        if eventful and number == frames // 2:
            recorder.event(
                Event(
                    time,
                    "impact",
                    ("p.rod[3]", "p.anchor"),
                    ("bottom", "surface"),
                    {"impulse": 2.5, "normal": (0.0, 1.0, 0.0), "law": "newton"},
                    "p.rod[3].bottom hit p.anchor",
                    Span("folder/chain.art", 31, 3),
                )
            )
        recorder.frame(frame(world, time))


def swing(frames: int = 41, rods: int = 3, *, eventful: bool = True) -> Recording:
    """A finished recording of the chain."""
    world = chain(rods)
    recorder = Recorder(Header(world, 0.05, (frames - 1) * 0.05, "RK4", seed=7))
    record(recorder, world, frames, eventful=eventful)
    recorder.close()
    return recorder.recording()


def payloads(data: bytes) -> list[list[object]]:
    """Return what the blocks of a recording hold, whatever its format."""
    found, start = [], artrun.PREAMBLE_BYTES
    while start < len(data):
        length, _ = artrun.BLOCK.unpack_from(data, start)
        start += artrun.BLOCK.size
        found.append(msgspec.msgpack.decode(data[start : start + length]))
        start += length
    return found


def rewritten(*blocks: list[object], number: int = artrun.FORMAT) -> bytes:
    """Return a file of format ``number`` that holds ``blocks``, with checksums that are right."""
    preamble = artrun.preamble(number)
    parts = [preamble]
    before = artrun.first_checksum(preamble) if number >= artrun.CHAINED else 0
    for payload in blocks:
        block, checksum = artrun.block(payload, before)
        parts.append(block)
        before = checksum if number >= artrun.CHAINED else 0
    return b"".join(parts)
