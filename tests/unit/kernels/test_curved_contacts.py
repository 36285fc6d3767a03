"""Contacts of rims and walls: gap and normal as the pieces', second derivatives as differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.contact.touches import about
from articulata.kernels.contacts.pieces import stand, standing
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody.contact.curved import (
    facing_normal,
    motion_of_facing,
    support_of,
)
from articulata.kernels.multibody.contact.features import touching
from articulata.kernels.multibody.contact.rows import (
    CONTACT_WIDTH,
    FEATURE_A,
    INDEX_A,
    FEATURE_B,
    INDEX_B,
    KIND,
    PIECE_A,
    PIECE_B,
    PIECES,
    TABLE_WIDTH,
)
from articulata.kernels.contacts.patches import new_room

SHAPES = (
    "cone(0.2, 0.5)",
    "cone(0.2, 0.4, 0.1)",
    "cylinder(0.15, 0.5)",
    "capsule(0.1, 0.3)",
    "cuboid(0.3, 0.2, 0.4)",
    "sphere(0.15)",
    "prism(5, 0.2, 0.3)",
)
