"""Every model of MuJoCo Menagerie: read or refused, and how its bodies accelerate.

``python -m benchmarks.menagerie FOLDER`` prints the table of docs/accuracy.md. Each model stands at
places within its limits and has speeds, both by chance; one with loops rests where it stands first.
Actuators have the command 0; nothing touches. MuJoCo gives its mass matrix, its smooth forces and
its Jacobians; its soft rows of equalities and dry friction are solved as hard ones here.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np
from scipy.optimize import lsq_linear

import articulata as art
from articulata.errors import ArticulataError
from articulata.formats.mjcf.bounds_of_models import check_files
from articulata.formats.mjcf.mjcf_scene import _Reading
from articulata.formats.scenes.scene_text import world_text
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.model import Placement, frozen

Array = np.ndarray

TRIES: Final = 3
"""States by chance that a model is asked at."""
SCENES: Final = ("scene", "keyframes", "mjx")
"""Beginnings of names of files that are no main models."""
CHOSEN: Final = {
    "boston_dynamics_spot": "spot_arm", "hello_robot_stretch_3": "stretch",
    "leap_hand": "right_hand", "pal_tiago": "tiago_position", "shadow_hand": "right_hand",
    "pal_tiago_dual": "tiago_dual_position", "pal_talos": "talos_position",
    "rainbow_robotics_rby1": "rby1a_1.2", "sharpa_wave": "right_hand",
    "tetheria_aero_hand_open": "right_hand", "toddlerbot_2xc": "toddlerbot_2xc_pos",
    "toddlerbot_2xm": "toddlerbot_2xm_pos", "ufactory_lite6": "lite6_gripper_wide",
    "unitree_g1": "g1_with_hands", "unitree_z1": "z1_gripper", "wonik_allegro": "right_hand",
}  # fmt: skip
"""The main model where the shortest name that is part of the folder's is another one's."""


def main_models(folder: Path) -> Iterator[Path]:
    """Yield the main model of each folder."""
    for each in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = [path for path in each.glob("*.xml") if not path.stem.startswith(SCENES)]
        files = [path for path in files if "<worldbody" in path.read_text(errors="replace")]
        alike = sorted(files, key=lambda path: (path.stem not in each.name, len(path.stem)))
        if alike:
            yield each / f"{CHOSEN.get(each.name, alike[0].stem)}.xml"


class Peer:
    """A model in MuJoCo, what its reader called bodies and joints, and the world that it became."""

    def __init__(self, path: Path) -> None:
        check_files(path)
        self.model = mujoco.MjSpec.from_file(str(path)).compile()
        self.data = mujoco.MjData(self.model)
        again = mujoco.MjSpec.from_file(str(path)).compile()  # reading makes its start its zero
        self.reading = _Reading(mujoco, again, path, "")
        self.start = again.qpos0
        scene = self.reading.scene()
        scene.parts = [replace(each, shape=None, look=None) for each in scene.parts]
        self.lost = dict(scene.lost)
        text = world_text(scene)
        self.world = art.parse(text, folder=path.parent).world()
        self.bodies = {name: number for number, name in self.reading.names.items() if number}
        self.joints = {name: number for number, name in self.reading.joints.items()}
        joints = [each.joint for each in scene.parts if each.joint is not None]
        self.zeros = {each.name: each.zero for each in joints}

    @property
    def looped(self) -> bool:
        """Whether equalities close loops, so that speeds by chance would break them."""
        return bool(np.any(self.model.eq_active0 & (self.model.eq_type <= 1)))

    def stand(self, random: np.random.Generator) -> None:
        """Put the model at a state by chance."""
        m, d = self.model, self.data
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.ctrl[:] = self.start, self.reading.data.ctrl
        if not self.looped:
            d.qvel[:] = random.uniform(-1.0, 1.0, m.nv)
            for j in range(m.njnt):
                at, kind = int(m.jnt_qposadr[j]), int(m.jnt_type[j])
                if kind == 0:
                    d.qpos[at : at + 3] += random.uniform(-0.1, 0.1, 3)
                if kind <= 1:
                    q = random.normal(size=4)
                    d.qpos[at + 3 * (kind == 0) :][:4] = q / np.linalg.norm(q)
                else:
                    low, high = m.jnt_range[j] if m.jnt_limited[j] else (-1.0, 1.0)
                    middle, half = (low + high) / 2.0, 0.49 * (high - low)
                    d.qpos[at] = middle + half * random.uniform(-1.0, 1.0)
            for k in [*range(m.neq)] * 3:  # what is tied stands so; one may be tied to another
                if m.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT and m.eq_active0[k]:
                    self._tie(k)
        mujoco.mj_forward(m, d)

    def _tie(self, k: int) -> None:
        m, d = self.model, self.data
        a, b = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        x = d.qpos[m.jnt_qposadr[b]] - m.qpos0[m.jnt_qposadr[b]] if b >= 0 else 0.0
        given = m.eq_data[k, :5]
        d.qpos[m.jnt_qposadr[a]] = m.qpos0[m.jnt_qposadr[a]] + np.polyval(given[::-1], x)
        slope = np.polyval(np.polyder(given[::-1]), x)
        d.qvel[m.jnt_dofadr[a]] = slope * d.qvel[m.jnt_dofadr[b]] if b >= 0 else 0.0

    def accelerations(self, places: Mapping[int, Array]) -> Array:
        """Return accelerations (places, 6) of points of bodies and angular ones, in W."""
        m, d = self.model, self.data
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        free = np.linalg.solve(M, d.qfrc_smooth)
        qacc = _held(m, d, M, free)
        found = []
        for body, place in places.items():
            J, Jdot = np.zeros((6, m.nv)), np.zeros((6, m.nv))
            mujoco.mj_jac(m, d, J[:3], J[3:], place, body)
            mujoco.mj_jacDot(m, d, Jdot[:3], Jdot[3:], place, body)
            found.append(J @ qacc + Jdot @ d.qvel)
        return np.array(found)

    def standing(self) -> art.World:
        """Return the world at the state of the model."""
        m, d = self.model, self.data
        poses: dict[str, Array] = {}
        rates: dict[str, Array] = {}
        moved: dict[str, tuple[float, float]] = {}
        for name, body in self.bodies.items():
            X, V = np.eye(4), np.zeros(6)
            X[:3, :3], X[:3, 3] = d.xmat[body].reshape(3, 3), d.xpos[body]
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, body, V, 0)
            poses[name], rates[name] = X, V
        for name, joint in self.joints.items():
            at = int(m.jnt_qposadr[joint])
            speed = float(d.qvel[m.jnt_dofadr[joint]])
            moved[name] = (float(d.qpos[at] - self.start[at]) + self.zeros[name], speed)
        for each in [*self.world.couplings.values()] * 3:  # a gear may wait for another
            *first, last = [(label.rpartition(".")[0], factor) for label, factor in each.terms]
            if first and all(hinge in moved for hinge, _ in first) and last[0] not in moved:
                value, rate = (
                    sum(f * moved[hinge][k] for hinge, f in first) / -last[1] for k in (0, 1)
                )
                moved[last[0]] = (float(value), float(rate))
        asked = []
        for _ in range(12):  # links between stand where their joints have them
            for hinge in self.world.hinges.values():
                a, b = hinge.body_a, hinge.body_b
                if a not in poses and b not in poses:
                    poses |= {b: self.world.bodies[b].pose.matrix()} if self._still(b) else {}
                if a in poses or b not in (*poses, *self._fixed()):
                    continue
                X_B = poses.get(b, self.world.bodies[b].pose.matrix())
                V_B = rates.get(b, np.zeros(6))
                kind = hinge.kind.coordinates
                value, rate = moved.get(hinge.id, (0.0, 0.0))
                X_H, turn = X_B @ hinge.frame_b.matrix(), np.eye(4)
                z = X_H[:3, 2]
                if kind == ("angle",):
                    c, s = np.cos(value), np.sin(value)
                    turn[:2, :2] = [[c, -s], [s, c]]
                elif kind == ("travel",):
                    turn[2, 3] = value
                poses[a] = X_H @ turn @ np.linalg.inv(hinge.frame_a.matrix())
                w = V_B[:3] + (rate * z if kind == ("angle",) else 0.0)
                foot = (X_H @ turn)[:3, 3]
                v = V_B[3:] + np.cross(V_B[:3], foot - X_B[:3, 3])
                v = v + (rate * z if kind == ("travel",) else 0.0)
                rates[a] = np.hstack([w, v + np.cross(w, poses[a][:3, 3] - foot)])
        for name, (value, _) in moved.items():
            if name in self.world.hinges and self.world.hinges[name].kind.coordinates == ("angle",):
                asked.append((name, value))
        bodies = {}
        for name, body in self.world.bodies.items():
            if name in poses and body.motion == "free":
                V = rates.get(name, np.zeros(6))
                body = replace(
                    body, pose=pose_of_matrix(poses[name]), velocity=tuple(map(float, V[3:])),
                    rate=tuple(map(float, V[:3])), placed=True,
                )  # fmt: skip
            bodies[name] = body
        hinges = {
            name: replace(each, limits=()) if self.looped else each
            for name, each in self.world.hinges.items()
        }
        ignored = frozenset(
            frozenset((a, b)) for a in bodies for b in bodies if a < b
        ) if len(bodies) < 200 else self.world.ignored  # fmt: skip
        return replace(
            self.world, bodies=frozen(bodies), hinges=frozen(hinges), text="", ignored=ignored,
            placements=(Placement("", coordinates=tuple(asked)),),
        )  # fmt: skip

    def _fixed(self) -> set[str]:
        return {name for name in self.world.bodies if self._still(name)}

    def _still(self, name: str) -> bool:
        return self.world.bodies[name].motion == "fixed"

    def difference(self) -> float:
        """Return the largest difference of accelerations, of the largest of its kind."""
        run = art.simulate(self.standing(), until=1e-7, step=1e-7, domains=("geometric", "dynamic"))
        names = list(self.world.bodies)
        numbers = [names.index(name) for name in self.bodies]
        channels = ("position", "acceleration", "angular_acceleration")
        at, *ours = (run.array(f"dynamic.{each}")[0][numbers] for each in channels)
        theirs = self.accelerations(dict(zip(self.bodies.values(), at, strict=True)))
        return float(np.max(np.abs(np.hstack(ours) - theirs)) / np.max(np.abs(theirs)))


def _held(m: Any, d: Any, M: Array, free: Array) -> Array:
    """Return accelerations where equalities hold exactly and dry friction within its bounds."""
    rows, targets, bounds = [], [], []
    J = np.zeros((d.nefc, m.nv))
    if d.nefc:
        if mujoco.mj_isSparse(m):
            mujoco.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
        else:
            J[:] = d.efc_J.reshape(d.nefc, m.nv)
    given = np.zeros(m.nv)
    for row in range(d.nefc):
        kind = int(d.efc_type[row])
        if kind == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY):
            rows.append(J[row])
            targets.append(0.0)
            bounds.append(np.inf)
        elif kind in (
            int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF),
            int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON),
        ):
            loss, speed = float(d.efc_frictionloss[row]), float(J[row] @ d.qvel)
            if abs(speed) > 1e-9:
                given -= loss * np.sign(speed) * J[row]
            else:
                rows.append(J[row])
                targets.append(0.0)
                bounds.append(loss)
    a = free + np.linalg.solve(M, given)
    if not rows:
        return a
    A, b, most = np.array(rows), np.array(targets), np.array(bounds)
    L = np.linalg.cholesky(M)
    G = np.linalg.solve(L, A.T)  # W = G^T G
    tied = np.isinf(most)
    left, sizes, _ = np.linalg.svd(G[:, tied], full_matrices=False)
    left = left[:, sizes > 1e-10 * np.max(sizes, initial=0.0)]

    def free_of_ties(v: Array) -> Array:
        return v - left @ (left.T @ v)

    # W x - (b - A a) complementary to the bounds: the least of 1/2 |G x + L^T a|^2
    x, held = np.zeros(len(b)), np.ones(len(b), bool)
    if not tied.all():
        rubs, bound = free_of_ties(G[:, ~tied]), most[~tied]
        found = lsq_linear(
            rubs, -free_of_ties(L.T @ a), (-bound - 1e-300, bound + 1e-300), tol=1e-15,
            max_iter=500,
        ).x  # fmt: skip
        held[~tied] = np.abs(found) < bound * (1.0 - 1e-6)
        x[~tied] = np.where(held[~tied], 0.0, np.sign(found) * bound)
    a = a + np.linalg.solve(L.T, G @ x)
    for _ in range(3):  # what rounding leaves is solved again
        push = np.linalg.lstsq(G[:, held].T, b[held] - A[held] @ a, rcond=1e-10)[0]
        a = a + np.linalg.solve(L.T, push)
    return np.asarray(a)


def compared(path: Path) -> str:
    """Return the row of a model in the table."""
    name = f"{path.parent.name}/{path.stem}"
    try:
        peer = Peer(path)
    except ArticulataError as error:
        return f"| {name} | refused | {str(error).rpartition(': ')[2]} |"
    except ValueError as error:
        return f"| {name} | refused | by MuJoCo: {str(error).splitlines()[0]} |"
    random = np.random.default_rng(0)
    worst = 0.0
    for _ in range(1 if peer.looped else TRIES):
        peer.stand(random)
        worst = max(worst, peer.difference())
    told = ", ".join(f"{count} x {words}" for words, count in peer.lost.items())
    return f"| {name} | read | {worst:.0e} |" + (f" {told}" if worst > 1e-9 else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a copy of MuJoCo Menagerie")
    parser.add_argument("--only", default="", help="a part of the names of models")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| model | | largest difference, of the largest acceleration |\n|---|---|---|")
    for each in main_models(arguments.folder):
        if arguments.only in str(each):
            try:
                print(compared(each), flush=True)
            except Exception as error:  # the table goes on; what failed is seen in it
                print(f"| {each.parent.name}/{each.stem} | failed | {error!r:.200} |", flush=True)
