"""Published methods of inverse kinematics, kept to be compared: no part of the package."""
