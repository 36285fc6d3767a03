"""Figures that are part of another: ``figure name: whole without chain``."""

import pytest

import articulata as art

TEXT = """
units: degree
figure crane(reach: length = 2 m) {
  chain mast: plain table { turn: revolute(axis: z); lift: revolute(axis: y) at (0, 0, 1) }
  chain jib: plain table on lift at (reach, 0, 0) { extend: prismatic(axis: x, limits: (0, 1)) }
  chain rope: plain table on extend { swing: revolute(axis: y) }
  chain way: from turn to swing
  posture low { lift: 5 }
  posture far { lift: 5; extend: 40 cm }
  motion nod { 0.2 s: low; 0.4 s: (lift: 0) }
  motion reach_out { 0.2 s: (extend: 40 cm) }
  motion fetch { 0.2 s: far }
  limits careful { turn: (-45, 45); extend: (0, 20 cm) }
  landmarks { hook: swing at (0, 0, -1); cabin: turn at (20 cm, 0, 0) }
}
# what stands below the jib
figure mast: crane without jib
"""


def test_what_hangs_on_a_chain_goes_with_it() -> None:
    document = art.parse(TEXT)
    assert document.check() == ()
    mast = art.figure(document, "mast", reach=3.0)
    assert mast.names == ("turn", "lift")
    assert list(mast.chains) == ["mast"]
    assert list(mast.postures) == ["low"]
    assert list(mast.landmarks) == ["cabin"]
    assert dict(mast.limit_sets["careful"]).keys() == {"turn"}
    world = art.parse(TEXT + "world w { components { one: mast; two: crane } }").world()
    assert list(world.figures["one"].motions) == ["nod"]
    assert set(world.figures["two"].motions) == {"nod", "reach_out", "fetch"}


def test_it_is_printed_as_it_is_written() -> None:
    document = art.parse(TEXT)
    printed = document.text
    assert printed.endswith("# what stands below the jib\nfigure mast: crane without jib\n")
    assert art.parse(printed).tree == document.tree


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("figure b: cran without jib", "no figure 'cran' stands above.*did you mean 'crane'"),
        ("figure b: crane without jab", "has no chain 'jab'.*jib"),
        ("figure b: crane", "without"),
        ("figure crane: crane without jib", "'crane' is defined already"),
    ],
)
def test_what_is_wrong_with_a_part(line: str, words: str) -> None:
    with pytest.raises(art.WorldError, match=words):
        art.figure(art.parse(TEXT + line + "\n"), "b")
    assert len(art.parse(TEXT + line + "\n").check()) == 1
