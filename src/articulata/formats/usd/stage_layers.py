"""The layers of a USD stage: files of its folder, and no others.

What a layer names elsewhere is taken out of it before the stage is composed, and told. Packages
(``.usdz``) are unpacked first, so that what is in them is held to the same rule.
"""

from __future__ import annotations

import shutil
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

ENDINGS: Final = (".usd", ".usda", ".usdc", ".usdz")
LAYERS: Final = ENDINGS[:3]
LARGEST: Final = 256 * 2**20
"""Bytes of a layer, and of a package unpacked, beyond which it is no world."""
MOST_LAYERS: Final = 500
CLIPS: Final = ("clips", "clipSets")


class StageFiles:
    """Opens a stage from ``path`` on; ``scratch`` is an empty folder for what is unpacked."""

    def __init__(self, path: Path, scratch: Path) -> None:
        self.scratch = scratch
        self.lost: Counter[str] = Counter()
        self._layers: dict[Path, Any] = {}
        self._homes: dict[Path, Path] = {}
        whole = path.resolve()
        if whole.suffix.lower() not in ENDINGS:  # USD knows a format by the ending alone
            whole = Path(shutil.copy(whole, scratch / "whole.usd"))
        self.first = self._unpacked(whole)
        if self.first == whole:
            self._homes[whole] = whole.parent

    def stage(self) -> Any:
        """Return the composed stage. ValueError says what it cannot be."""
        from pxr import Usd

        waiting = [self.first]
        while waiting:
            waiting += self._layer(waiting.pop())
        stage = Usd.Stage.Open(self._layers[self.first])
        strange = set(stage.GetUsedLayers()) - set(self._layers.values())
        if any(each.realPath for each in strange):
            raise ValueError("it opens files that it does not name")
        return stage

    def _layer(self, file: Path) -> list[Path]:
        """Open a layer, once; return the files that it names within its folder."""
        from pxr import Sdf

        if file in self._layers:
            return []
        if len(self._layers) >= MOST_LAYERS:
            raise ValueError(f"more than {MOST_LAYERS} layers belong to it; give a smaller world")
        if file.stat().st_size > LARGEST:
            raise ValueError(f"{file.name} is larger than {LARGEST // 2**20} MiB")
        layer = self._layers[file] = Sdf.Layer.FindOrOpen(str(file))
        if layer is None:
            raise ValueError(f"{file.name} is no layer of USD")
        self._unclip(layer)
        found = []
        for asset in layer.GetCompositionAssetDependencies():
            target, why = self._inside(file, asset)
            if target is None:
                self.lost[f"'{asset[:80]}', {why}"] += 1
            elif self._opens(target):
                found.append(target)
                if target.is_relative_to(self.scratch) and asset.lower().endswith(ENDINGS[3]):
                    self._change(layer, asset, str(target))
                continue
            else:
                self.lost[f"'{asset[:80]}', which is no layer of USD"] += 1
            self._change(layer, asset, "")
        return found

    def _change(self, layer: Any, asset: str, to: str) -> None:
        """Let a layer name another file, "" for none; a call changes one kind of arc alone."""
        for _ in range(3):
            layer.UpdateCompositionAssetDependency(asset, to)
            if asset not in layer.GetCompositionAssetDependencies():
                return
        raise ValueError(f"'{asset[:80]}' cannot be taken out of it")

    def _opens(self, file: Path) -> bool:
        """Tell whether a layer beside the first one can be read; broken ones are left out."""
        from pxr import Sdf, Tf

        try:
            return file in self._layers or bool(Sdf.Layer.FindOrOpen(str(file)))
        except Tf.ErrorException:
            return False

    def _inside(self, file: Path, asset: str) -> tuple[Path | None, str]:
        """Return the file that a layer names, None and the reason where it is not taken."""
        if "://" in asset or asset.startswith(("`", "anon:")):
            return None, "an address" if "://" in asset else "which is no file"
        home = self._homes[file]
        try:
            target = (file.parent / asset).resolve()
            if not target.is_relative_to(home):
                return None, "which is outside its folder"
            if not target.is_file():
                return None, "which is not there"
        except (OSError, ValueError):
            return None, "which is no file"
        if target.suffix.lower() not in ENDINGS:
            return None, "which is no layer of USD"
        try:
            inner = self._unpacked(target)
        except (ValueError, OSError, zipfile.BadZipFile):
            return None, "which cannot be unpacked"
        if inner == target:
            self._homes.setdefault(target, home)
        return inner, ""

    def _unpacked(self, file: Path) -> Path:
        """Return the first layer of a package, unpacked; a layer as it is."""
        with file.open("rb") as opened:
            if opened.read(4) != b"PK\x03\x04":
                return file
        folder = self.scratch / f"{len(list(self.scratch.iterdir()))}"
        first, left = None, LARGEST
        with zipfile.ZipFile(file) as package:
            for number, entry in enumerate(package.infolist()):
                target = (folder / entry.filename).resolve()
                layer = target.suffix.lower() in ENDINGS and not entry.is_dir()
                if number == 0 and not (layer and target.suffix.lower() in LAYERS):
                    raise ValueError("a package of USD begins with its first layer")
                if not layer or not target.is_relative_to(folder.resolve()):
                    continue
                left -= entry.file_size
                if left < 0 or entry.compress_type != zipfile.ZIP_STORED:
                    raise ValueError("a package of USD is not packed, and no larger than 256 MiB")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(package.read(entry))
                self._homes[target] = folder.resolve()
                first = first or target
        if first is None:
            raise ValueError("a package of USD holds a layer")
        return first

    def _unclip(self, layer: Any) -> None:
        """Take out value clips: they name files that are opened as values are asked for."""
        clipped = []

        def visit(path: Any) -> None:
            spec = (
                layer.GetPrimAtPath(path)
                if path.IsPrimPath() or path.IsPrimVariantSelectionPath()
                else None
            )
            if spec is not None and any(spec.HasInfo(each) for each in CLIPS):
                clipped.append(spec)

        layer.Traverse("/", visit)
        for spec in clipped:
            for each in CLIPS:
                spec.ClearInfo(each)
            self.lost["value clip"] += 1
