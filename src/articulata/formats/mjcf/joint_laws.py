"""What acts along a joint of MuJoCo by itself: its spring and damper, and its actuators.

An actuator without a command gives ``gear clip(gain u + bias)``, ``u`` the command next to 0 and
the bias affine in the length and speed ``gear (q, q')`` (MuJoCo, Computation, Actuation model).
That of a servo is a spring and a damper.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.foreign_scene import SceneLaw

AFFINE: Final = 1
"""Number of a gain or a bias that is so; 0 is a fixed gain, and no bias."""


@dataclass(frozen=True, slots=True)
class Drive:
    """How an actuator reaches a joint: its length is ``length`` at first, and grows with ``arm``.

    ``arm`` is in lengths a radian or a metre of the joint.
    """

    actuator: int
    joint: int
    length: float
    arm: float


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


def drives(model: Any) -> list[Drive | None]:
    """Return how each actuator reaches one joint, or several that are tied; None for others."""
    import mujoco

    kinds, ties = mujoco.mjtTrn, tied(model)
    zero = [float(model.qpos0[at]) for at in model.jnt_qposadr]
    found: list[Drive | None] = []
    for number in range(model.nu):
        kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
        arms: dict[int, float] = {}
        if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            arms[target] = 1.0
        elif kind == kinds.mjTRN_TENDON:
            first = int(model.tendon_adr[target])
            for wrap in range(first, first + int(model.tendon_num[target])):
                joint = int(model.wrap_objid[wrap])
                if model.wrap_type[wrap] != mujoco.mjtWrap.mjWRAP_JOINT:
                    joint = -1
                arms[joint] = arms.get(joint, 0.0) + float(model.wrap_prm[wrap])
        gear = float(model.actuator_gear[number, 0])
        length = gear * sum(arm * zero[joint] for joint, arm in arms.items() if joint >= 0)
        while len(arms) > 1 and (moved := next((each for each in arms if each in ties), -1)) >= 0:
            other, ratio = ties[moved]
            arms[other] = arms.get(other, 0.0) + ratio * arms.pop(moved)
        one = len(arms) == 1 and -1 not in arms
        joint, arm = next(iter(arms.items())) if one else (-1, 0.0)
        found.append(Drive(number, joint, length, gear * arm) if one else None)
    return found


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
    for each in driven:
        if each is None or each.joint != joint:
            continue
        law = _actuator(model, each)
        if law is None:
            lost["actuator"] += 1
        elif law.stiffness or law.damping or law.constant:
            found.append(law)
        else:
            lost["motor (without a command it gives nothing)"] += 1
    return found


def through_gears(model: Any, what: str, joint: int, driven: list[Drive | None]) -> float:
    """Return ``damping`` or ``armature`` of the actuators of a joint as it is at the joint."""
    given = getattr(model, f"actuator_{what}", np.zeros(model.nu))
    mine = [each for each in driven if each is not None and each.joint == joint]
    return float(sum(each.arm**2 * given[each.actuator] for each in mine))


def _actuator(model: Any, drive: Drive) -> SceneLaw | None:
    """Return what an actuator gives without a command; None where that is no such law."""
    number, arm = drive.actuator, drive.arm
    command = 0.0
    if model.actuator_ctrllimited[number] and model.actuator_dyntype[number] == 0:
        command = float(np.clip(0.0, *model.actuator_ctrlrange[number]))
    bias, gain = int(model.actuator_biastype[number]), int(model.actuator_gaintype[number])
    if max(bias, gain) > AFFINE or model.actuator_plugin[number] >= 0:
        return None
    b = bias * model.actuator_biasprm[number, :3]
    b = b + command * model.actuator_gainprm[number, :3] * [1.0, gain, gain]
    bounds = None
    if model.actuator_forcelimited[number]:
        low, high = sorted(arm * float(each) for each in model.actuator_forcerange[number])
        bounds = (low, high)
    if model.jnt_actfrclimited[drive.joint]:
        low, high = bounds or (-np.inf, np.inf)
        bounds = (max(low, float(model.jnt_actfrcrange[drive.joint, 0])),
                  min(high, float(model.jnt_actfrcrange[drive.joint, 1])))  # fmt: skip
    constant = arm * float(b[0] + b[1] * drive.length)
    return SceneLaw(
        "drive", -(arm**2) * float(b[1]), -(arm**2) * float(b[2]), 0.0, constant, bounds
    )
