"""placo as a child process: ``placo_peer.py URDF TOLERANCE``, run by placo's own environment.

A line of points (x y z x y z ..., m) is answered by the share of them that the tip reached.
"""

from __future__ import annotations

import sys

import numpy as np
import placo  # type: ignore[import-not-found,unused-ignore] # another environment's

STEPS = 100


def main() -> None:
    robot = placo.RobotWrapper(sys.argv[1], int(placo.Flags.ignore_collisions))
    tolerance = float(sys.argv[2])
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.enable_joint_limits(True)
    task = solver.add_position_task("tip", np.zeros(3))
    task.configure("tip", "soft", 1.0)
    names = list(robot.joint_names())
    middle = {name: float(np.mean(robot.get_joint_limits(name))) for name in names}
    for line in sys.stdin:
        targets = np.array(line.split(), float).reshape(-1, 3)
        reached = 0
        for target in targets:
            for name, value in middle.items():
                robot.set_joint(name, value)
            robot.update_kinematics()
            task.target_world = target
            for _ in range(STEPS):
                solver.solve(True)
                robot.update_kinematics()
                tip = robot.get_T_world_frame("tip")[:3, 3]
                if np.linalg.norm(tip - target) <= tolerance:
                    reached += 1
                    break
        print(reached / len(targets), flush=True)


if __name__ == "__main__":
    main()
