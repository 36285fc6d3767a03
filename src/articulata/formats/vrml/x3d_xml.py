"""X3D's XML (ISO/IEC 19776-1): elements as nodes of the same table that VRML97 is read by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from articulata.formats.bounded_content import LARGEST
from articulata.formats.vrml.classic import ACCESSES
from articulata.formats.vrml.graph import (
    MOST_DEPTH,
    Graph,
    Names,
    Node,
    Prototype,
    Reference,
    Route,
    Value,
    instance,
    not_known,
    not_read,
    route,
    unfit,
)
from articulata.formats.vrml.node_table import METADATA, WIDTHS, Field, nodes
from articulata.formats.vrml.vrml_files import Around, MissingPrototype, text_of
from articulata.formats.vrml.x3d_json import json_root
from articulata.formats.xml import Element, parse
from articulata.geometry.arrays import Array

CONTAINERS: Final = {
    "Appearance": "appearance", "AudioClip": "source", "Color": "color", "ColorRGBA": "color",
    "Coordinate": "coord", "CoordinateDouble": "coord", "FontStyle": "fontStyle",
    "ImageTexture": "texture", "Layer": "layers", "Material": "material",
    "MovieTexture": "texture", "Normal": "normal",
    "PhysicalMaterial": "material", "PixelTexture": "texture", "TextureCoordinate": "texCoord",
    "TextureTransform": "textureTransform", "UnlitMaterial": "material",
    **dict.fromkeys(
        (
            "MetadataBoolean", "MetadataDouble", "MetadataFloat", "MetadataInteger",
            "MetadataSet", "MetadataString",
        ),
        "metadata",
    ),
    **dict.fromkeys(
        (
            "Arc2D", "ArcClose2D", "Box", "Circle2D", "Cone", "Cylinder", "Disk2D",
            "ElevationGrid", "Extrusion", "IndexedFaceSet", "IndexedLineSet", "IndexedQuadSet",
            "IndexedTriangleFanSet", "IndexedTriangleSet", "IndexedTriangleStripSet", "LineSet",
            "PointSet", "Polyline2D", "Polypoint2D", "QuadSet", "Rectangle2D", "Sphere", "Text",
            "TriangleFanSet", "TriangleSet", "TriangleSet2D", "TriangleStripSet",
        ),
        "geometry",
    ),
}  # fmt: skip
"""In which field of its parent a node stands where it does not say it; else among the children."""
_EVERYWHERE: Final = (
    "DEF", "USE", "class", "containerField", "id", "style", "visible", "bboxDisplay",
)  # fmt: skip
_PIECE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(slots=True)
class XmlReader:
    """Reads one file."""

    data: bytes
    path: Path
    around: Around
    graph: Graph = field(default_factory=Graph)

    def whole(self) -> Graph:
        """Return the graph of the file."""
        if text_of(self.data[:2000]).lstrip().startswith("{"):
            root = json_root(self.data, str(self.path))
        else:
            root = parse(
                self.data, str(self.path), most_bytes=LARGEST, most_depth=2 * MOST_DEPTH,
                document_type=True,
            )  # fmt: skip
        scene = next(root.all("Scene"), None)
        if root.tag != "X3D" or scene is None:
            raise root.error(f"X3D is <X3D> with a <Scene> in it, not {root}")
        for head in root.all("head"):
            for unit in head.all("unit"):
                if unit.attributes.get("category") == "length":
                    self.graph.size = float(self._array(unit, "conversionFactor", 1)[0])
        names = Names(self.graph.prototypes)
        self._content(scene, names, None, self.graph.nodes, self.graph.routes)
        return self.graph

    def _content(
        self, element: Element, names: Names, parent: Node | None, made: list[Node],
        routes: list[Route],
    ) -> None:  # fmt: skip
        """Read what stands in an element: declarations, routes, nodes."""
        for each in element.children:
            if each.tag == "ROUTE":
                self._route(each, names, routes)
            elif each.tag == "ProtoDeclare":
                self._prototype(each, names)
            elif each.tag == "ExternProtoDeclare":
                self._external(each, names)
            elif each.tag == "IS" and parent is not None:
                self._connect(each, names, parent)
            elif each.tag not in ("fieldValue", "field", "IMPORT", "EXPORT", "IS"):
                node = self._node(each, names, routes)
                if node is not None and parent is not None:
                    self._into(parent, node, each)
                elif parent is not None:
                    parent.unread = True
                elif node is not None:
                    made.append(node)

    def _into(self, parent: Node, node: Node, element: Element) -> None:
        container = element.attributes.get("containerField", CONTAINERS.get(node.type, "children"))
        if node.body is not None and "containerField" not in element.attributes:
            container = CONTAINERS.get(node.body.type, "children")
        if parent.type == "MetadataSet" and "containerField" not in element.attributes:
            container = "value"
        spec = parent.spec.get(container)
        if spec is None and "containerField" in element.attributes:
            self.graph.lost[f"{parent.type}.{container} (a field that is not read)"] += 1
            return
        if spec is None or spec.kind != "Node":
            raise element.error(f"{node} has no place in {parent}: it has no field '{container}'")
        if spec.several:
            parent.fields.setdefault(container, []).append(node)
        else:
            parent.fields[container] = node

    def _node(self, element: Element, names: Names, routes: list[Route]) -> Node | None:
        given = element.attributes
        if "USE" in given:
            name = given["USE"]
            node = names.nodes.get(name)
            if name in names.passed:
                return None
            if node is None:
                raise element.error(f"USE: no node is called '{name}' (DEF)")
            if node.place.startswith("in ") and names.script:
                return None  # a Script may name what it is in; it is never executed
            if node.place.startswith("in "):
                raise element.error(f"USE: '{name}' would contain itself")
            return node
        prototype = None
        kind = element.tag
        if kind == "ProtoInstance":
            kind = element.text("name")
            prototype = names.prototypes.get(kind)
            if kind in names.open and prototype is None:
                raise element.error(f"the prototype '{kind}' would contain itself")
            if prototype is None:
                raise element.error(f"there is no prototype '{kind}'")
        spec = nodes().get(kind) if prototype is None else prototype.spec
        if spec is None:
            self.graph.lost[f"{kind} (a node that is not read)"] += 1
            names.passed.update(each.attributes.get("DEF", "") for each in element.whole())
            return None
        self.around.budget.take(element.place)
        made = Node(kind, spec, f"in {element.place}", {}, given.get("DEF", ""))
        if made.name:
            names.nodes[made.name] = made
        if kind == "Script":
            own = self._interface(element)[0]
            made.spec = {**spec, **own}
            for each in element.all("field"):
                if own[each.text("name")].kind == "Node":
                    self._content(each, replace(names, script=True), None, [], routes)
        if prototype is None:
            for name in given:
                if name in _EVERYWHERE and name not in spec:
                    continue
                if name not in spec:
                    self.graph.lost[not_read(kind, name, spec)] += 1
                elif spec[name].access in ("field", "exposedField"):
                    made.fields[name] = self._value(element, name, spec[name])
        for each in element.all("fieldValue"):
            name = each.text("name")
            if name not in spec:
                raise each.error(f"{made} has no field '{name}'")
            made.fields[name] = self._field_value(each, spec[name], names)
        self._content(element, names, made, [], routes)
        made.place = element.place
        if prototype is not None:
            whole = instance(prototype, made.fields, element.place, self.around.budget, routes)
            made.fields, made.body, made.links = whole.fields, whole.body, whole.links
        return made

    # ---- prototypes and routes

    def _interface(self, element: Element) -> tuple[dict[str, Field], dict[str, Value]]:
        spec: dict[str, Field] = {}
        values: dict[str, Value] = {}
        names = Names(self.graph.prototypes)
        for each in element.all("field"):
            name, kind = each.text("name"), each.text("type")
            access = ACCESSES.get(each.text("accessType"))
            if access is None or kind[2:] not in WIDTHS or kind[:2] not in ("SF", "MF"):
                raise each.error(f"'{name}' of type '{kind}' is no field of a prototype")
            spec[name] = Field(access, kind)
            if element.tag == "ProtoInterface" and access in ("field", "exposedField"):
                values[name] = self._field_value(each, spec[name], names)
        if element.tag != "Script":
            spec.setdefault("metadata", METADATA)
        return spec, values

    def _field_value(self, element: Element, spec: Field, names: Names) -> Value:
        if spec.kind != "Node":
            if "value" not in element.attributes and element.words:
                element.attributes["value"] = element.words  # long lists may stand as text
            return self._value(element, "value", spec) if "value" in element.attributes else None
        made: list[Node] = []
        self._content(element, names, None, made, [])
        return made if spec.several else (made[0] if made else None)

    def _prototype(self, element: Element, names: Names) -> None:
        name = element.text("name")
        interface = element.one("ProtoInterface")
        spec, values = self._interface(interface) if interface is not None else ({}, {})
        made = Prototype(name, spec, values)
        body = element.need("ProtoBody")
        self._content(body, names.inside(made), None, made.nodes, made.routes)
        names.prototypes[name] = made

    def _external(self, element: Element, names: Names) -> None:
        name = element.text("name")
        spec, _ = self._interface(element)
        urls = self._value(element, "url", Field("field", "MFString"))
        try:
            made = self.around.prototype(name, spec, urls, self.path, self.graph.lost)
        except MissingPrototype as error:
            raise element.error(str(error)) from None
        names.prototypes[name] = made

    def _connect(self, element: Element, names: Names, node: Node) -> None:
        for each in element.all("connect"):
            mine, theirs = each.text("nodeField"), each.text("protoField")
            if names.fields is None or theirs not in names.fields:
                raise each.error(f"IS: no prototype around has a field '{theirs}'")
            if mine in node.spec and (wrong := unfit(names.fields[theirs], node.spec[mine])):
                raise each.error(f"IS: '{theirs}' is no {wrong}, as '{mine}' is")
            node.fields[mine] = Reference(theirs)

    def _route(self, element: Element, names: Names, routes: list[Route]) -> None:
        ends = []
        for way in ("from", "to"):
            name, out = element.text(f"{way}Node"), element.text(f"{way}Field")
            node = names.nodes.get(name)
            if node is None:
                self.graph.lost[f"ROUTE (no node '{name}')"] += 1
                return
            if not_known(node, out):
                self.graph.lost[f"ROUTE ({node.type}.{out} is not read)"] += 1
                return
            ends.append((node, out))
        try:
            routes.append(route(*ends[0], *ends[1], element.place))
        except ValueError as error:
            raise element.error(f"ROUTE: {error}") from None

    # ---- values

    def _value(self, element: Element, name: str, spec: Field) -> Value:
        text = element.attributes.get(name, "")
        if spec.kind == "Node":
            raise element.error(f"'{name}' of {element} holds nodes, no text")
        if spec.kind == "String":
            pieces = [re.sub(r"\\(.)", r"\1", each) for each in _PIECE.findall(text)]
            return (pieces or ([text] if text.strip() else [])) if spec.several else text
        if spec.kind == "Bool":
            words = text.split()
            if any(each.lower() not in ("true", "false") for each in words):
                raise element.error(f"'{name}' of {element} is true or false, not '{text[:40]}'")
            made = [each.lower() == "true" for each in words]
            return made if spec.several else bool(made and made[0])
        width = WIDTHS[spec.kind]
        found = self._array(element, name, 0 if spec.several or not width else width)
        if spec.several and len(found) % width:
            raise element.error(
                f"'{name}' of {element} has {len(found)} numbers; {spec.type} takes {width} at a "
                "time"
            )
        return found.reshape(-1, width) if spec.several else found

    def _array(self, element: Element, name: str, count: int) -> Array:
        words = element.attributes.get(name, "").replace(",", " ").split()
        try:
            found = np.array([int(each, 0) if "x" in each else float(each) for each in words])
        except (ValueError, OverflowError):
            found = np.array([np.nan])
        if not np.isfinite(found).all() or (count and len(found) != count):
            due = f"{count} numbers are due" if count else "numbers are due"
            raise element.error(f"'{name}' of {element}: {due}, not '{' '.join(words)[:40]}'")
        return np.asarray(found, float)
