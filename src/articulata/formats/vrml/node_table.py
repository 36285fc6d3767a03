"""The nodes of VRML97 and X3D with their fields: type, default, and how an event reaches them.

One line a node, ``name field:type=default ...``; a sign before a field says its access: none is an
exposedField (inputOutput), ``.`` a field (initializeOnly), ``<`` an eventIn (inputOnly), ``>`` an
eventOut (outputOnly). Without a default numbers are 0, texts empty, lists empty, nodes NULL.
Sources: ISO/IEC 14772-1:1997, chapter 6; ISO/IEC 19775-1:2013, annex of the nodes; ISO/IEC 19774
(H-Anim). X3D's nodes beyond those are passed over by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

GROUPING: Final = "<addChildren:MFNode <removeChildren:MFNode children:MFNode"
BOX: Final = ".bboxCenter:SFVec3f .bboxSize:SFVec3f=-1,-1,-1"
SURFACE: Final = ".ccw:SFBool=TRUE solid:SFBool=TRUE"
BINDING: Final = "<set_bind:SFBool >bindTime:SFTime >isBound:SFBool"
GRAB: Final = "enabled:SFBool=TRUE description:SFString >isActive:SFBool"
TIMED: Final = (
    "description:SFString loop:SFBool startTime:SFTime stopTime:SFTime pauseTime:SFTime "
    "resumeTime:SFTime url:MFString >isActive:SFBool >isPaused:SFBool >elapsedTime:SFTime"
)
LIGHT: Final = (
    "ambientIntensity:SFFloat color:SFColor=1,1,1 intensity:SFFloat=1 on:SFBool=TRUE global:SFBool"
)
CORNERS: Final = (
    "color:SFNode coord:SFNode normal:SFNode texCoord:SFNode attrib:MFNode fogCoord:SFNode "
    f".colorPerVertex:SFBool=TRUE .normalPerVertex:SFBool=TRUE {SURFACE}"
)
JOINTED: Final = (
    "center:SFVec3f children:MFNode rotation:SFRotation=0,0,1,0 scale:SFVec3f=1,1,1 "
    f"scaleOrientation:SFRotation=0,0,1,0 translation:SFVec3f {BOX} name:SFString"
)

TABLE: Final = f"""
Anchor {GROUPING} description:SFString parameter:MFString url:MFString {BOX}
Appearance material:SFNode texture:SFNode textureTransform:SFNode fillProperties:SFNode \
lineProperties:SFNode backMaterial:SFNode alphaMode:SFString="AUTO" alphaCutoff:SFFloat=0.5
Arc2D .endAngle:SFFloat=1.570796 .radius:SFFloat=1 .startAngle:SFFloat
ArcClose2D .closureType:SFString="PIE" .endAngle:SFFloat=1.570796 .radius:SFFloat=1 \
solid:SFBool .startAngle:SFFloat
AudioClip {TIMED} pitch:SFFloat=1 >duration_changed:SFTime
Background {BINDING} groundAngle:MFFloat groundColor:MFColor backUrl:MFString bottomUrl:MFString \
frontUrl:MFString leftUrl:MFString rightUrl:MFString topUrl:MFString skyAngle:MFFloat \
skyColor:MFColor=0,0,0 transparency:SFFloat
Billboard {GROUPING} axisOfRotation:SFVec3f=0,1,0 {BOX}
Box .size:SFVec3f=2,2,2 solid:SFBool=TRUE
CADAssembly {GROUPING} name:SFString {BOX}
CADFace shape:SFNode name:SFString {BOX}
CADLayer {GROUPING} name:SFString visible:MFBool {BOX}
CADPart {GROUPING} center:SFVec3f rotation:SFRotation=0,0,1,0 scale:SFVec3f=1,1,1 \
scaleOrientation:SFRotation=0,0,1,0 translation:SFVec3f name:SFString {BOX}
Circle2D .radius:SFFloat=1
Collision {GROUPING} collide:SFBool=TRUE enabled:SFBool=TRUE {BOX} .proxy:SFNode \
>collideTime:SFTime >isActive:SFBool
Color color:MFColor
ColorInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFColor >value_changed:SFColor
ColorRGBA color:MFColorRGBA
Cone .bottomRadius:SFFloat=1 .height:SFFloat=2 .side:SFBool=TRUE .bottom:SFBool=TRUE \
solid:SFBool=TRUE
Coordinate point:MFVec3f
CoordinateDouble point:MFVec3d
CoordinateInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFVec3f >value_changed:MFVec3f
Cylinder .bottom:SFBool=TRUE .height:SFFloat=2 .radius:SFFloat=1 .side:SFBool=TRUE \
.top:SFBool=TRUE solid:SFBool=TRUE
CylinderSensor {GRAB} autoOffset:SFBool=TRUE diskAngle:SFFloat=0.262 maxAngle:SFFloat=-1 \
minAngle:SFFloat offset:SFFloat >isOver:SFBool >rotation_changed:SFRotation \
>trackPoint_changed:SFVec3f
DirectionalLight {LIGHT} direction:SFVec3f=0,0,-1
Disk2D .innerRadius:SFFloat .outerRadius:SFFloat=1 solid:SFBool
ElevationGrid <set_height:MFFloat {CORNERS} .creaseAngle:SFFloat .height:MFFloat \
.xDimension:SFInt32 .xSpacing:SFFloat=1 .zDimension:SFInt32 .zSpacing:SFFloat=1
Extrusion <set_crossSection:MFVec2f <set_orientation:MFRotation <set_scale:MFVec2f \
<set_spine:MFVec3f .beginCap:SFBool=TRUE {SURFACE} .convex:SFBool=TRUE .creaseAngle:SFFloat \
.crossSection:MFVec2f=1,1,1,-1,-1,-1,-1,1,1,1 .endCap:SFBool=TRUE .orientation:MFRotation=0,0,1,0 \
.scale:MFVec2f=1,1 .spine:MFVec3f=0,0,0,0,1,0
Fog {BINDING} color:SFColor=1,1,1 fogType:SFString="LINEAR" visibilityRange:SFFloat
FontStyle family:MFString="SERIF" horizontal:SFBool=TRUE justify:MFString="BEGIN" \
language:SFString leftToRight:SFBool=TRUE size:SFFloat=1 spacing:SFFloat=1 \
style:SFString="PLAIN" topToBottom:SFBool=TRUE
Group {GROUPING} {BOX}
HAnimHumanoid {JOINTED} info:MFString version:SFString joints:MFNode segments:MFNode sites:MFNode \
skeleton:MFNode skin:MFNode skinCoord:SFNode skinNormal:SFNode viewpoints:MFNode \
loa:SFInt32=-1 skeletalConfiguration:SFString="BASIC" motions:MFNode motionsEnabled:MFBool \
jointBindingPositions:MFVec3f jointBindingRotations:MFRotation jointBindingScales:MFVec3f
HAnimJoint {JOINTED} <addChildren:MFNode <removeChildren:MFNode displacers:MFNode \
limitOrientation:SFRotation=0,0,1,0 llimit:MFFloat ulimit:MFFloat skinCoordIndex:MFInt32 \
skinCoordWeight:MFFloat stiffness:MFFloat=0,0,0
HAnimSegment children:MFNode <addChildren:MFNode <removeChildren:MFNode centerOfMass:SFVec3f \
coord:SFNode displacers:MFNode mass:SFFloat momentsOfInertia:MFFloat=0,0,0,0,0,0,0,0,0 \
name:SFString {BOX}
HAnimSite {JOINTED} <addChildren:MFNode <removeChildren:MFNode
ImageTexture url:MFString .repeatS:SFBool=TRUE .repeatT:SFBool=TRUE textureProperties:SFNode
IndexedFaceSet <set_colorIndex:MFInt32 <set_coordIndex:MFInt32 <set_normalIndex:MFInt32 \
<set_texCoordIndex:MFInt32 {CORNERS} .colorIndex:MFInt32 .convex:SFBool=TRUE .coordIndex:MFInt32 \
.creaseAngle:SFFloat .normalIndex:MFInt32 .texCoordIndex:MFInt32
IndexedLineSet <set_colorIndex:MFInt32 <set_coordIndex:MFInt32 color:SFNode coord:SFNode \
normal:SFNode \
attrib:MFNode fogCoord:SFNode .colorIndex:MFInt32 .colorPerVertex:SFBool=TRUE .coordIndex:MFInt32
IndexedQuadSet <set_index:MFInt32 {CORNERS} .index:MFInt32
IndexedTriangleFanSet <set_index:MFInt32 {CORNERS} .index:MFInt32
IndexedTriangleSet <set_index:MFInt32 {CORNERS} .index:MFInt32
IndexedTriangleStripSet <set_index:MFInt32 {CORNERS} .index:MFInt32
Inline url:MFString load:SFBool=TRUE description:SFString {BOX}
LOD level:MFNode children:MFNode .center:SFVec3f .range:MFFloat .forceTransitions:SFBool {BOX}
Layer {GROUPING} isPickable:SFBool=TRUE viewport:SFNode
LayerSet activeLayer:SFInt32 layers:MFNode order:MFInt32=0
LineSet color:SFNode coord:SFNode normal:SFNode attrib:MFNode fogCoord:SFNode .vertexCount:MFInt32
Material ambientIntensity:SFFloat=0.2 diffuseColor:SFColor=0.8,0.8,0.8 emissiveColor:SFColor \
shininess:SFFloat=0.2 specularColor:SFColor transparency:SFFloat
MetadataBoolean name:SFString reference:SFString value:MFBool
MetadataDouble name:SFString reference:SFString value:MFDouble
MetadataFloat name:SFString reference:SFString value:MFFloat
MetadataInteger name:SFString reference:SFString value:MFInt32
MetadataSet name:SFString reference:SFString value:MFNode
MetadataString name:SFString reference:SFString value:MFString
MovieTexture {TIMED} speed:SFFloat=1 .repeatS:SFBool=TRUE .repeatT:SFBool=TRUE \
>duration_changed:SFTime
NavigationInfo {BINDING} avatarSize:MFFloat=0.25,1.6,0.75 headlight:SFBool=TRUE speed:SFFloat=1 \
type:MFString="WALK","ANY" visibilityLimit:SFFloat transitionType:MFString="LINEAR" \
transitionTime:SFTime=1
Normal vector:MFVec3f
NormalInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFVec3f >value_changed:MFVec3f
OrientationInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFRotation \
>value_changed:SFRotation
PhysicalMaterial baseColor:SFColor=1,1,1 emissiveColor:SFColor metallic:SFFloat=1 \
roughness:SFFloat=1 transparency:SFFloat occlusionStrength:SFFloat=1 normalScale:SFFloat=1 \
baseTexture:SFNode emissiveTexture:SFNode metallicRoughnessTexture:SFNode normalTexture:SFNode \
occlusionTexture:SFNode
PickableGroup {GROUPING} objectType:MFString="ALL" pickable:SFBool=TRUE {BOX}
PixelTexture image:SFImage=0,0,0 .repeatS:SFBool=TRUE .repeatT:SFBool=TRUE
PlaneSensor {GRAB} autoOffset:SFBool=TRUE maxPosition:SFVec2f=-1,-1 minPosition:SFVec2f \
offset:SFVec3f axisRotation:SFRotation=0,0,1,0 >isOver:SFBool >trackPoint_changed:SFVec3f \
>translation_changed:SFVec3f
PointLight {LIGHT} attenuation:SFVec3f=1,0,0 location:SFVec3f radius:SFFloat=100
Polyline2D .lineSegments:MFVec2f
Polypoint2D point:MFVec2f
PointSet color:SFNode coord:SFNode normal:SFNode attrib:MFNode fogCoord:SFNode
PositionInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFVec3f >value_changed:SFVec3f
ProximitySensor {GRAB} center:SFVec3f size:SFVec3f >position_changed:SFVec3f \
>orientation_changed:SFRotation >enterTime:SFTime >exitTime:SFTime
QuadSet {CORNERS}
Rectangle2D .size:SFVec2f=2,2 solid:SFBool
ScalarInterpolator <set_fraction:SFFloat key:MFFloat keyValue:MFFloat >value_changed:SFFloat
ScreenGroup {GROUPING} {BOX}
Script url:MFString .directOutput:SFBool .mustEvaluate:SFBool
Shape appearance:SFNode geometry:SFNode {BOX}
Sound direction:SFVec3f=0,0,1 intensity:SFFloat=1 location:SFVec3f maxBack:SFFloat=10 \
maxFront:SFFloat=10 minBack:SFFloat=1 minFront:SFFloat=1 priority:SFFloat source:SFNode \
.spatialize:SFBool=TRUE
Sphere .radius:SFFloat=1 solid:SFBool=TRUE
SphereSensor {GRAB} autoOffset:SFBool=TRUE offset:SFRotation=0,1,0,0 \
>isOver:SFBool >rotation_changed:SFRotation \
>trackPoint_changed:SFVec3f
SpotLight {LIGHT} attenuation:SFVec3f=1,0,0 beamWidth:SFFloat=1.570796 \
cutOffAngle:SFFloat=0.785398 direction:SFVec3f=0,0,-1 location:SFVec3f radius:SFFloat=100
StaticGroup children:MFNode {BOX}
Switch choice:MFNode children:MFNode <addChildren:MFNode <removeChildren:MFNode \
whichChoice:SFInt32=-1 {BOX}
Text string:MFString fontStyle:SFNode length:MFFloat maxExtent:SFFloat solid:SFBool
TextureCoordinate point:MFVec2f
TextureTransform center:SFVec2f rotation:SFFloat scale:SFVec2f=1,1 translation:SFVec2f
TimeSensor cycleInterval:SFTime=1 enabled:SFBool=TRUE loop:SFBool startTime:SFTime \
stopTime:SFTime pauseTime:SFTime resumeTime:SFTime description:SFString >cycleTime:SFTime \
>fraction_changed:SFFloat >isActive:SFBool >isPaused:SFBool >elapsedTime:SFTime >time:SFTime
TouchSensor {GRAB} >hitNormal_changed:SFVec3f >hitPoint_changed:SFVec3f \
>hitTexCoord_changed:SFVec2f >isOver:SFBool >touchTime:SFTime
Transform {GROUPING} center:SFVec3f rotation:SFRotation=0,0,1,0 scale:SFVec3f=1,1,1 \
scaleOrientation:SFRotation=0,0,1,0 translation:SFVec3f {BOX}
TriangleFanSet {CORNERS} .fanCount:MFInt32
TriangleSet {CORNERS}
TriangleSet2D vertices:MFVec2f solid:SFBool
TriangleStripSet {CORNERS} .stripCount:MFInt32
UnlitMaterial emissiveColor:SFColor=1,1,1 transparency:SFFloat emissiveTexture:SFNode
Viewpoint {BINDING} fieldOfView:SFFloat=0.785398 jump:SFBool=TRUE \
orientation:SFRotation=0,0,1,0 position:SFVec3f=0,0,10 description:SFString \
centerOfRotation:SFVec3f retainUserOffsets:SFBool
VisibilitySensor {GRAB} center:SFVec3f size:SFVec3f >enterTime:SFTime >exitTime:SFTime
WorldInfo .info:MFString .title:SFString
"""

ACCESS: Final = {".": "field", "<": "eventIn", ">": "eventOut"}
WIDTHS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "Bool": 1, "Color": 3, "ColorRGBA": 4, "Double": 1, "Float": 1, "Image": 0, "Int32": 1,
        "Node": 1, "Rotation": 4, "String": 1, "Time": 1, "Vec2d": 2, "Vec2f": 2, "Vec3d": 3,
        "Vec3f": 3, "Vec4d": 4, "Vec4f": 4, "Matrix3d": 9, "Matrix3f": 9, "Matrix4d": 16,
        "Matrix4f": 16,
    }
)  # fmt: skip
"""How many numbers a value of a type has; an image says it itself."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a node: "field", "exposedField", "eventIn" or "eventOut", type, default's text."""

    access: str
    type: str
    default: str = ""

    @property
    def several(self) -> bool:
        """Whether it holds a list."""
        return self.type.startswith("MF")

    @property
    def kind(self) -> str:
        """Its type without SF or MF: "Vec3f"."""
        return self.type[2:]


METADATA: Final = Field("exposedField", "SFNode")
"""The field that every node of X3D has, instances of prototypes too."""


@cache
def nodes() -> Mapping[str, Mapping[str, Field]]:
    """Return the fields of every node by its name."""
    found: dict[str, Mapping[str, Field]] = {}
    for line in TABLE.strip().splitlines():
        name, *words = line.split()
        fields = {"metadata": METADATA}
        for word in words:
            access = ACCESS.get(word[0], "exposedField")
            field, _, rest = word.lstrip(".<>").partition(":")
            kind, _, default = rest.partition("=")
            fields[field] = Field(access, kind, default)
        found[name] = MappingProxyType(fields)
    return MappingProxyType(found)


def event(fields: Mapping[str, Field], name: str, access: str) -> Field | None:
    """Return the field that an event called ``name`` goes into ("eventIn") or comes out of."""
    prefix, suffix = ("set_", "") if access == "eventIn" else ("", "_changed")
    for each in (name, name.removeprefix(prefix).removesuffix(suffix)):
        field = fields.get(each)
        if field is not None and field.access in (access, "exposedField"):
            return field
    return None
