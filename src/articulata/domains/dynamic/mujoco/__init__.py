"""MuJoCo behind the dynamic protocol: the same world by other means (the extra ``mujoco``)."""
