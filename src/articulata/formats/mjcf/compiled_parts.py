"""Parts of a model that MuJoCo has compiled: what acts along its joints, and shapes of its geoms.

A joint has a spring, a damper and actuators.
An actuator gives ``gear clip(gain u + bias)``, ``u`` the command at the start (next to 0) and the
bias affine in the length and speed ``gear (q, q')`` (MuJoCo, Computation, Actuation model).
That of a servo is a spring and a damper.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr

from articulata.errors import FormatError
from articulata.formats.scenes.foreign_scene import Scene, SceneLaw, SceneTie
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.joint_frames import axis_frame
from articulata.geometry.poses import make_pose
from articulata.kinematics.described_figure import identifier
from articulata.world.figures.link_weights import Weight, together

FREE, BALL, SLIDE, HINGE = range(4)
CLOSE: Final = 1e-9
APART: Final = 1e-6
"""m, how far apart two points are that make an axis."""
HELD: Final = 1e-12
"""m and rad by which a key frame that is moved may be off."""
STEPS: Final = 30
"""Times that a key frame is moved towards a posture that holds."""
AFFINE: Final = 1
"""Number of a gain or a bias that is so; 0 is a fixed gain, and no bias."""
BETWEEN: Final = ("about", "between", "from", "hinge", "joint", "link", "of", "on")
"""Words that our texts read as others where the name of a force or a gear is due."""
Y_TO_Z: Final = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""Turns y, across our ground, to z, across theirs."""
SMALL: Final = "damping of a ball (the same while it has turned little)"
"""Ours is of the rate of the rotation vector, MuJoCo's of the angular velocity."""
ZERO: Final = "zero of a joint (its values count from the start)"
IDLE: Final = "motor (without a command it gives nothing)"
KEPT: Final = (SMALL, ZERO, IDLE)
"""What texts lose of models and other models do not."""


@dataclass(frozen=True, slots=True)
class Drive:
    """How an actuator reaches a joint: its length is ``length`` at first, and grows with ``arm``.

    ``arm`` is in lengths a radian or a metre of the joint. What ends the force of all actuators of
    a joint or a tendon is in ``bounds``. ``command`` is what it is told.
    """

    actuator: int
    joint: int
    length: float
    arm: float
    bounds: tuple[float, float] | None = None
    command: float = 0.0


def start_at_key(mujoco: Any, model: Any, data: Any, scene: Scene, key: str = "") -> None:
    """Put a model where a key frame has it: ``key``, its name or its number, else the first.

    One that opens an equality or passes a limit is moved as little as that takes, and left out
    where nothing helps. What is not taken is counted. FormatError for one that is not there.
    """
    keys = [model.key(number).name or str(number) for number in range(model.nkey)]
    if key and key not in keys:
        known = f"it has {', '.join(repr(each) for each in keys)}" if keys else "it has none"
        raise FormatError(f"{scene.file}: there is no key frame '{key}'; {known}")
    if not keys:
        return
    named = key or keys[0]
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    off, _, ends = _off(mujoco, model, data)
    met = np.abs(off[~ends]) <= APART
    mujoco.mj_resetDataKeyframe(model, data, keys.index(named))
    told, moved = data.qpos.copy(), np.zeros(model.nv)
    if not np.isfinite(data.qvel).all() or not _met(mujoco, model, data, met):
        scene.lost[f"key frame '{named}' (it opens equalities or passes limits)"] += 1
        mujoco.mj_resetData(model, data)
    else:
        scene.notes.append(f"It starts as in the key frame '{named}'.")
        mujoco.mj_differentiatePos(model, moved, 1.0, told, data.qpos)
        if (far := float(np.abs(moved).max(initial=0.0))) > APART:
            words = f"key frame '{named}' as it is (moved by {far:.2g} rad or m at most: it opens "
            scene.lost[f"{words}equalities or passes limits)"] += 1
        if data.time:
            scene.lost["time of a key frame (it starts at 0 s)"] += 1
        if model.na and data.act.any():
            scene.lost["activations of a key frame"] += 1
    if model.nkey > 1:
        others = ", ".join(repr(each) for each in keys if each != named)
        first = "" if key else "the first, "
        scene.lost[f"key frame (it starts as in {first}'{named}'; --key takes {others})"] += (
            model.nkey - 1
        )


def _met(mujoco: Any, model: Any, data: Any, met: BoolArray) -> bool:
    """Move a model to the nearest posture that holds limits and those equalities that are ``met``.

    Return whether there is one (Gauss-Newton).
    """
    for _ in range(STEPS):
        off, J, ends = _off(mujoco, model, data)
        kept = ends.copy()
        kept[~ends] = met
        if np.abs(off[kept]).max(initial=0.0) <= HELD:
            return True
        move = lsqr(J[kept], -off[kept], atol=1e-12, btol=1e-12)[0]
        mujoco.mj_integratePos(model, data.qpos, move, 1.0)
    return False


def _off(mujoco: Any, model: Any, data: Any) -> tuple[Array, Any, BoolArray]:
    """Return how far equalities and limits that are passed are off (n,), in rad or m.

    Second come their Jacobians, sparse (n, nv), third which of them are limits. FormatError where
    MuJoCo cannot tell.
    """
    try:
        mujoco.mj_fwdPosition(model, data)
    except mujoco.FatalError as error:
        raise FormatError(f"MuJoCo cannot place what the model holds: {error}") from error
    n, kinds = data.nefc, data.efc_type[: data.nefc]
    off, rows = data.efc_pos[:n], np.append(data.efc_J_rowadr[:n], data.nJ)
    J = csr_array((data.efc_J[: data.nJ], data.efc_J_colind[: data.nJ], rows), (n, model.nv))
    ends = (kinds == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT) & (off < 0.0)
    those = ends | (kinds == mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    return np.array(off[those]), J[those], ends[those]


def twist_of(model: Any, data: Any, joints: list[int]) -> Array:
    """Return how joints of one body, in their order, move it at the start (6,)."""
    last = joints[-1]
    first, end = (int(model.jnt_dofadr[each]) for each in (joints[0], last))
    end += (6, 3, 1, 1)[int(model.jnt_type[last])]
    w, v = np.split(data.qvel[first:end] @ data.cdof[first:end], 2)
    center = data.subtree_com[model.body_rootid[model.jnt_bodyid[last]]]
    return np.concatenate([w, v + np.cross(center, w)])


def weight_of(model: Any, data: Any, bodies: list[int], X_PW: Array) -> Weight:
    """Return what several bodies weigh as one, in frame P."""
    found = []
    for body in bodies:
        R = X_PW[:3, :3] @ data.ximat[body].reshape(3, 3)
        center = X_PW[:3, :3] @ data.xipos[body] + X_PW[:3, 3]
        J = R @ np.diag(model.body_inertia[body]) @ R.T
        found.append(Weight(float(model.body_mass[body]), center, J))
    heavy = [each for each in found if each.mass > 0.0]
    return together(heavy) if heavy else found[0]


def arms_of(model: Any, tendon: int) -> dict[int, float]:
    """Return by how much each joint lengthens a tendon; none where it runs over places."""
    import mujoco

    first = int(model.tendon_adr[tendon])
    found: dict[int, float] = {}
    for wrap in range(first, first + int(model.tendon_num[tendon])):
        if model.wrap_type[wrap] != mujoco.mjtWrap.mjWRAP_JOINT:
            return {}
        joint = int(model.wrap_objid[wrap])
        found[joint] = found.get(joint, 0.0) + float(model.wrap_prm[wrap])
    return {joint: arm for joint, arm in found.items() if arm}


def in_line(model: Any, joints: Iterable[int]) -> bool:
    """Return whether of any two joints one carries the other."""
    dofs = {int(model.jnt_dofadr[each]) for each in joints}
    way, on = set[int](), max(dofs)
    while on >= 0:
        way.add(on)
        on = int(model.dof_parentid[on])
    return dofs <= way


def length_at_first(model: Any, arms: dict[int, float]) -> float:
    """Return how long a tendon is where the model stands at first."""
    return float(sum(arm * model.qpos0[model.jnt_qposadr[joint]] for joint, arm in arms.items()))


def tied(model: Any) -> dict[int, tuple[int, float]]:
    """Return what each joint moves with that an equality ties to another: joint and ratio."""
    import mujoco

    found: dict[int, tuple[int, float]] = {}
    for number in range(model.neq):
        a, b = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        if straight(model, number) and model.eq_type[number] == mujoco.mjtEq.mjEQ_JOINT and b >= 0:
            found[a] = (b, float(model.eq_data[number, 1]))
    return found


def straight(model: Any, number: int) -> bool:
    """Return whether an equality of joints is active and proportional."""
    given = model.eq_data[number]
    return bool(model.eq_active0[number] and given[0] == 0.0 and not given[2:5].any())


def drives(model: Any, commands: Array) -> list[Drive | None]:
    """Return how each actuator reaches one joint, or several that are tied; None for others."""
    import mujoco

    kinds, ties = mujoco.mjtTrn, tied(model)
    found: list[Drive | None] = []
    for number in range(model.nu):
        kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
        arms: dict[int, float] = {}
        if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            arms[target] = 1.0
        elif kind == kinds.mjTRN_TENDON:
            arms = arms_of(model, target)
        gear = float(model.actuator_gear[number, 0])
        length = gear * length_at_first(model, arms)
        while len(arms) > 1 and (moved := next((each for each in arms if each in ties), -1)) >= 0:
            other, ratio = ties[moved]
            arms[other] = arms.get(other, 0.0) + ratio * arms.pop(moved)
        joint, arm = next(iter(arms.items())) if len(arms) == 1 else (-1, 0.0)
        bounds = None
        if joint >= 0 and model.jnt_actfrclimited[joint]:
            low, high = (float(each) for each in model.jnt_actfrcrange[joint])
            bounds = (low, high)
        told = float(commands[number])
        drive = Drive(number, joint, length, gear * arm, bounds, told)
        found.append(drive if joint >= 0 else None)
    return found


def tendon_drives(
    model: Any, driven: list[Drive | None], commands: Array
) -> dict[int, list[Drive]]:
    """Return the actuators of each tendon over several joints that are not tied."""
    import mujoco

    found: dict[int, list[Drive]] = {number: [] for number in range(model.ntendon)}
    for number, known in enumerate(driven):
        if known is None and model.actuator_trntype[number] == mujoco.mjtTrn.mjTRN_TENDON:
            tendon, gear = int(model.actuator_trnid[number, 0]), model.actuator_gear[number, 0]
            if arms := arms_of(model, tendon):
                bounds = None
                if getattr(model, "tendon_actfrclimited", np.zeros(model.ntendon))[tendon]:
                    low, high = (float(each) for each in model.tendon_actfrcrange[tendon])
                    bounds = (low, high)
                length = float(gear) * length_at_first(model, arms)
                told = float(commands[number])
                found[tendon].append(Drive(number, -1, length, float(gear), bounds, told))
    return found


def tendon_laws(model: Any, tendon: int, driven: list[Drive], lost: Counter[str]) -> list[SceneLaw]:
    """Return what acts along a tendon over joints, counted from its length at first."""
    k, c = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
    low, high = (float(each) for each in model.tendon_lengthspring[tendon])
    if k and low != high:
        lost["spring of a tendon that is slack at first"] += 1
        k = 0.0
    zero = length_at_first(model, arms_of(model, tendon))
    found = [SceneLaw("spring", k, c, low - zero)] if k or c else []
    return [*found, *_driving(model, driven, lost)]


def spring_ends(model: Any, tendon: int) -> tuple[int, int] | None:
    """Return the two sites between which a tendon is a spring and no more, or None."""
    import mujoco

    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    place = int(mujoco.mjtWrap.mjWRAP_SITE)
    low, high = (float(each) for each in model.tendon_lengthspring[tendon])
    more = ("limited", "frictionloss", "armature", "stiffnesspoly", "dampingpoly")
    more_acts = any(np.any(getattr(model, f"tendon_{name}", np.zeros(1 + tendon))[tendon])
                    for name in more)  # fmt: skip
    pulled = (model.actuator_trntype == mujoco.mjtTrn.mjTRN_TENDON) & (
        model.actuator_trnid[:, 0] == tendon
    )
    two = count == 2 and all(model.wrap_type[first : first + 2] == place)
    if not two or more_acts or low != high or pulled.any():
        return None
    a, b = (int(each) for each in model.wrap_objid[first : first + 2])
    same = model.body_weldid[model.site_bodyid[a]] == model.body_weldid[model.site_bodyid[b]]
    return None if same else (a, b)


def spring_law(model: Any, tendon: int) -> tuple[float, float, float]:
    """Return stiffness (N/m), damping (N s/m) and length at rest (m) of a tendon."""
    k, c = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
    return k, c, float(model.tendon_lengthspring[tendon][0])


def joint_laws(
    model: Any, joint: int, driven: list[Drive | None], lost: Counter[str]
) -> list[SceneLaw]:
    """Return what acts along a joint with one freedom, counted from where it stands at first.

    What no law holds is counted in ``lost``.
    """
    dof, at = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
    k, c = float(model.jnt_stiffness[joint]), float(model.dof_damping[dof])
    curved = (("jnt_stiffnesspoly", joint), ("dof_dampingpoly", dof))
    if any(np.any(getattr(model, name)[each]) for name, each in curved if hasattr(model, name)):
        lost["spring or damping that is not straight"] += 1
    c += through_gears(model, "damping", joint, driven)
    found = []
    if k or c:
        found.append(SceneLaw("spring", k, c, float(model.qpos_spring[at] - model.qpos0[at])))
    return [*found, *_driving(model, [e for e in driven if e and e.joint == joint], lost)]


def ball_laws(model: Any, joint: int, acting: list[str], lost: Counter[str]) -> list[SceneLaw]:
    """Return the spring of a ball where it is at rest at first, and its damping.

    All else that is ``acting`` is counted.
    """
    at = model.jnt_qposadr[joint] + np.arange(4)
    rests = np.abs(model.qpos_spring[at] - model.qpos0[at]).max() <= CLOSE
    words = {"damping": SMALL, "spring": "" if rests else "spring of a ball"}
    lost += Counter(filter(None, (words.get(what, f"{what} of a ball") for what in acting)))
    k = rests * float(model.jnt_stiffness[joint])
    c = float(model.dof_damping[model.jnt_dofadr[joint]])
    return [SceneLaw("spring", k, c)] if k or c else []


def named_laws(scene: Scene, called: str, laws: list[SceneLaw]) -> tuple[SceneLaw, ...]:
    """Return what acts along a joint, springs called after it, actuators as they are."""
    found, on = [], scene.asked.get(called, called)
    for each in laws:
        name = f"{on}_{'spring' if each.name == 'spring' else 'drive'}"
        own = "" if each.name in ("", "spring", *BETWEEN) else identifier(each.name)
        found.append(replace(each, name=scene.unique(own or name, name)))
    return tuple(found)


def _driving(model: Any, driven: list[Drive], lost: Counter[str]) -> list[SceneLaw]:
    """Return what actuators give; those that give nothing by themselves are counted, too."""
    found = []
    for each in driven:
        law = _actuator(model, each)
        acts = law is not None and bool(law.stiffness or law.damping or law.constant)
        if law is not None and (acts or law.gain):
            found.append(law)
        if not acts:
            lost[IDLE if law is not None and law.gain else "actuator"] += 1
    return found


def through_gears(model: Any, what: str, joint: int, driven: list[Drive | None]) -> float:
    """Return ``damping`` or ``armature`` of the actuators of a joint as it is at the joint."""
    given = getattr(model, f"actuator_{what}", np.zeros(model.nu))
    mine = [each for each in driven if each is not None and each.joint == joint]
    return float(sum(each.arm**2 * given[each.actuator] for each in mine))


def _actuator(model: Any, drive: Drive) -> SceneLaw | None:
    """Return what an actuator gives by its command; None where that is no such law."""
    number, arm = drive.actuator, drive.arm
    command, span = drive.command, None
    if model.actuator_ctrllimited[number] and model.actuator_dyntype[number] == 0:
        low, high = (float(each) for each in model.actuator_ctrlrange[number])
        command, span = float(np.clip(command, low, high)), (low, high)
    bias, gain = int(model.actuator_biastype[number]), int(model.actuator_gaintype[number])
    if max(bias, gain) > AFFINE or model.actuator_plugin[number] >= 0:
        return None
    b = bias * model.actuator_biasprm[number, :3]
    b = b + command * model.actuator_gainprm[number, :3] * [1.0, gain, gain]
    bounds = None
    if model.actuator_forcelimited[number]:
        low, high = sorted(arm * float(each) for each in model.actuator_forcerange[number])
        bounds = (low, high)
    if drive.bounds is not None:
        low, high = bounds or drive.bounds
        bounds = (max(low, drive.bounds[0]), min(high, drive.bounds[1]))
    constant = arm * float(b[0] + b[1] * drive.length)
    at_once = gain == 0 and model.actuator_dyntype[number] == 0
    commanded = arm * float(model.actuator_gainprm[number, 0]) if at_once else 0.0
    return SceneLaw(
        model.actuator(number).name, -(arm**2) * float(b[1]), -(arm**2) * float(b[2]),
        0.0, constant, bounds, commanded, command if commanded else None, span,
    )  # fmt: skip


def one_hinge(kinds: list[int], axes: Array, places: Array) -> tuple[str, Array, Array | None]:
    """Return the hinge with the freedoms of some joints, its z and x in W; "" for none."""
    here = bool(np.all(np.abs(places - places[-1]) < 1e-6))
    if len(kinds) == 1:
        return {BALL: "ball", SLIDE: "slider", HINGE: "pin"}.get(kinds[0], ""), axes[0], None
    turns = [each == HINGE for each in kinds]
    if len(kinds) == 2 and all(turns) and here and abs(axes[0] @ axes[1]) < CLOSE:
        # the first joint is the one at the parent
        return "universal", axes[1], axes[0]
    if len(kinds) == 2 and sorted(kinds) == [SLIDE, HINGE] and abs(axes[0] @ axes[1]) > 1 - CLOSE:
        return "cylindrical", axes[0], None
    if len(kinds) == 3 and all(turns) and here and abs(np.linalg.det(axes)) > 0.1:
        return "ball", axes[0], None
    if sorted(kinds) == [SLIDE, SLIDE, HINGE]:
        normal = axes[kinds.index(HINGE)]
        slides = axes[[each == SLIDE for each in kinds]]
        if np.all(np.abs(slides @ normal) < CLOSE) and abs(slides[0] @ slides[1]) < 0.9:
            return "planar", normal, None
    return "", axes[0], None


def pinned(ties: list[SceneTie]) -> list[SceneTie]:
    """Return ties where two balls between the same two parts are the pin that they make."""
    balls: dict[tuple[str, str], list[SceneTie]] = defaultdict(list)
    for each in ties:
        if each.kind == "ball":
            balls[each.first, each.second].append(each)
    gone: set[SceneTie] = set()
    pins = []
    for first, *more in balls.values():
        if len(more) == 1:
            way = more[0].X_WJ[:3, 3] - first.X_WJ[:3, 3]
            if float(np.linalg.norm(way)) > APART:
                X_WJ = make_pose(axis_frame(way)[:3, :3], first.X_WJ[:3, 3])
                pins.append(replace(first, kind="pin", X_WJ=X_WJ))
                gone |= {first, more[0]}
    return [*(each for each in ties if each not in gone), *pins]
