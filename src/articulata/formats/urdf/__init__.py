"""URDF, the Unified Robot Description Format: files read as figures, figures written."""
