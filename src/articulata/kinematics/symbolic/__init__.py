"""Closed forms of a chain's forward kinematics and Jacobian: text, LaTeX, Python."""
