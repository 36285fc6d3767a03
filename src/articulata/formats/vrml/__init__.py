"""VRML97 and X3D: one table of nodes, one reader for each syntax, one writer for both."""
