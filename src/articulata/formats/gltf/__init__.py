"""glTF 2.0: documents, what moves in them over time, cameras, and files of moving frames.

Section numbers in this room are those of the Khronos glTF 2.0 specification, 2.0.1 of 2021.
"""
