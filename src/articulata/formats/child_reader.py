"""Files of strangers that compiled code reads: in a process of its own, which may break.

Its module is called with the file, a target and a folder for what it needs besides. It writes to
the target an ``.npz`` with arrays and, as JSON, ``told``; what it cannot read is the last line of
its errors.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array


def read_apart(
    module: str, path: Path, *, reader: str, longest: float
) -> tuple[Any, dict[str, Array]]:  # fmt: skip
    """Return what ``module`` tells of a file, and its arrays.

    FormatError where it breaks off, with the name of the ``reader``, or takes ``longest`` s.
    """
    with TemporaryDirectory() as folder:
        target, scratch = Path(folder) / "found.npz", Path(folder) / "scratch"
        scratch.mkdir()
        command = [sys.executable, "-m", module, str(path), str(target), str(scratch)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=longest
            )
        except subprocess.TimeoutExpired:
            raise FormatError(
                f"{path}: reading it took more than {longest:g} s; give a part of it"
            ) from None
        if done.returncode != 0 or not target.is_file():
            said = (done.stderr.strip().splitlines() or [""])[-1] if done.returncode >= 0 else ""
            said = said or "it broke off; the file is damaged or too large"
            raise FormatError(f"{path}: {reader} cannot read it: {said[:200]}")
        with np.load(target, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files if name != "told"}
            return json.loads(str(found["told"])), arrays
