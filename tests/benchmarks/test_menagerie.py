"""The table of MuJoCo's models: its rows say what agrees and why a model is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from benchmarks.menagerie import compared, main_models

ARM = """<mujoco><worldbody><body><joint name="a" damping="1"/><geom size=".1" pos="1 0 0"/>
  <body pos="2 0 0"><joint name="b" axis="0 1 0" frictionloss=".2"/><joint name="c" stiffness="3"/>
  <geom type="box" size=".1 .2 .3"/></body></body></worldbody>{}</mujoco>"""


def test_rows_tell_the_difference_or_the_reason(tmp_path: Path) -> None:
    (tmp_path / "maker_arm").mkdir()
    (tmp_path / "maker_arm" / "scene.xml").write_text("<mujoco><worldbody/></mujoco>")
    file = tmp_path / "maker_arm" / "arm.xml"
    file.write_text(ARM.format(""))
    assert list(main_models(tmp_path)) == [file]
    name, said, difference = compared(file).strip("| ").split(" | ")
    assert (name, said) == ("maker_arm/arm", "read")
    assert 0.0 < float(difference.strip(" |")) < 1e-9
    tie = '<equality><joint joint1="a" joint2="b" polycoef="0 0 1 0 0"/></equality>'
    file.write_text(ARM.format(tie))
    assert "| refused | the equality 'tie' lets joint 'a' follow along a curve" in compared(file)
