"""Primitives with their parameters put in: shape, features, properties, motion, controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from articulata.errors import GeometryError
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import (
    Quantity,
    Scope,
    Value,
    is_group,
    show,
    type_name,
)
from articulata.world.language.elaboration.function_calls import (
    color_of,
    not_negative,
    positive,
    restitution_of,
)
from articulata.world.language.elaboration.instances import BodyType
from articulata.world.language.elaboration.shape_calls import (
    PutValue,
    check_parts,
    near,
    shape,
    solid,
)
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES
from articulata.world.model import Feature, Motion, PropertyValue
from articulata.world.single_frames import along
from articulata.world.values import NO_TURN, ZERO, Material, Pose

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape


def body_type(item: t.Primitive, scope: Scope, factor: float = 1.0) -> BodyType:
    """Return what all instances of a primitive share, enlarged by ``factor``.

    One wrong section does not hide what is wrong in the next; the type is abandoned at the end.
    """
    sections = _Sections(scope)
    body_shape = look = None
    geometry = item.geometry
    if geometry is not None and geometry.shape is not None:
        with sections.reading(geometry.span):
            # what stands still may be a surface: it stands in the way, and weighs nothing
            read = shape if _stands(item) else solid
            body_shape = read(scope, geometry.shape)
            check_parts(body_shape)
            body_shape = _scaled(body_shape, factor)
    features: dict[str, Feature] = {}
    for each in geometry.features if geometry is not None else ():
        with sections.reading(each.span):
            if each.name in features:
                raise scope.fail(each, "duplicate", f"feature '{each.name}' is defined twice")
            made = _feature(scope, each, body_shape, sections.failed)
            features[each.name] = _enlarged(made, factor)
    if item.look is not None:
        with sections.reading(item.look.span):
            look = _scaled(shape(scope, item.look), factor)
    flags: set[str] = set()
    properties: dict[str, PropertyValue] = {}
    material: Material | None = None
    for field in item.properties.fields if item.properties is not None else ():
        with sections.reading(field.span):
            material = read_property(scope, field, properties, flags) or material
    for field in item.dynamics.fields if item.dynamics is not None else ():
        with sections.reading(field.span):
            _dynamics_field(scope, field, properties, factor)
    levels: tuple[Shape, ...] | None = ()
    if item.interference is not None:
        with sections.reading(item.interference.span):
            levels = _levels(scope, item.interference, factor)
    bindings = item.control.bindings if item.control is not None else ()
    if sections.failed:
        raise Abandon
    return BodyType(
        type_name(item.name),
        body_shape,
        MappingProxyType(features),
        MappingProxyType(properties),
        material,
        _motion(item, bindings, flags),
        item.dynamics is not None,
        bindings,
        scope,
        levels,
        item.geometry,
        look,
    )


class _Sections:
    """The sections of a primitive that are read one by one; ``failed`` if any could not be."""

    def __init__(self, scope: Scope) -> None:
        self._notes, self._source = scope.notes, scope.source
        self.failed = False

    @contextmanager
    def reading(self, span: Span) -> Iterator[None]:
        """Go on after what fails within; what no solid can be is noted at ``span``."""
        try:
            yield
        except GeometryError as error:
            self._notes.add(self._source, span, "bad-shape", str(error))
            self.failed = True
        except Abandon:
            self.failed = True


def _scaled(body_shape: Shape, factor: float) -> Shape:
    """Return a shape enlarged by ``factor``."""
    if factor == 1.0:
        return body_shape
    from articulata.geometry.shapes import scaled

    return scaled(body_shape, factor)


def _stands(item: t.Primitive) -> bool:
    """Return whether instances of a primitive are said to be fixed."""
    fields = item.properties.fields if item.properties is not None else ()
    words = [each.value for each in fields if each.name is None]
    return any(isinstance(word, t.Path) and word.simple == "fixed" for word in words)


def _levels(scope: Scope, item: t.Interference, factor: float) -> tuple[Shape, ...] | None:
    """Return the shapes of ``interference:``, enlarged, or None for ``none``.

    ``levels`` stands for those that follow from the geometry, which are always there.
    """
    words = [each.simple if isinstance(each, t.Path) else "" for each in item.levels]
    if words == ["none"]:
        return None
    found = [
        shape(scope, each)
        for each, word in zip(item.levels, words, strict=True)
        if word != "levels"
    ]
    for each in found:
        check_parts(each)
    return tuple(_scaled(each, factor) for each in found)


def _motion(item: t.Primitive, bindings: tuple[t.Binding, ...], flags: set[str]) -> Motion:
    if "fixed" in flags:
        return "fixed"
    if any(each.quantity == "acceleration" for each in bindings):
        return "prescribed"
    # Without dynamics and without a control nothing could ever move it.
    return "fixed" if item.dynamics is None and not bindings else "free"


# ---- features


def _feature(scope: Scope, item: t.Feature, body_shape: Any, failed: bool) -> Feature:
    found = _named(scope, item, body_shape, failed)
    near(scope, found.pose.position, item.value)
    return found


def _named(scope: Scope, item: t.Feature, body_shape: Any, failed: bool) -> Feature:
    span = span_of(scope.source, item.span)
    if item.kind == "face":
        return _face(scope, item, body_shape, failed)
    value = scope.evaluate(item.value)
    if isinstance(value, PutValue):
        position = value.value if value.at is None else value.at
        pose = Pose(scope.to_vector(position, "length", item.value), value.turn)
        if item.kind == "point":
            pose = Pose(pose.position)
        kind = item.kind or ("frame" if value.turn != NO_TURN else "point")
        return Feature(item.name, kind, pose, span)  # type: ignore[arg-type] # the parser's words
    if is_group(value, 2):
        point, way = value
        position = scope.to_vector(point, "length", item.value)
        axis = scope.to_direction(way, item.value)
        named = item.kind if item.kind in ("axis", "frame") else "axis"
        return Feature(item.name, named, Pose(position, along(axis)), span)  # type: ignore[arg-type] # one of two words
    if item.kind == "axis":
        axis = scope.to_direction(value, item.value)
        return Feature(item.name, "axis", Pose(ZERO, along(axis)), span)
    position = scope.to_vector(value, "length", item.value)
    return Feature(item.name, "frame" if item.kind == "frame" else "point", Pose(position), span)


def _face(scope: Scope, item: t.Feature, body_shape: Any, failed: bool) -> Feature:
    """Return a face under a name of its own: ``face seat: top``."""
    from articulata.world.body_features import shape_features
    from articulata.world.paths import hint

    if not isinstance(item.value, t.Path):
        value = scope.evaluate(item.value)
        raise scope.unlike(item.value, "the name of a face is", value)
    faces = shape_features(body_shape)
    found = faces.get(item.value.text)
    if found is None:
        if failed:
            raise Abandon
        raise scope.fail(
            item.value,
            "unknown-feature",
            f"this shape has no face '{item.value.text}'",
            hint(item.value.text, faces).lstrip("; "),
        )
    return Feature(item.name, found.kind, found.pose, span_of(scope.source, item.span))


def _enlarged(feature: Feature, factor: float) -> Feature:
    if factor == 1.0 or feature.kind == "face":
        return feature
    x, y, z = feature.pose.position
    pose = Pose((factor * x, factor * y, factor * z), feature.pose.orientation)
    return replace(feature, pose=pose)


# ---- properties


def _material_value(scope: Scope, item: t.Expression) -> Material:
    value = scope.evaluate(item)
    if isinstance(value, Material):
        return value
    what = f"there is no material '{value}'" if isinstance(value, str) else f"not {show(value)}"
    raise scope.fail(
        item,
        "wrong-kind",
        f"a material is due here: {what}",
        "write let steel = material(density: 7850 kg/m^3)",
    )


_PROPERTIES: dict[str, Callable[[Scope, t.Expression], PropertyValue]] = {
    "color": color_of,
    "density": lambda scope, item: positive(scope, item, "density", "a density"),
    "friction": lambda scope, item: not_negative(
        scope, item, "number", "a coefficient of friction"
    ),
    "restitution": restitution_of,
}


def read_property(
    scope: Scope, field: t.Argument, properties: dict[str, PropertyValue], flags: set[str]
) -> Material | None:
    """Put one field of ``properties`` where it belongs; return a material when it names one."""
    name = field.name
    if name is None:
        word = field.value.simple if isinstance(field.value, t.Path) else ""
        if word in ("fixed", "placed", "loose"):
            flags.add(word)
            return None
        raise scope.unmeant(field)
    if name == "material":
        return _material_value(scope, field.value)
    read = _PROPERTIES.get(name)
    if read is None:
        # A property of the user's own: a number in SI, a word, or numbers.
        properties[name] = _own(scope, field.value)
    else:
        properties[name] = read(scope, field.value)
    return None


def _own(scope: Scope, item: t.Expression) -> PropertyValue:
    value = scope.evaluate(item)
    if isinstance(value, Quantity):
        return value.value
    if isinstance(value, str | Material):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, tuple) and all(isinstance(each, Quantity) for each in value):
        return tuple(each.value for each in value)
    raise scope.fail(item, "wrong-kind", f"a property cannot be {show(value)}")


def _dynamics_field(
    scope: Scope, field: t.Argument, properties: dict[str, PropertyValue], factor: float
) -> None:
    if field.name == "mass":
        properties["mass"] = positive_mass(scope, field.value) * factor**3
    elif field.name in ("center", "mass_center"):
        x, y, z = scope.vector(field.value, "length")
        properties["mass_center"] = (factor * x, factor * y, factor * z)
    elif field.name == "inertia":
        moments = moments_of(scope, field.value)
        properties["inertia"] = tuple(each * factor**5 for each in moments)
    else:
        raise scope.unmeant(field)


def positive_mass(scope: Scope, item: t.Expression) -> float:
    """Return a mass in kg."""
    return positive(scope, item, "mass", "a mass")


def moments_of(scope: Scope, item: t.Expression, *, whole: bool = True) -> tuple[float, ...]:
    """Return moments xx, yy, zz, or with the products xy, xz, yz, that a solid can have.

    When they need not be ``whole``, some may be zero, because they are not known.
    """
    value = scope.evaluate(item)
    if not is_group(value, 3, 6):
        raise scope.fail(
            item,
            "wrong-count",
            "an inertia takes three moments (xx, yy, zz), or six with the products xy, xz, yz",
        )
    moments = tuple(scope.to_kind(each, "inertia", item) for each in value)
    xx, yy, zz = moments[:3]
    if not whole and min(xx, yy, zz) >= 0:
        return moments
    if min(xx, yy, zz) <= 0:
        raise scope.fail(
            item,
            "not-positive",
            "moments of inertia must be greater than 0",
            "write values greater than 0, for a thin rod such as 1e-6 of the others",
        )
    largest = max(xx, yy, zz)
    if xx + yy + zz - 2 * largest < -1e-9 * largest:
        raise scope.fail(
            item,
            "not-positive",
            "no solid has these moments: the largest exceeds the sum of the other two",
            "make the largest at most the sum of the other two",
        )
    return moments


def converted(scope: Scope, value: Value, quantity: str | None, item: Any) -> Value:
    """Return a parameter's value as the quantity it is declared to be."""
    if quantity is None or quantity not in QUANTITIES or quantity in ("number", "count"):
        if quantity in ("number", "count"):
            number = scope.to_kind(value, quantity, item)
            if quantity == "count" and number != round(number):
                raise scope.fail(item, "wrong-count", f"a whole number is due here, not {number:g}")
            if quantity == "number" and value.dimension is not None:
                return value
            # a number alone: in no file's units yet
            return Quantity(number)
        if quantity in ("point", "polygon") and not isinstance(value, Quantity):
            length = QUANTITIES["length"]
            return tuple(Quantity(x, length) for x in scope.to_vector(value, "length", item))
        return value
    return Quantity(scope.to_kind(value, quantity, item), QUANTITIES[quantity])
