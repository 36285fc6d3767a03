"""What is on a USD stage as plain values, read in a process of its own.

``usd-core`` is compiled code that reads files of strangers: where it breaks or takes too much
memory or time, this process ends and not the one that asks. It writes ``TARGET``, an ``.npz`` with
arrays by name and all else as JSON in ``told``:
``python -m articulata.formats.usd.stage_contents FILE TARGET SCRATCH``.

Maps (4, 4) and numbers are those of the file, in its units and at its first frame. ``exact`` in
``customData`` of an attribute is the double that its float was rounded from.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.scene_motion import MOST_KEYS, WITHIN, rigid, traced
from articulata.formats.usd.stage_layers import StageFiles

MOST_MEMORY: Final = 4 << 30
"""Bytes of address space that a stage may take."""
MOST_SECONDS: Final = 120
"""s of computing that a stage may take."""
LONGEST: Final = 3600.0
"""s that a motion may last."""
MOST_PRIMS: Final = 200_000
MOST_NUMBERS: Final = 30_000_000
"""Points and corners of all surfaces."""
EXACT: Final = "exact"
SIZES: Final = {
    "Cube": ("size",), "Sphere": ("radius",), "Cylinder": ("radius", "height", "axis"),
    "Capsule": ("radius", "height", "axis"), "Cone": ("radius", "height", "axis"),
    "Plane": ("width", "length", "axis"), "Mesh": (),
}  # fmt: skip
"""Shapes that are read, and what says their sizes."""
DIFFUSE: Final = ("diffuseColor", "diffuse_color_constant", "base_color")
WAYS: Final = (
    "transX",
    "transY",
    "transZ",
    "rotX",
    "rotY",
    "rotZ",
    "angular",
    "linear",
    "distance",
)
LIMITS: Final = ("lowerLimit", "upperLimit", "coneAngle0Limit", "coneAngle1Limit",
                 "minDistance", "maxDistance")  # fmt: skip
DRIVES: Final = ("type", "maxForce", "targetPosition", "targetVelocity", "damping", "stiffness")


def plain(value: Any) -> Any:
    """Return a value of USD as JSON holds it; quaternions are w, x, y, z."""
    if hasattr(value, "GetImaginary"):
        return [value.GetReal(), *value.GetImaginary()]
    if hasattr(value, "__len__") and not isinstance(value, str):
        return [plain(each) for each in value]
    return value if isinstance(value, bool | int | float | str | None) else str(value)


class Contents:
    """Goes over the prims of a stage."""

    def __init__(self, files: StageFiles) -> None:
        from pxr import Usd, UsdGeom, UsdPhysics

        self.stage = stage = files.stage()
        self.lost = files.lost
        begin = stage.GetStartTimeCode() if stage.HasAuthoredTimeCodeRange() else None
        self.time = Usd.TimeCode.EarliestTime() if begin is None else Usd.TimeCode(begin)
        self.cache = UsdGeom.XformCache(self.time)
        self.arrays: dict[str, Any] = {}
        self.numbers = self.prims = 0
        self.told: dict[str, Any] = {
            "meters": UsdGeom.GetStageMetersPerUnit(stage),
            "up": str(UsdGeom.GetStageUpAxis(stage)),
            "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "gravity": None, "bodies": [], "things": [], "joints": [], "cameras": [],
            "pairs": [], "lost": self.lost,
        }  # fmt: skip

    def read(self) -> None:
        """Take all that is on the stage."""
        from pxr import Usd, UsdGeom, UsdPhysics

        prims = iter(self.stage.Traverse(Usd.TraverseInstanceProxies()))
        for prim in prims:
            self._count()
            kind = prim.GetTypeName()
            if prim.HasAPI(UsdPhysics.RigidBodyAPI) and self.value(
                prim, "physics:rigidBodyEnabled"
            ):
                self.told["bodies"].append(self._body(prim))
            if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                others = self._targets(prim, "physics:filteredPairs")
                self.told["pairs"] += [[str(prim.GetPath()), each] for each in others]
            if kind in SIZES:
                self._thing(prim)
            elif prim.IsA(UsdPhysics.Joint):
                self._joint(prim)
            elif kind == "Camera":
                self._camera(prim)
            elif kind == "PhysicsScene":
                self._scene(prim)
            elif kind == "PointInstancer":
                self._instances(prim)
                prims.PruneChildren()  # what is below is seen where its instances are
            elif prim.IsA(UsdGeom.Gprim) or kind == "SkelRoot":
                self.lost[f"{kind} (no surface that is read)"] += 1
            elif kind.endswith("Light") or kind == "PhysicsCollisionGroup":
                self.lost["light" if kind.endswith("Light") else "collision group"] += 1

    def _count(self) -> None:
        self.prims += 1
        if self.prims > MOST_PRIMS:
            raise ValueError(f"more than {MOST_PRIMS} prims are on it; give a smaller world")

    # ---- values

    def value(self, prim: Any, name: str) -> Any:
        """Return the value of an attribute, of more digits than its type has where it tells."""
        attribute = prim.GetAttribute(name)
        value = attribute.Get(self.time) if attribute else None
        if value is None:
            return None
        exact = attribute.GetCustomDataByKey(EXACT)
        if exact is not None:
            given, more = (np.array(plain(each), float) for each in (value, exact))
            if given.shape == more.shape and (given == more.astype(np.float32)).all():
                return plain(exact)
        return plain(value)

    def _values(self, prim: Any, names: tuple[str, ...], space: str = "physics:") -> dict[str, Any]:
        found = {name: self.value(prim, f"{space}{name}") for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def _targets(self, prim: Any, name: str) -> list[str]:
        relation = prim.GetRelationship(name)
        return [str(each) for each in relation.GetForwardedTargets()] if relation else []

    def _place(self, prim: Any) -> list[list[float]]:
        M = np.array(self.cache.GetLocalToWorldTransform(prim)).T
        return [[float(each) for each in row] for row in M]

    def _named(self, prim: Any) -> dict[str, Any]:
        return {"path": str(prim.GetPath()), "name": prim.GetName(), "M": self._place(prim)}

    def owner(self, prim: Any) -> str:
        """Return the path of the rigid body that a prim is part of; "" for none."""
        from pxr import UsdPhysics

        while prim and not prim.IsPseudoRoot():
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                return str(prim.GetPath()) if self.value(prim, "physics:rigidBodyEnabled") else ""
            prim = prim.GetParent()
        return ""

    def _motion(self, prim: Any, told: dict[str, Any]) -> None:
        """Note how a prim moves, in s from the first frame on; it is one rigid thing."""
        from pxr import UsdGeom

        codes = self._times(prim)
        zero, rate = self.stage.GetStartTimeCode(), self.stage.GetTimeCodesPerSecond()
        times = np.unique((np.array(sorted(codes), float) - zero) / rate)
        if len(times) < 2 or not times[-1] > 0.0:
            return
        if len(times) > MOST_KEYS or not times[-1] <= LONGEST:
            raise ValueError(f"a motion has more than {MOST_KEYS} key frames or {LONGEST:g} s")
        cache = UsdGeom.XformCache()

        def maps(t: Any) -> list[tuple[Any, Any]]:
            found = []
            for each in t.tolist():
                cache.SetTime(zero + rate * each)
                found.append(rigid(np.array(cache.GetLocalToWorldTransform(prim)).T))
            return found

        sizes = np.array(
            [S for _, S in maps(np.concatenate([times, 0.5 * (times[1:] + times[:-1])]))]
        )
        if not np.allclose(sizes, sizes[0], rtol=1e-5, atol=1e-9):
            self.lost["motion that changes sizes (it stands as at first)"] += 1
            return
        made, within = traced(
            lambda t: np.array([X for X, _ in maps(t)]),
            times, max(float(times[0]), 0.0), float(times[-1]), again=False,
        )  # fmt: skip
        if within > WITHIN:
            self.lost["motion too quick to be kept closely"] += 1
        if made is not None:
            told["moves"] = True
            self.arrays[f"times {told['path']}"] = made.times
            self.arrays[f"poses {told['path']}"] = made.poses

    # ---- kinds of prims

    def _weight(self, prim: Any) -> dict[str, Any]:
        from pxr import UsdPhysics

        names = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
        return self._values(prim, names) if prim.HasAPI(UsdPhysics.MassAPI) else {}

    def _body(self, prim: Any) -> dict[str, Any]:
        told = self._values(prim, ("kinematicEnabled", "velocity", "angularVelocity"))
        told |= self._named(prim) | self._weight(prim)
        self._motion(prim, told)
        return told

    def _instances(self, prim: Any) -> None:
        """Take the instances of a point instancer, each thing of a prototype where it is seen."""
        from pxr import Usd, UsdGeom

        points, inside = UsdGeom.PointInstancer(prim), self.cache.ComputeRelativeTransform
        targets = self._targets(prim, "prototypes")
        roots = [self.stage.GetPrimAtPath(each) for each in targets]
        kinds = points.GetProtoIndicesAttr().Get(self.time) or []
        strange = [k for k in kinds if not 0 <= k < len(roots)]
        if strange:
            raise ValueError(f"{prim.GetPath()} has no prototype {strange[0]}")
        maps = points.ComputeInstanceTransformsAtTime(
            self.time, self.time, points.IncludeProtoXform, points.IgnoreMask
        )
        shown = points.ComputeMaskAtTime(self.time) or [True] * len(kinds)
        if len(maps) != len(kinds) or len(shown) != len(kinds):
            raise ValueError(f"{prim.GetPath()} has {len(kinds)} indices and {len(maps)} places")
        attributes = (points.GetPositionsAttr(), points.GetOrientationsAttr(),
                      points.GetScalesAttr(), points.GetProtoIndicesAttr())  # fmt: skip
        if any(each.ValueMightBeTimeVarying() for each in attributes) or self._times(prim):
            self.lost["motion of instances (they stand as at first)"] += 1
        told = [
            [each for each in Usd.PrimRange(root, Usd.TraverseInstanceProxies())
             if each.GetTypeName() in SIZES] if root else [] for root in roots
        ]  # fmt: skip
        for root in filter(None, roots):
            for each in Usd.PrimRange(root, Usd.TraverseInstanceProxies()):
                if each.GetTypeName() == "PointInstancer":
                    self.lost["instances of instances"] += 1
                elif self.owner(each) not in ("", self.owner(prim)):
                    self.lost["rigid body of an instance (it stands still)"] += 1
        above = self.cache.GetLocalToWorldTransform(prim)
        for k, M, visible in zip(kinds, maps, shown, strict=True):
            for each in told[k] if visible else ():
                self._count()
                within = inside(each, roots[k])[0]
                self._thing(each, prim, roots[k], np.array(within * M * above).T.tolist())

    def _times(self, prim: Any) -> set[float]:
        """Return the time codes at which a prim and what it is in are placed."""
        from pxr import UsdGeom

        codes: set[float] = set()
        while prim and not prim.IsPseudoRoot():
            if prim.IsA(UsdGeom.Xformable):
                codes |= set(UsdGeom.Xformable(prim).GetTimeSamples())
            prim = prim.GetParent()
        return codes

    def _seen(self, prim: Any, instancer: Any, root: Any) -> bool:
        """Return whether a prim is drawn, by ``instancer`` what is at or below ``root``."""
        from pxr import UsdGeom

        if instancer is None:
            image = UsdGeom.Imageable(prim)
            seen = image.ComputeVisibility(self.time) != "invisible"
            return seen and image.ComputePurpose() in ("default", "render")
        while prim and self.value(prim, "visibility") != "invisible":
            if prim == root:
                return self._seen(instancer, None, None)
            prim = prim.GetParent()
        return False

    def _thing(
        self, prim: Any, instancer: Any = None, root: Any = None,
        M: list[list[float]] | None = None,
    ) -> None:  # fmt: skip
        """Take a shape, at ``M`` (4, 4) where an ``instancer`` places what is below ``root``."""
        from pxr import UsdPhysics

        kind = str(prim.GetTypeName())
        seen = self._seen(prim, instancer, root)
        body, above, collides = self.owner(instancer or prim), prim, False
        while above and not above.IsPseudoRoot() and not collides:
            collides = above.HasAPI(UsdPhysics.CollisionAPI) and bool(
                self.value(above, "physics:collisionEnabled")
            )
            if str(above.GetPath()) == body:
                break
            above = above.GetParent()
        if not (seen or collides):
            self.lost["hidden thing"] += 1
            return
        told = self._named(prim) | self._weight(prim)
        told |= {"kind": kind, "body": body, "seen": seen, "collides": collides}
        told |= {"M": M} if M is not None else {}
        told["sizes"] = self._values(prim, SIZES[kind], "")
        parent = prim.GetParent()
        alone = parent.GetTypeName() == "Xform" and len(parent.GetChildren()) == 1
        if alone and not parent.GetParent().IsPseudoRoot():
            told["name"] = parent.GetName()
        told["color"] = self._color(prim) if seen else None
        told["material"] = self._material(prim) if collides else {}
        if kind == "Mesh":
            self._mesh(prim, told)
        if not body and instancer is None:
            self._motion(prim, told)
            names = [each.GetName() for each in parent.GetChildren()]
            if all(re.fullmatch(rf"{parent.GetName()}_\d+", each) for each in names):
                told["inside"] = self._named(parent)
        self.told["things"].append(told)

    def _mesh(self, prim: Any, told: dict[str, Any]) -> None:
        names = {"points": float, "faceVertexCounts": np.int64, "faceVertexIndices": np.int64,
                 "holeIndices": np.int64}  # fmt: skip
        for name, kind in names.items():
            if f"{name} {told['path']}" in self.arrays:
                continue  # an instance of what is known
            found = prim.GetAttribute(name).Get(self.time)
            values = np.zeros(0, kind) if found is None else np.array(found, kind)
            self.numbers += len(values)
            if self.numbers > MOST_NUMBERS:
                raise ValueError(f"more than {MOST_NUMBERS} points and corners are on it")
            self.arrays[f"{name} {told['path']}"] = values
        told["left"] = self.value(prim, "orientation") == "leftHanded"
        if prim.GetAttribute("points").ValueMightBeTimeVarying():
            self.lost["surface that changes its form"] += 1

    def _color(self, prim: Any) -> list[float] | None:
        """Return the colour of light (linear) that a thing sends back."""
        from pxr import UsdShade

        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        sources = [material.ComputeSurfaceSource(each)[0] for each in ("", "mdl") if material]
        shader: Any = next((each for each in sources if each), None)
        for name in DIFFUSE if shader else ():
            given = shader.GetInput(name)
            if not given:
                continue
            found = [each.Get(self.time) for each in given.GetValueProducingAttributes()]
            if found and found[0] is not None and len(plain(found[0])) >= 3:
                exact = self.value(shader.GetPrim(), f"inputs:{name}")
                return list((exact or plain(found[0]))[:3])
            self.lost["picture on a surface (texture)"] += 1
        primvar = prim.GetAttribute("primvars:displayColor")
        colors = primvar.Get(self.time) if primvar else None
        if not colors:
            return None
        if len(colors) > 1:
            self.lost["colours of single faces or corners"] += 1
        exact = primvar.GetCustomDataByKey(EXACT)
        same = exact is not None and (np.array(exact, np.float32) == np.array(colors[0])).all()
        return list(plain(exact if same else colors[0]))

    def _material(self, prim: Any) -> dict[str, Any]:
        from pxr import UsdPhysics, UsdShade

        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not material or not material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            return {}
        names = ("density", "dynamicFriction", "staticFriction", "restitution")
        return self._values(material.GetPrim(), names)

    def _scene(self, prim: Any) -> None:
        if self.told["gravity"] is not None:
            self.lost["further physics scene"] += 1
            return
        self.told["gravity"] = self._values(prim, ("gravityDirection", "gravityMagnitude"))

    def _joint(self, prim: Any) -> None:
        from pxr import UsdPhysics

        if self.value(prim, "physics:jointEnabled") is False:
            self.lost["joint that is switched off"] += 1
            return
        names = ("axis", "localPos0", "localRot0", "localPos1", "localRot1", *LIMITS,
                 "collisionEnabled", "breakForce", "breakTorque")  # fmt: skip
        told = self._values(prim, names)
        told |= {"path": str(prim.GetPath()), "name": prim.GetName()}
        told |= {"kind": str(prim.GetTypeName()), "ends": []}
        for number in "01":
            targets = self._targets(prim, f"physics:body{number}")
            end = self.stage.GetPrimAtPath(targets[0]) if targets else None
            if targets and not end:
                raise ValueError(f"{told['path']} joins {targets[0]}, which is not on the stage")
            M = self._place(end) if end else np.eye(4).tolist()
            body = self.owner(end) if end else ""
            told["ends"].append({"body": body, "path": targets[0] if targets else "", "M": M})
        told["limits"] = {
            way: self._values(prim, ("low", "high"), f"limit:{way}:physics:")
            for way in WAYS if prim.HasAPI(UsdPhysics.LimitAPI, way)
        }  # fmt: skip
        told["drives"] = {
            way: self._values(prim, DRIVES, f"drive:{way}:physics:")
            for way in WAYS if prim.HasAPI(UsdPhysics.DriveAPI, way)
        }  # fmt: skip
        told["more"] = self._values(prim, ("armature", "jointFriction"), "physxJoint:")
        self.told["joints"].append(told)

    def _camera(self, prim: Any) -> None:
        names = ("focalLength", "verticalAperture", "projection")
        told = self._named(prim) | self._values(prim, names, "")
        self._motion(prim, told)
        self.told["cameras"].append(told | {"body": self.owner(prim)})


def main() -> None:
    """Read the file and write what is on it; the last line of an error says what it cannot be."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        found = Contents(StageFiles(Path(sys.argv[1]), Path(sys.argv[3]).resolve()))
        found.read()
        with open(sys.argv[2], "wb") as file:
            np.savez(file, told=np.array(json.dumps(found.told)), **found.arrays)
    except MemoryError:
        sys.exit(f"it takes more than {MOST_MEMORY >> 30} GiB of memory")
    except Exception as error:  # whatever a reader of strangers' files raises is told
        said = re.sub(r"Error in '.*?' at line \d+ in file \S+ :", "", " ".join(str(error).split()))
        sys.exit(said.strip(" '"))


if __name__ == "__main__":
    main()
