"""Numbers of NumPy are numbers wherever a world is built, edited or told about its materials."""

from __future__ import annotations

import numpy as np

from articulata.world import wording
from articulata.world.contact_pairs import MaterialPair
from articulata.world.edits.transaction import in_words
from articulata.world.edits.value_edits import SetProperty


def test_a_material_pair_takes_numpy_numbers() -> None:
    pair = MaterialPair("a", "b", friction=np.float32(0.5), restitution=np.int64(1))
    assert (pair.friction, pair.restitution) == (0.5, 1.0)
    assert {type(pair.friction), type(pair.restitution)} == {float}


def test_an_edit_takes_numpy_numbers_and_keeps_plain_ones() -> None:
    edit = SetProperty("h.limits", ((np.float32(-0.5), np.int64(1)),))
    assert edit.value == ((-0.5, 1.0),)
    assert type(SetProperty("rod.density", np.float32(7850.0)).value) is float
    assert SetProperty("rod.ghost", True).value is True
    assert in_words(np.float32(0.5)) == "0.5"


def test_numpy_numbers_are_written_as_others() -> None:
    assert [wording.number(each) for each in (np.float32(0.5), np.int64(3))] == ["0.5", "3"]
