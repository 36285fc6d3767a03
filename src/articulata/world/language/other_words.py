# ruff: noqa: E501 # a row is read on one line
"""What people write who come from other programs, and what is written here: the one table of it.

``FORMS`` are forms of text, each with an example: what is right in a text of the tests, and what
somebody else writes there. ``WORDS`` are single words: a line holds a word of ours and what others
call it. ``FUNCTIONS``, ``VALUES``, ``ARGUMENTS`` and ``HINGE_OPTIONS`` say what stands for a
function, a value, an argument and an option of a joint. A new row is all that a new habit needs.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Form(NamedTuple):
    """A form of text of another program.

    ``found`` is a pattern with ``@num``, ``@qty``, ``@path``, ``@call``, ``@args`` and ``@group``
    for a number, one with its unit, a path, a call, what stands in parentheses and a bracketed
    list; its groups fill ``write``, ``{a|turns}`` by way of ``syntax.habits.MAKERS``. What its group
    ``pre`` holds stays. ``example`` is "right <- wrong"; ``advice`` is said where nothing can be
    written in its place, and ``after``: it follows from another form, which was told.
    """

    found: str
    write: str
    told: str
    example: str = ""
    advice: str = ""
    after: bool = False


_XML = "this is XML, and no statement"
_ATTRIBUTE = "this is an attribute of XML"
_BEFORE = "nothing stands before a shape"
_METHOD = "a shape has no methods"
_COLOUR = "a colour is a word, or red, green and blue from 0 to 1"
_LET = "a value gets its name by 'let'"
_UNIT = "this is no unit here"
_IN_JOIN = "what a hinge has stands in its join"
_LENS = "a lens has a focal length, of a sensor 36 mm wide"
_DIGITS = "a number stands in decimal digits alone"
_SIGN = "this means nothing in this language"
_BOX = "geometry: cuboid(width, span, width) where"
_BALL = "geometry: sphere(12 cm)"

FORMS: Final[tuple[Form, ...]] = (
    # XML: URDF, SDF, MJCF
    Form(r'^[ \t]*<(?:inertial|mass)\b[^\n]*?(?:mass|value)="(?P<m>@num)"[^\n]*', "dynamics: (mass: {m} kg)", _XML, 'dynamics: (mass: 3, inertia: (0.02, 0.02, 0.02)) <- <inertial mass="3"/>'),
    Form(r'^[ \t]*<joint\b(?:(?=[^\n]*?\bname="(?P<n>\w+))|)(?:(?=[^\n]*?\btype="(?P<t>\w+))|)' r"[^\n]*", "", _XML, advice="write join A to B with {t|hinge} as {n} matching (a, b)"),
    Form(r'^[ \t]*<(?:link|body)\b[^\n]*?name="(?P<n>\w+)[^\n]*', "", _XML, advice="remove it, or write {n}: TYPE among the components, as name: type"),
    Form(r'<box\b[^>\n]*?size="(?P<v>[^"\n]*)"[^>\n]*>?', "cuboid{v|list}", _XML, f'{_BALL} <- geometry: <box size="0.02 0.4 0.02"/>'),
    Form(r'<sphere\b[^>\n]*?radius="(?P<v>@num)"[^>\n]*>?', "sphere({v})", _XML, f'{_BALL} <- geometry: <sphere radius="0.12"/>'),
    Form(r'<cylinder\b(?=[^>\n]*?radius="(?P<r>@num)")(?=[^>\n]*?length="(?P<l>@num)")[^>\n]*>?', "cylinder({r}, {l})", _XML, f'{_BALL} <- geometry: <cylinder length="0.3" radius="0.12"/>'),
    Form(r'^[ \t]*<exclude\b[^\n]*?body1="(?P<a>[^"\n]+)"[^\n]*?body2="(?P<b>[^"\n]+)"[^\n]*', "ignore {a} with {b}", _XML, 'join bob to rod[n] with ball as socket matching (eye, bottom) <- <exclude body1="bob" body2="rod[1]"/>'),
    Form(r"^[ \t]*<[/?!]?[A-Za-z-][^\r\n]*", "", _XML, advice="remove it, or describe it here: name: type, join A to B with pin ..."),
    Form(r'\brpy[ \t]*[=:][ \t]*(?P<v>"[-\d. ,e]+"|@group)', "{v|turns}", _ATTRIBUTE, 'at (0, drop, 0), p.hook.angle = start <- at (0, drop, 0) rpy="0 0 1.57"'),
    Form(r'\baxis[ \t]*(?:xyz)?[ \t]*[=:][ \t]*(?P<v>"[-\d. ,e]+")', "axis: {v|axis}", _ATTRIBUTE, 'pin(axis: z) as hook <- pin(axis xyz="0 0 1") as hook'),
    Form(r'\b(?:at[ \t]+)?(?:xyz|pos)[ \t]*=[ \t]*(?P<v>"[-\d. ,e]+")', "at {v|list}", _ATTRIBUTE, 'at (0, drop, 0) <- xyz="0 2 0"'),
    Form(r'\b(?:range|limits?|ctrlrange)[ \t]*=[ \t]*(?P<v>"@num[ ,]+@num")', "limits {v|list}", _ATTRIBUTE, 'limits (-170, 170) <- range="-170 170"'),
    Form(r'\b(?:limits?[ \t]+)?lower="(?P<a>@num)"[ ,]+upper="(?P<b>@num)"', "limits ({a}, {b})", _ATTRIBUTE, 'limits (-170, 170) <- limit lower="-170" upper="170"'),
    Form(r'\bgravity[ \t]*=[ \t]*(?P<v>"[-\d. ,e]+")', "gravity: {v|list}", _ATTRIBUTE, 'gravity: (0, -9.81, 0) <- gravity="0 -9.81 0"'),
    Form(r'\btype="sphere"[ \t]+size="(?P<v>@num)"', "sphere({v})", _ATTRIBUTE, f'{_BALL} <- geometry: type="sphere" size="0.12"'),
    Form(r'\bixx[ \t]*[=:][ \t]*"?(?P<x>@qty)"?(?:[, ]+ix[yz][=: ]+"?@qty"?)*[, ]+' r'iyy[ \t]*[=:][ \t]*"?(?P<y>@qty)"?(?:[, ]+iyz[=: ]+"?@qty"?)*[, ]+' r'izz[ \t]*[=:][ \t]*"?(?P<z>@qty)"?', "inertia: ({x}, {y}, {z})", "moments of inertia stand together", "inertia: (0.02, 0.02, 0.02) <- ixx: 0.02, iyy: 0.02, izz: 0.02"),
    # OpenSCAD, CadQuery, Blender
    Form(r"\btranslate\([ \t]*(?P<v>@group|[^()\[\]\n]*)[ \t]*\)\s*(?P<s>@call)", "{s} at {v|list}", _BEFORE, f"{_BALL} <- geometry: translate([0, 0, 5 cm]) sphere(3 cm)"),
    Form(r"\brotate\([ \t]*(?P<v>@group)[ \t]*\)\s*(?P<s>@call)", "{s}{v|turns}", _BEFORE, f"{_BALL} <- geometry: rotate((0, 37, 0)) cone(5 cm, 9 cm)"),
    Form(r"\brotate\([ \t]*(?:a[ \t]*=[ \t]*)?(?P<a>@qty)[ \t]*,[ \t]*(?:v[ \t]*=[ \t]*)?(?P<v>@group)[ \t]*\)\s*(?P<s>@call)", "{s} turned {a|deg} about {v|axis}", _BEFORE, f"{_BALL} <- geometry: rotate(37, [0, 1, 0]) cone(5 cm, 9 cm)"),
    Form(r'\bcolor\([ \t]*(?P<c>@group|"[^"\n]*")[ \t]*\)\s*(?P<s>@call)', "{s}", _BEFORE, advice="write {s}, and properties: (color: {c|word})"),
    Form(r"\b(?:scale|mirror)\([ \t]*@group[ \t]*\)\s*(?P<s>@call)", "{s}", _BEFORE),
    Form(r"(?P<s>@call)\.translate\([ \t]*(?P<v>@group)[ \t]*\)", "{s} at {v|list}", _METHOD, f"{_BALL} <- geometry: cone(5 cm, 9 cm).translate((0, 0, 5 cm))"),
    Form(r"(?P<s>@call)\.rotate\([ \t]*@group[ \t]*,[ \t]*(?P<v>@group)[ \t]*,[ \t]*(?P<a>@qty)\)", "{s} turned {a|deg} about {v|axis}", _METHOD, f"{_BALL} <- geometry: cone(5 cm, 9 cm).rotate((0, 0, 0), (1, 0, 0), 90)"),
    Form(r"(?P<s>@call)\.(?P<w>cut|subtract|difference|union|fuse|intersect|common)\((?P<o>@args)\)", "{w|shape}({s}, {o})", _METHOD, f"{_BALL} <- geometry: sphere(12 cm).cut(cylinder(1 cm, 30 cm))"),
    Form(r"(?:\w+\.)?Workplane\([^()\n]*\)\.(?P<w>box|sphere)\((?P<o>@args)\)", "{w|shape}({o})", _METHOD, f'{_BALL} <- geometry: cq.Workplane("XY").box(1 cm, 2 cm, 3 cm)'),
    Form(r"\bbpy\.ops\.mesh\.primitive_(?:uv_|ico_)?(?P<w>\w+?)_add\((?P<o>[^()\n]*)\)", "{w|shape}({o|named})", "a text runs no Python", f"{_BALL} <- geometry: bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12)"),
    Form(r"\bcube\([ \t]*(?:size[ \t]*=[ \t]*)?(?P<v>\[[^\]\n]*\])(?:,[ \t]*center[ \t]*=[ \t]*\w+)?[ \t]*\)", "cuboid({v|edges})", "a box has three edges", f"{_BALL} <- geometry: cube([10 cm, 20 cm, 5 cm], center=true)"),
    Form(r",[ \t]*(?:\$f[nas]|center|centered|segments|resolution|vertices)[ \t]*=[ \t]*\w+", "", "shapes are exact, and lie about their middle", f"{_BALL} <- geometry: sphere(12 cm, $fn=50)"),
    Form(r"\blinear_extrude\([ \t]*(?:height[ \t]*=[ \t]*)?(?P<h>@qty)[^()\n]*\)\s*polygon\((?:points[ \t]*=[ \t]*)?(?P<p>\[[-\[\]\d.,\w ]*\])\)", "extruded({p|round}, {h})", _BEFORE, f"{_BALL} <- geometry: linear_extrude(height=5 cm) polygon([[0,0],[1,0],[0,1]])"),
    Form(r"(?P<pre>\b(?!revolute|prismatic|fixed)[a-z]\w*\((?:[^()\n]|\([^()\n]*\))*?)[ \t]*,[ \t]*(?:origin|position|pos|xyz|translation|center)[ \t]*[:=][ \t]*(?P<v>@group)[ \t]*\)", ") at {v}", "a place stands after ( )", f"{_BALL} <- geometry: sphere(12 cm, origin: (0, 0, 5 cm))"),
    Form(r"\b(?P<w>union|difference|intersection)\(\)\s*\{(?P<o>[^{}]*)\}", "{w}({o|parts})", "no braces stand after a shape", f"{_BALL} <- geometry: union() {{ sphere(12 cm); cuboid(1 cm, 1 cm, 1 cm); }}"),
    Form(r"\b(?:np\.|numpy\.|mathutils\.)?(?:array|Vector|[vV]ec3)\([ \t]*(?P<v>@group)[ \t]*\)", "{v|list}", "values stand together in ( )", "at (0, drop, 0) <- at np.array([0, drop, 0])"),
    Form(r"\{[ \t]*x[:=][ \t]*(?P<x>[^,{}\n]+),[ \t]*y[:=][ \t]*(?P<y>[^,{}\n]+),[ \t]*z[:=][ \t]*(?P<z>[^,{}\n]+)\}", "({x}, {y}, {z})", "values stand together in ( )", "at (0, drop, 0) <- at {x: 0, y: drop, z: 0}"),
    Form(r"(?P<pre>\b(?:geometry|look):[ \t]*)(?P<a>@solid)[ \t]*(?P<o>[-+])[ \t]*(?P<b>@solid)(?=[ \t]*(?:where\b|[;}\n]|$))", "{o|boolean}({a}, {b})", "shapes are put together by a word", f"{_BALL} <- geometry: sphere(12 cm) at (0, 1 cm, 0) + sphere(5 cm)"),
    # CSS and HTML
    Form(r"\b(?:rgba?|hsla?)(?P<v>\([^()\n]*\))", "{v|color}", _COLOUR, "color: red <- color: rgb(255, 0, 0)"),
    Form(r"(?P<pre>\bcolor[ \t]*[:=][ \t]*)(?P<v>(?:\#|0[xX])(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})\b)", "{v|color}", f"'#' begins a comment: {_COLOUR}", "color: red <- color: #f00"),
    Form(r"\bcolour[ \t]*[:=][ \t]*(?P<v>(?:\#|0[xX])(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})\b)", "color: {v|color}", f"'#' begins a comment: {_COLOUR}", "color: red <- colour: #ff0000"),
    Form(r"\b\w+-colou?r(?=[ \t]*[:=])", "color", "a body has one colour", "color: red <- background-color: red"),
    Form(r'(?P<pre>\bcolou?r[ \t]*[:=][ \t]*)"(?P<v>\#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3}))"', "{v|color}", _COLOUR, 'color: red <- color: "#f00"'),
    Form(r"\bColou?rs?\.(?P<c>[A-Za-z]+)", "{c|lower}", _COLOUR, "color: red <- color: Color.RED"),
    Form(r"(?P<n>@num)[ \t]*(?:px|r?em|pt|v[wh])\b", "{n} mm", _UNIT, "width: length = 5 cm <- width: length = 5px"),
    Form(r"(?P<pre>\bmotion:[ \t]*)(?:ease[-\w]*|smooth\w*|cubic[-\w]*(?:\([^()\n]*\))?)(?=[ \t]+in[ \t])", "minimum_jerk", "a motion goes by a rule"),
    # C, JavaScript, Java
    Form(r"^\#define[ \t]+(?P<n>\w+)[ \t]+(?P<v>\S[^\n]*)", "let {n} = {v}", _LET, "let gap = sqrt(2) * 5 cm <- #define gap 7 cm"),
    Form(r"--[^\r\n]*|\#[^\r\n]*", "", ""),  # comments: nothing in them is looked at
    Form(r"\bfor[ \t]*\([ \t]*(?:(?:int|let|var)[ \t]+)?(?P<i>\w+)[ \t]*=[ \t]*(?P<a>\w+)[ \t]*;[ \t]*\w+[ \t]*(?P<c><=?)[ \t]*(?P<b>[\w.]+)[ \t]*;[^()\n]*\)", "for {i} in {a}..{b|last}", "numbers run from first..last", "for i in 2..n { <- for (int i = 2; i <= n; i++) {"),
    Form(r"(?P<pre>(?:^|:)[ \t]*)(?P<p>@path)[ \t]*(?P<o>[-+*/])=[ \t]*(?P<v>[^\n;}]*[^\n;}\s])", "set {p} = {p} {o} {v|term}", "a new value is set"),
    Form(r"(?P<pre>[=(,:][ \t]*)(?P<c>[^=(,:;{}\n?\"]+?[ \t]*[<>]=?[^,:;{}\n?]+?)[ \t]*\?[ \t]*(?P<a>[^:;{}\n]+?)[ \t]*:[ \t]*(?P<b>[^,;){}\n]+)", "choose({c}, {a}, {b})", "one of two values is chosen", "drop: length = 2.5 m <- drop: length = start > 1 ? 2 m : 3 m"),
    Form(r"\b(?P<t>(?!material\b)[a-z]\w*)(?:[ \t]++|[ \t]*+\*[ \t]*+)(?P<n>\w+)[ \t]*=[ \t]*(?:new[ \t]+)?(?P=t)\((?P<o>@args)\)", "{n}: {t}({o})", "a component's name comes first, then its type", "p: chain(3) <- chain* p = new chain(3)"),
    Form(r"\bnew[ \t]+(?=[A-Za-z_]\w*\()", "", "a type stands alone", "p: chain(3) <- p: new chain(3)"),
    Form(r"&&", "and", _SIGN), Form(r"\|\|", "or", _SIGN), Form(r"![ \t]*(?=[\w(])", "not ", _SIGN), Form(r"={3}|!==", "==", ""),  # what is told of == is told of it
    Form(r"\bself\.(?=[a-z])", "", "names stand alone", "at (0, drop, 0) <- at (0, self.drop, 0)"),
    Form(r"^(?:(?:public|static|parameter|constant|const|var|final|local|export|auto|double|float|int|Real|Integer|val)[ \t]+)+(?P<n>[a-z_]\w*)[ \t]*(?::[ \t]*\w+[ \t]*)?:?=", "let {n} =", _LET, "let gap = <- parameter Real gap ="),
    Form(r"^(?P<n>[a-z_]\w*)[ \t]*:[ \t]*(?:float|int|str|double|Real|number)[ \t]*=", "let {n} =", _LET, "let gap = <- gap: float ="),
    Form(r"\b(?P<k>let[ \t]+\w+)[ \t]*:[ \t]*[A-Za-z]\w*[ \t]*=", "{k} =", "a value has no kind: its unit says it", "let gap = <- let gap: length ="),
    Form(r"(?P<pre>\blet[ \t]+\w+[ \t]*=[ \t]*@qty)[ \t]*,[ \t]*(?P<n>\w+)[ \t]*=", "; let {n} =", "each value gets its name by a 'let' of its own"),
    Form(r"^(?P<k>simulate|vary|reach|pose|track|film)\([ \t]*(?P<n>\w+)(?:,[ \t]*(?P<o>[^()\n]*))?\)", "{k} {n}{o|call}", "a request begins with its kind and a name", "simulate swing(60) <- simulate(swing, 60)"),
    Form(r"^(?P<k>simulate|vary|reach|pose|track|film)[ \t]+(?:world|name)[ \t]*[=:][ \t]*(?P<n>\w+)", "{k} {n}", "a request begins with its kind and a name", "simulate swing(60) <- simulate world=swing"),
    Form(r"\b(?P<w>break|remove|start)\([ \t]*(?P<p>@path)[ \t]*\)|(?<![\w.\]])(?P<q>@path)\.(?P<v>break|remove)\(\)", "{w}{v} {p}{q}", "an action is a word and a name"),
    Form(r"\bstop\(\)", "stop", "an action is a word", "floor): stop <- floor): stop()"),
    Form(r"(?P<pre>(?:^|:)[ \t]*)(?P<p>@path)[ \t]*:=(?=[ \t]*[(\d])", "set {p} =", "a new value is set"),
    Form(r"\b(?P<w>force|gear)[ \t]+(?P<n>\w+)\([ \t]*(?P<a>@path)[ \t]*,[ \t]*(?P<b>@path)[ \t]*\)", "{w} {n} between {a} and {b}", "what it acts between follows the name"),
    Form(r"\bbreak(?:ing)?_(?:force|strength)[ \t]*[=:]?[ \t]*(?P<v>@qty)", "breaks at {v}", "a hinge breaks at a force", "limits (-170, 170) <- break_force=80"),
    Form(r"(?P<pre>(?:^|[{;])[ \t]*place\b[^;\n]*?)[ \t]*(?:;|\band\b)(?=[ \t]*@path[ \t]*(?:=|at\b))", ",", "',' stands between clauses of a place", "at (0, drop, 0), p.hook <- at (0, drop, 0); p.hook"),
    Form(r"(?P<pre>^[ \t]*place\b[^\n]*?)[ \t]+with[ \t]+posture[ \t]*=?[ \t]*(?P<p>\w+)", ", posture = {p}", "a posture is given after ','"),
    Form(r"\bon[ \t]+(?P<w>collision|contact|impact|separation|hit|touch|stick|slip)(?:[ \t]*\([ \t]*(?P<a>@path)[ \t]+(?:and|with|on|to)[ \t]+(?P<b>@path)[ \t]*\)|[ \t]+(?:(?:between|of)[ \t]+)?(?P<c>@path)[ \t]*(?:,|\b(?:and|with|on)\b)[ \t]*(?P<d>@path))", "on {w|event}({a}{c}, {b}{d})", "what an event is about stands in ( )", "on contact(p.bob, floor) <- on collision between p.bob and floor"),
    Form(r"^[ \t]*(?:if|when)[ \t]+(?P<a>@path)[ \t]+(?P<w>touches|hits|meets)[ \t]+(?P<b>@path)", "on {w|event}({a}, {b})", "what an event is about stands in ( )", "on contact(p.bob, floor) <- when p.bob touches floor"),
    Form(r"\bon[ \t]+(?P<a>@path)\.(?P<w>collision|contact|impact|separation|hit|touch|stick|slip)\([ \t]*(?P<b>@path)[ \t]*\)", "on {w|event}({a}, {b})", "what an event is about stands in ( )", "on contact(p.bob, floor) <- on p.bob.contact(floor)"),
    Form(r"\b(?:on[ \t]+(?:t|time)[ \t]*[=(]|(?:at|when|after)[ \t]+(?:t|time)[ \t]*[=(]?|on(?=[ \t]+\d)|(?<=[ \t][ \t])(?:after|at|when|once|until)(?=[ \t]+\d))[ \t]*(?P<v>@qty)[ \t]*\)?", "on time {v}", "an instant stands after 'on time'", ""),
    Form(r"\btime:[ \t]*(?:from[ \t]+)?0(?:[ \t]*m?s)?[ \t]*(?:\bto\b|\.\.)[ \t]*(?P<b>@qty)(?:[ \t]+(?:step|by|every)[ \t]+(?P<a>@qty))?", "time: ({a|step}, {b})", "a step and an end stand in ( )", "time: (1 ms, 10 s) <- time: from 0 to 10 s step 1 ms"),
    Form(r"\bgrid\([ \t]*(?P<a>@qty)[ \t]*,[ \t]*(?P<b>@path)[ \t]*\)", "grid {a} in {b}", "a grid is said in words"),
    Form(r"(?P<q>@qty)[ \t]*[@][ \t]*(?P<p>[a-z]\w*)", "{q} in {p}", _SIGN),
    Form(r"\bfile[ \t]*[=:][ \t]*(?P<f>[\w-]+\.artrun)", 'file "{f}"', "a file's name stands between double quotes"),
    Form(r"(?P<f>@num[ \t]*mm)[ \t]+lens\b", "lens({f})", "a lens has its focal length in ( )"),
    Form(r"(?P<pre>^[ \t]*)fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?[ \t;]*\n\s*camera:[ \t]*(?P<p>(?:at|on)\b[^;}\n]*)", "camera: lens({a|focal}) {p}", _LENS),
    Form(r"\bcamera:[ \t]*(?P<p>(?:at|on)\b[^;}\n]*?)(?:[ \t;,]*\n\s*|,[ \t]*|;[ \t]*)fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?", "camera: lens({a|focal}) {p}", _LENS),
    Form(r"(?P<pre>\bcamera:[ \t]*)fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?,?(?=[ \t]*(?:at|on)\b)", "lens({a|focal})", _LENS),
    Form(r"\b(?:camera|position):[ \t]*(?:position:?[ \t]*)?(?P<p>\([^()\n]*\))(?:[ \t;,]*\n\s*|[,;]?[ \t]*)fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?", "camera: lens({a|focal}) at {p}", _LENS),
    Form(r"(?P<pre>^[ \t]*)fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?[ \t;]*\n\s*(?:camera|position):[ \t]*(?P<p>\([^()\n]*\))", "camera: lens({a|focal}) at {p}", _LENS),
    Form(r"^[ \t]*fov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?[ \t;]*$", "", _LENS, advice="write it in 'camera:', as lens({a|focal})"),
    Form(r"\bfov[ \t]*[=:][ \t]*(?P<a>@num)[ \t]*(?:deg|°)?", "focal: {a|focal}", _LENS),
    Form(r"\b(?:sex|gender)[ \t]*[=:][ \t]*[\"']?(?P<s>[FMfm])(?:emale|ale)?\b[\"']?", "{s|sex}", "a person is a man or a woman"),
    Form(r"\b(?P<s>woman|man|female|male)(?:\((?P<o>@args)\)|[ ]+(?:of[ ]+)?(?P<q>@num[ ]?c?m\b))", "person({o}{q}, {s|sex})", "a person is a man or a woman"),
    Form(r"(?<![\w.])child\([ \t]*(?:age[ \t]*[:=][ \t]*)?(?P<n>\d+)[ \t]*\)", "person(child, age: {n})", "a child is a person of an age"),
    Form(r"(?P<pre>[:,][ \t]*)(?P<t>person|human_upper_body)[ \t]+(?P<o>(?!(?:on|with|in|at)\b)(?:@qty|\w+)(?:,[ \t]*(?:@qty|woman|man|female|male|child))*)(?=[ \t]*(?:\b(?:on|with)\b|[;}\n]|$))", "{t}({o})", "measures of a person stand in ( )"),
    Form(r"\b(?:[pP](?P<n>\d{1,2})|(?P<m>\d{1,2})(?:st|nd|rd|th)?[ \t]*(?:%(?:ile)?|percentile))[ \t]+(?P<s>woman|man|female|male)\b", "person({s|sex}, percentile: {n|}{m|})", "who is so tall is said by 'percentile'"),
    Form(r"(?P<pre>\b(?:camera|view|look)\b[^\n]*?)\b(?P<w>pan|tilt|roll)(?:ned|ed)?[ \t]*(?:by[ \t]+)?(?P<v>@qty)", "{w|turn}", "a camera is turned about a direction"),
    # names and places of statements
    Form(r"(?<![\w.])(?!(?:film|pose|reach|track|vary|simulate)\b)(?P<w>[a-z_]\w*)(?=[ \t]+(?P=w)\b(?![.\[]))[ \t]+\w+", "{w}", "a word stands twice", "join bob to rod[n] <- join bob to to rod[n]"),
    Form(r"(?:\b(?:the|an)|(?<=[:=] )a|\ba(?=[ \t]+\w+[ \t]*[({]))[ \t]+(?=[a-z\"])", "", "no article stands before a name", "join bob to rod[n] <- join bob to the rod[n]"),
    Form(r"(?P<pre>(?:^|[{;])[ \t]*)(?P<p>[A-Za-z_]\w*)[ \t]+(?:is|are)\b(?:[ \t]+an?\b)?(?=[ \t]+[a-z(\"])", "{p}:", "':' stands between a name and what it is", "p: chain(3) <- p is a chain(3)"),
    Form(r"\bat[ \t]+(?P<v>-?\d[^,;(){}=\n]*(?:,[ \t]*(?:-?\d[^,;(){}=\n]*?|[^\s,;(){}=]+)){2})(?=[ \t]*(?:\bturned\b|[;)}\n]|,[^,\n]*=|,[ \t]*\"|$))", "at ({v})", "a point stands in parentheses", "at (0, drop, 0), p.hook <- at 0, drop, 0, p.hook"),
    Form(r"\bmatch(?:ing|ed|es)?[ \t]*\(?[ \t]*(?P<a>\w+)[ \t]*(?:[:;=/]|\b(?:to|with|and)\b)[ \t]*(?P<b>\w+)[ \t]*\)?", "matching ({a}, {b})", "two features stand in parentheses", "matching (eye, bottom) <- matching (eye: bottom)"),
    Form(r"(?P<pre>(?:^[ \t]*(?:join|place|ignore|force[ \t]+\w+)\b|\bset\b)[^\n;\"]*?)\b(?P<f>[a-z_]\w*)[ \t]+of[ \t]+(?P<b>@path)", "{b}.{f}", "a part is joined to what has it by a point", "place p by p.anchor <- place p by anchor of p"),
    Form(r"(?P<pre>^[ \t]*[a-z_]+:(?:(?!\bbetween\b)[^\n;{}<>\"])*?)[ \t]+and(?=[ \t]+[a-z\"])", ",", "',' stands between entries, not 'and'"),
    Form(r"(?P<pre>[:=][ \t]*)\[(?P<v>\w+[ \t]*[:=][^\[\]\n]*)\]", "({v})", "values stand together in ( )"),
    Form(r"(?P<pre>\b(?:time|from|every|within|after)[ \t]+)(?P<a>\d+),(?P<b>\d+)\b(?!,)", "{a}.{b}", "a number has a decimal point, and commas stand between values"),
    Form(r"^(?P<k>primitive|composite|figure|world)[ \t]+(?P<a>[a-z]\w*)[ \t]+(?P<b>[a-z]\w*)(?=[ \t]*[({])", "{k} {a}_{b}", "a name has no blanks"),
    Form(r"^(?P<k>simulate|vary|reach|pose|track|film)[ \t]+(?P<n>@call|\w+)[ \t]+(?:for|until)[ \t]+(?P<v>@qty)(?=[ \t]*\{)", "{k} {n}", "a request's time stands between its braces", advice="write time: (1 ms, {v}) between the braces"),
    Form(r"\bdynamics[ \t]*[:=][ \t]*(?:true|yes|on)\b", "dynamics", "'dynamics' stands alone: what it takes follows from shape and density"),
    Form(r"^[ \t]*drive[ \t]+(?P<h>@path)[ \t]+(?:by|with)[ \t]+(?P<m>motor[ \t]*\(@args\))", "", "what drives a hinge stands behind it", advice="write {h} driven by {m}"),
    Form(r"^[ \t]*(?:motor|actuator)[ \t(]+(?:(?:on|at|for|of)[ \t]+)?(?P<h>(?!torque\b|speed\b)@path)[ \t,:=]+(?:speed[ \t:=]+)?(?P<v>@num[ \t]*(?:rpm|rad/s|deg/s))[ \t]*\)?", "", "a motor stands behind the hinge that it drives", advice="write {h} driven by motor(speed: {v})"),
    Form(r"^[ \t]*(?:motor|actuator)[ \t(]+(?:(?:on|at|for|of)[ \t]+)?(?P<h>(?!torque\b|speed\b)@path)[ \t,:=]+(?:torque[ \t:=]+)?(?P<v>@qty)[ \t]*\)?", "", "a motor stands behind the hinge that it drives", advice="write {h} driven by motor(torque: {v})"),
    Form(r"^[ \t]*(?:drive|turn|spin)[ \t]+(?P<h>@path)[ \t]+(?:at|with|by)[ \t]+(?P<v>@num[ \t]*(?:rpm|rad/s|deg/s))", "", "a motor stands behind the hinge that it drives", advice="write {h} driven by motor(speed: {v})"),
    Form(r"^[ \t]*(?:(?P<w>friction|restitution)(?:[ \t]+(?:in|of|at|on|for|about))?[ \t]+(?P<h>@path)|(?P<g>@path)\.(?P<o>friction|restitution))[ \t]*[=:][ \t]*(?P<v>@qty|@group)", "", _IN_JOIN, advice="write {w}{o} {v} behind 'as {h}{g}'"),
    Form(r"^[ \t]*(?:limits?(?:[ \t]+(?:in|of|at|on|for|about))?[ \t]+(?P<h>@path)|(?P<g>@path)\.limits?)[ \t]*[=:][ \t]*(?P<v>@group)", "", _IN_JOIN, advice="write limits {v} behind 'as {h}{g}'"),
    Form(r"^[ \t]*(?:spring|stiffness)(?:[ \t]+(?:in|of|at|on|for|about))?[ \t]+(?P<h>@path)[ \t]*[=:][ \t]*(?P<v>@num[ \t]*k?N/m+)\b", "", "a spring along a slide is a force between two features", advice="write force spring between A.center and B.center = {v} * (distance - 10 cm)"),
    Form(r"^[ \t]*(?:spring|stiffness)(?:[ \t]+(?:in|of|at|on|for|about))?[ \t]+(?P<h>@path)[ \t]*[=:][ \t]*(?P<v>@qty)", "", "a spring or a damper is a force about a hinge", advice="write force spring about {h} = -({v}) * angle"),
    Form(r"^[ \t]*(?:damper|damping)(?:[ \t]+(?:in|of|at|on|for|about))?[ \t]+(?P<h>@path)[ \t]*[=:][ \t]*(?P<v>@qty)", "", "a spring or a damper is a force about a hinge", advice="write force damper about {h} = -({v}) * rate"),
    Form(r"(?P<pre>^[ \t]*gear\b[^=\n]*=[ \t]*)(?P<a>@num)[ \t]*:[ \t]*(?P<b>@num)", "{a}/{b}", "a ratio is a quotient"),
    Form(r"(?P<pre>^[ \t]+)motor(?P<o>\([ \t]*\w+:@args\))", "driven by motor{o}", "what drives a hinge stands after 'driven by'"),
    # Python
    Form(r"^(?:from[ \t]+[\"']?(?!(?:math|cmath|numpy|scipy|sympy|typing|dataclasses|os|sys)\b)(?P<f>\w+)(?:\.art)?[\"']?[ \t]+import\b(?:[ \t]*\*|(?![\s\S]*\bcontrol\b))[^\r\n]*|(?:use|using|include|require|load)[ \t]+[\"'<]?(?P<g>\w+)(?:\.art)?[\"'>]?[ \t]*$)", 'import "{f}{g}.art"', "a file is imported by its name in quotes"),
    Form(r"^from[ \t]+(?!(?:math|cmath|numpy|scipy|sympy)\b)(?P<f>\w+)[ \t]+import\b[ \t]*(?P<n>\w+)?[^\r\n]*", "", "a text runs no Python; functions of controllers stand in a file of their own", advice='write import "{f}.py" as {f}, and {f}.{n} for its function'),
    Form(r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import\b[^\r\n]*|import[ \t]+(?:math|cmath|numpy|np|scipy|matplotlib|pandas|sys|os|re|random|time|typing|dataclasses|itertools|functools|pathlib|json|articulata|mujoco|torch|jax)\b[\w.]*+(?:[ \t]+as[ \t]+\w+)?+[ \t]*+(?=[;\r\n]|\#|--|\Z))", "", "a text runs no Python; functions of controllers stand in a file of their own", advice="remove this line: sin, sqrt, pi and other functions are known here"),
    Form(r"(?P<pre>[=(,:][ \t]*)(?P<a>[^=(,:;{}\n]+?)[ \t]+if\b[ \t]*(?P<c>[^\n;{}]*?)[ \t]+else[ \t]+(?P<b>[^\s,;){}][^,;){}\n]*)", "choose({c}, {a}, {b})", "one of two values is chosen", "drop: length = 2.5 m <- drop: length = 2 m if start > 1 else 3 m"),
    Form(r"(?P<pre>[=(,:][ \t]*)if\b[ \t]*(?P<c>[^;{}\n]+?)[ \t]*(?:\bthen\b|:|,)[ \t]*(?P<a>[^;{}\n]+?)[ \t]*,?[ \t]*\belse\b:?[ \t]*(?P<b>(?:[^,;(){}\n]|\([^()\n]*\))+(?<! ))", "choose({c}, {a}, {b})", "one of two values is chosen", "drop: length = 2.5 m <- drop: length = if start > 1 then 2 m else 3 m"),
    Form(r"(?P<pre>\bin[ \t]+)range\([ \t]*(?P<a>[\w.]+)[ \t]*,[ \t]*(?P<b>[^(),\n]+?)[ \t]*,[ \t]*(?P<s>[\w.]+)[ \t]*\)", "{a}..{b}", "numbers run from first..last, one by one", advice="write 0..({b} - {a})/{s} - 1, and {a} + {s}*i for number i"),
    Form(r"(?P<pre>\bin[ \t]+)range\([ \t]*(?:(?P<a>[\w.]+)[ \t]*,)?(?P<b>[^(),\n]+)\)", "{a|first}..{b|before}", "numbers run from first..last, both ends counted", "for i in 2..n { <- for i in range(2, n + 1) {"),
    Form(r"\blambda\b[^\r\n:;{}]*:[^,;(){}\n]+", "0", "no function is defined in a text", advice="write the value itself, or name a controller of a Python file"),
    Form(r"\b[fFrRbBuU]\"(?P<q>[^\"\n]*)\"", '"{q}"', "a text stands between double quotes alone", advice='write {q}, or "{q}" where a text is due'),
    Form(r"\bfor[ \t]+(?P<i>\w+)[ \t]*(?:(?:=|:|\bfrom\b)[ \t]*(?P<a>\w+)[ \t]*(?::|-|\.\.|\b(?:to|until|through)\b)|\bin[ \t]+(?P<c>\w+)[ \t]*(?::|-(?!\w+\.\.)|\b(?:to|until|through)\b))[ \t]*(?P<b>\w+)(?:[ \t]+(?P<l>loop|do)\b)?", "for {i} in {a}{c}..{b}{l|brace}", "numbers run from first..last", "for i in 2..n { <- for i = 2:n {"),
    Form(r"(?P<pre>\bfor[ \t]+\w+[ \t]+in[ \t]+)[\[(](?P<a>\d+)(?:[ \t]*,[ \t]*\d+)*[ \t]*,[ \t]*(?P<b>\d+)[\])]", "{a}..{b}", "numbers run from first..last"),
    Form(r"(?<=\w)\[[ \t]*[:*][ \t]*\]", "", "a run goes from first..last", advice="write [1..n], with the last number for n"),
    Form(r"(?<=\w)\[[ \t]*:[ \t]*(?P<b>\w+)[ \t]*\]", "[1..{b}]", "a run goes from first..last"),
    Form(r"^[ \t]*(?P<n>\w+)[ \t]*[=:][ \t]*\[(?P<t>@call|\w+)[ \t]+for[ \t]+\w+[ \t]+in[ \t]+range\((?:1,[ \t]*)?(?P<m>\w+)(?:[ \t]*\+[ \t]*1)?\)\]", "{n}[1..{m}]: {t}", "several components have numbers", "rod[1..n]: rod <- rod = [rod for i in range(n)]"),
    Form(r"\b(?P<n>\w+)[ \t]*[=:][ \t]*\[(?P<t>@call|\w+)\][ \t]*\*[ \t]*(?P<m>\w+)", "{n}[1..{m}]: {t}", "several components have numbers", "rod[1..n]: rod <- rod = [rod] * n"),
    Form(r"(?P<pre>[=(,:*+-][ \t]*)(?P<a>[\w.]+)[ \t]*//[ \t]*(?P<b>\d[\d.]*|[a-z]\w*)(?=[ \t]*[-+*/),])", "floor({a}/{b})", "'//' begins no comment here, and is no sign", "let gap = sqrt(2) * <- let gap = 5 // 2 *"),
    Form(r"(?<![\w/.)])(?P<a>[\w/.)]*)\*\*(?P<b>[\w.]*)", "{a}^{b}", "a power is written with ^", "7850 kg/m^3 <- 7850 kg/m**3"),
    # Modelica, MATLAB, spreadsheets
    Form(r"(?P<n>@num)[ \t]?%(?=[ \t]*:)", "{n}s", "a key frame stands at a time", advice="write its time, as in 0 s: rest; 2 s: low"),
    Form(r"(?P<n>@num)[ \t]?%(?![ \t]*[A-Za-z(])", "{n|hundredth}", "a share is a plain number", "friction: 0.3) <- friction: 30%)"),
    Form(r"(?:^|(?<=[ \t;]))%+[ \t]*(?P<v>[^\n]*)", "-- {v}", "comments begin with -- or #", "sqrt(2) * 5 cm <- sqrt(2) * 5 cm % the gap"),
    Form(r"\bder\((?P<v>@path)\)", "{v|rate}", "no value is derived", "p.hook.angle = start <- der(p.hook.angle) = 2 rad/s"),
    Form(r"(?<!\w)\[(?P<v>[^\[\]\n;]+(?:;[^\[\]\n;]+)+)\]'?", "{v|list}", "values stand together in ( )", "at (0, drop, 0) <- at [0; drop; 0]"),
    Form(r"(?<!\w)\[(?P<v>-?\w[\w.]*(?:[ \t]+-?\w[\w.]*)+)\]'?", "{v|list}", "values stand together in ( )", "at (0, drop, 0) <- at [0 drop 0]'"),
    Form(r"^function[ \t]+(?:\[[^\]]*\]|\w+)[ \t]*=[^\n]*", "", "no function is defined in a text"),
    Form(r"\bend[ \t]*(?:for|if|while|loop|function)\b;?", "}", "a block ends with '}'", after=True),
    Form(r"(?<=[a-zA-Z_)\] ])\.(?P<o>[*/^])(?=[ \t]*[\w(])", "{o}", _SIGN, "sqrt(2) * 5 cm <- sqrt(2) .* 5 cm"),
    Form(r"(?:(?<=[(,])[ \t]*|(?<==[ ])|(?<=:[ ]))=(?=[-\w(])", "", "no '=' begins a value", "bottom: (0, -span/2, 0) <- bottom: (0, =-span/2, 0)"),
    Form(r"\$[A-Z]{1,3}\$?\d+|\b[A-Z]{1,3}\$\d+", "1", "there are no cells here", advice="write the value itself, or a name that 'let' defines"),
    # YAML and JSON
    Form(r"\b(?P<n>\w+):[ \t]*\n[ \t]+type:[ \t]*(?P<t>\w+)", "{n}: {t}", "a component's type stands after its name", "p: chain(3) <- p:\n      type: chain"),
    Form(r"\b(?P<n>\w+):[ \t]*\{[ \t]*\"?type\"?:[ \t]*\"?(?P<t>\w+)\"?[ \t]*,?[ \t]*(?P<o>[^{}\n]*)\}", "{n}: {t}{o|call}", "a component's type stands after its name", "p: chain(3) <- p: {type: chain, n: 3}"),
    # numbers and units
    Form(r"(?<![\w.])(?P<n>\d+(?:\.\d+)?)(?:[ \t]*[\[<][ \t]*(?P<u>@unit)[ \t]*[\]>]|_(?P<v>@unit))", "{n} {u}{v}", "a unit stands after its number alone", "span: length = 0.5 m <- span: length = 0.5 [m]"),
    Form(r"""(?<![\w.])(?P<f>\d+)(?:'[ \t]*(?P<o>\d+)"|[ \t]*(?:ft|')[ \t]+(?P<i>\d+)[ \t]*(?:in\b|inch\b|"))""", "{f} ft + {o|}{i|} inch", "a length has one number and one unit", "span: length = 0.5 m <- span: length = 5'4\""),
    Form(r"""(?P<n>(?<![\w.])[\d.]+)(?P<u>"|')(?=[ \t]*(?:[,;)\]}\r\n]|$))""", "{n} {u|unit}", "a unit is a word", 'span: length = 0.5 m <- span: length = 20"'),
    # paths and places
    Form(r'\b(?P<n>[A-Za-z_]\w*)\[(?P<p>"[^"\n]+")\]', "{n}.{p}", "a part is joined to what has it by a point"),
    Form(r"(?P<pre>(?:^|[;{)])[ \t]*)monitor[ \t]*:?[ \t]+(?P<p>@path)(?:[ \t]*,[ \t]*(?:monitor[ \t]+)?@path)*", "", "what is shown of a motion stands in 'report:'", advice="write report: monitor {p} on a line of its own"),
    Form(r"(?<=\bmonitor )(?P<p>[A-Za-z_]\w*(?:/[A-Za-z_]\w*)+)", "{p|dots}", "the parts of a path are joined by points"),
    Form(r"(?P<pre>\bmeasure:[^\n]*?)\b(?P<q>[A-Za-z_][\w.\[\]]*)\.(?P<w>max|min|mean|rms|final)\b(?:\(\))?(?=[ \t]*(?:[,;}\r\n]|$))", "{w} {q}", "what is measured stands before the path"),
    Form(r"(?P<pre>\bmeasure:[^\n]*?)\b(?:np|numpy|math)\.(?P<w>max|min|mean)\([ \t]*(?P<q>@path)[ \t]*\)", "{w} {q}", "what is measured stands before the path"),
    Form(r"(?P<pre>\bmeasure:[^\n]*?)\b(?P<q>@path)[ \t]+at[ \t]+(?:the[ \t]+)?end\b", "final {q}", "what is measured stands before the path"),
    Form(r"(?P<pre>\bparameters:[^\n]*?\b\w+[ \t]*)(?:=|:|\bfrom\b|\bin\b)[ \t]*(?P<a>@qty):(?P<s>@qty):(?P<b>@qty)", "from {a} to {b} with {s|values} values", "how many values there are stands behind both ends"),
    Form(r"(?P<pre>\bparameters:[^\n]*?\bfrom[ \t]+(?P<a>@qty)[ \t]+to[ \t]+(?P<b>@qty))[ \t]+(?:(?:in[ \t]+)?steps?(?:[ \t]+of)?|by|every)[ \t]+(?P<s>@qty)", "with {s|values} values", "how many values there are stands behind both ends"),
    Form(r"(?P<pre>\bparameters:[^\n]*?\b\w+)[ \t]*[:=][ \t]*[\[({](?P<v>@qty(?:[ \t]*,[ \t]*@qty)+)[\])}]", "in ({v})", "which values are tried stands after 'in'"),
    Form(r"(?P<pre>\bparameters:[^\n]*?\bin[ \t]+)[\[{]?(?P<v>@qty(?:[ \t]*,[ \t]*@qty)+)[\]}]?(?=[ \t]*(?:[;}\n]|$))", "({v})", "values stand together in ( )"),
    Form(r"\badd[ \t]+(?P<n>\w+)[ \t]*:[ \t]*(?P<t>@call)[ \t]+at\b", "add {n}: {t} by {n}.center at", "what of it is put there stands after 'by'"),
    Form(r"\bposture[ \t]+(?P<n>\w+)[ \t]*[=:][ \t]*(?P<v>\([^()\n]*\)|\w+[ \t]*[=:][^\n;{}]*)", "posture {n} { {v|entries} }", "what a posture holds stands in { }"),
    # devices, hosts and ports, files
    Form(r"""(?P<pre>\b(?:from|to):[^\n]*?)\b(?P<d>vmc|vrchat|rosbridge|udp|slimevr|phone|fastrak|spacemouse|gamepad|recording|emulator|file)\b(?![ ]"[^"\n]*"|[ ]\d+(?:[ \t]*[,;}\n]|$))[ \t]*(?:\(|://|[:=]|\b(?:at|on|as|to)\b)?[ \t]*(?:(?:serial[ ]|com[ ])?(?:port|device|path|name)[ \t]*[:=]?[ \t]*)?(?P<q>@quote?)(?P<p>/[\w./-]+|COM\d+|[\w./\\-]+\.[a-zA-Z]\w+(?![\w:.])|(?:[\w-]+\.)*[\w-]+:\d+|\d{1,5}(?![\w.]))/?@quote?\)?""", "{d} {p|port}", "a port is a number, or a text between double quotes"),
    Form(r"(?P<pre>\bto:[^\n]*?)\b(?:udp|osc|tcp)://(?P<h>[\w.-]+:\d+)/?", 'vmc "{h}"', "a host and its port stand between double quotes"),
    Form(r"(?P<pre>\bfrom:[ \t]*)(?:tcp|osc|https?|wss?)://(?P<h>[\w.-]+:\d+)/?", 'udp "{h}"', "a host and its port stand between double quotes"),
    Form(r"(?P<pre>\bfrom:[ \t]*)@quote?(?:(?:serial|usb)\b[ \t:=]*\"?)?(?P<p>/dev/[\w./-]+|COM\d+)\b@quote?", "{p|device}", "the device stands before its port, which is a text"),
    Form(r"""(?P<pre>\bfrom:[ \t]*)(?!"[^"\n]*"[ \t]*(?:[,;}\n]|$|\w))(?:(?:file|bvh)\b[ \t]*[:=(]?[ \t]*)?@quote?(?P<f>[\w./\\-]+\.(?!\d)\w{2,7})@quote?\)?(?=[ \t]*(?:[,;}\n]|$|eased\b|camera\b))""", '"{f}"', "a file's name stands between double quotes"),
    Form(r"""(?:[\u201c\u201d\u201e\u00ab](?P<q>[^\u201c\u201d\u201e\u00ab\u00bb"\n]*)[\u201c\u201d\u00bb]|[\u2018\u2019'](?P<r>[^\u2018\u2019'"\n]*[^\u2018\u2019'"\w\n][^\u2018\u2019'"\n]*)['\u2018\u2019])""", '"{q}{r}"', "a text stands between double quotes"),
    # rates and times, scales
    Form(r"\banimation\b[ \t]*(?:\(|\b(?:at|with|of)\b)?[ \t]*(?:(?:(?:fps|rate|frames)[ \t]*[:=]?[ \t]*)(?P<n>@num)|(?P<m>@num)(?=[ \t]*(?:fps|Hz|/[ \t]*s|[a-z ]*(?:per|a)[ \t]+second)))(?:[ \t]*(?:fps|Hz|/[ \t]*s(?:ec)?\b|[a-z ]*\b(?:per|a)[ \t]+second))?\)?", "animation every {n|period}{m|period}", "'every' has the time between two pictures"),
    Form(r"(?P<pre>\bframes:[ \t]*)(?:every[ \t]+)?(?P<n>@num)[ \t]*(?P<u>ms|s)\b", "{n|period}", "frames are a number a second"),
    Form(r"(?P<pre>\bscale:[ \t]*)1[ \t]*:[ \t]*(?P<n>@num)", "{n|ratio}", "a scale is a length in the world for one of the robot, not a ratio"),
    Form(r"(?P<pre>\bscale:[ \t]*)(?P<n>@num)[ \t]*:[ \t]*1\b", "1/{n}", "a scale is a length in the world for one of the robot, not a ratio"),
    Form(r'\b(?P<d>vmc|vrchat|rosbridge)[ \t]*(?:at\b|to\b|://|:|=)?[ \t]*(?:"?(?:wss?|https?|udp|osc|tcp)://)?(?P<h>(?<=://)[\w.-]+|(?:\d+\.){3}\d+|localhost|[a-z][\w-]*(?:\.[\w-]+)+):(?P<p>\d+)/?"?', '{d} "{h}:{p}"', "a host and its port stand between double quotes"),
    Form(r'"[^"\r\n]*"?', "", ""),  # texts: nothing in them is looked at
    Form(r"(?<![\w.])(?P<v>0[xX][0-9A-Fa-f]+|\d+(?:_\d+)+|\d{1,3}(?:'\d{3})+\b)", "{v|digits}", _DIGITS, "7850 kg <- 7_850 kg"),
    Form(r"(?<![\w.])(?<![x\u00d7][ \t])(?P<v>@num(?:[ \t]*(?:(?:mm|cm|m|inch|ft)[ \t]+)?[x\u00d7][ \t]*@num){1,2})[ \t]*(?P<u>mm|cm|m|inch|ft)\b", "{v|times}", "',' stands between values, not 'x'", "cuboid(width, span, width) <- cuboid(5 x 5 x 5 cm)"),
    Form(r"(?P<n>@num)[ \t]*(?P<u>lbf|kgf|kp|psi|bar|atm|mph|knots?|rps|oz)\b", "{n|converted}", _UNIT, "mass: 3, <- mass: 106 oz,"),
    Form(r"(?P<pre>\bage:[ \t]*)(?P<n>@num)[ \t]*(?:years?|yrs?|y/?o|a)\b(?:[ \t]+old\b)?", "{n}", "an age is a number of years"),
    Form(r"(?P<pre>\b(?:frames:|(?P<e>every\b)(?=[ \t]*[\d.]+[ \t]*fps))[ \t]*)(?P<n>@num)[ \t]*(?:fps|Hz|/[ \t]*s|(?:frames?[ \t]*)?(?:per|a)[ \t]+second)\b", "{n|frames}", "frames are a number a second, and 'every' has the time between two"),
    Form(r"(?P<pre>\bperson\([^()\n]*?)\b(?:[pP](?P<n>\d{1,2})|(?P<m>\d{1,2})(?:st|nd|rd|th)(?:[ \t]*%(?:ile)?|[ \t]+percentile)?)\b", "percentile: {n|}{m|}", "who is so tall is said by 'percentile'"),
    Form(r"(?P<n>@num)[ \t]*(?:km/?h(?:r|our)?|kph|kmph)\b(?<!km/h)", "{n} km/h", _UNIT),
    Form(r"(?P<n>@num)[ \t]*(?:1?/min|min\^-1|[Ur]/min|rev/min)\b", "{n} rpm", _UNIT),
    Form(r"(?P<a>@num[ \t]*\w+)/(?P<u>hr|cc|ccm|cbm|ml|l|sec|ft3|in3)\b", "{a}/{u|unit}", _UNIT, "7850 kg/m^3 <- 7.85 g/cc"),
    Form(r"(?P<n>@num)[ \t]*(?P<a>kg|N|g|J)[ \t]+(?P<b>[cm]?m|s)\^?-(?P<p>\d)", "{n} {a}/{b}^{p}", "units are divided by '/'", "7850 kg/m^3 <- 7850 kg m^-3"),
    Form(r"(?P<pre>\b(?:look|parameters|place|objects|keep|move):[^\n±+]*?)(?:±|\+/-|\+-)[ \t]*(?P<v>@qty)", "within {v}", "how far it may be off stands after 'within'"),
    Form(r"\((?P<v>-?[\w.]+(?:[ \t]*,[ \t]*-?[\w.]+)+)\)[ \t]*(?P<u>m/s\^2|m/s|mm|cm|m|deg|rad|N\*m|N|kg)(?![\w/^*()])", "({v|each})", "each number has its unit", "gravity: (0, -9.81, 0) <- gravity: (0, -9.81, 0) m/s^2"),
    Form(r"(?P<pre>[(,][ \t]*)limits?[ \t]*[:=][ \t]*(?P<a>@qty)[ \t]*(?:\.\.|to\b|and\b|[-,;:])[ \t]*(?P<b>@qty)", "limits: ({a}, {b})", "both ends stand in ( )"),
    Form(r"\blimits?[ \t]*[:=]?[ \t]*(?P<a>@qty)[ \t]*(?:\.\.|to\b|and\b|[-,;:])[ \t]*(?P<b>@qty)", "limits ({a}, {b})", "both ends stand in ( )", "limits (-170, 170) <- limits: -170 .. 170"),
    Form(r"\((?P<a>@qty)[ \t]*(?:\.\.|\bto\b|[:;])[ \t]*(?P<b>@qty)[ \t]*\)", "({a}, {b})", "',' stands between two values", "limits (-170, 170) <- limits (-170 to 170)"),
    Form(r"(?P<pre>\bby[ \t]+servo\((?:[^()\n]|\([^()\n]*\))*\))(?:[ \t]*,?[ \t]*(?:and|with|plus|&|\+)[ \t]*|[ \t]+)(?P<b>balance\b(?:\([^()\n]*\))?)", ", {b}", "',' stands before balance(...)"),
    Form(r"\((?P<a>[^()<>=\n]+?)[ \t]+and[ \t]+(?P<b>[^()<>=\n]+)\)", "({a}, {b})", "',' stands between values, not 'and'", "limits (-170, 170) <- limits (-170 and 170)"),
    Form(r"\b(?:min|low|lower)[ \t=]+(?P<a>@qty)[ \t,]+(?:max|high|upper)[ \t=]+(?P<b>@qty)", "limits ({a}, {b})", "both ends stand in ( )", "limits (-170, 170) <- min -170 max 170"),
    Form(r"(?:±|\+/-|\+-)[ \t]*(?P<v>@qty)", "(-{v}, {v})", "both ends stand in ( )", "limits (-170, 170) <- limits ±170"),
    Form(r"(?P<pre>\blimits?[ \t]*[:=]?[ \t]*|:[ \t]*)(?:between|from)[ \t]+(?P<a>@qty)[ \t]+(?:and|to)[ \t]+(?P<b>@qty)", "({a}, {b})", "both ends stand in ( )", "limits (-170, 170) <- limits between -170 and 170"),
    Form(r"(?P<pre>\blimits:[^\n]*?)\b(?P<j>\w+)[ \t]+(?:max(?:imum)?|up[ \t]+to|<=?)[ \t]+(?P<b>@qty)", "{j} from 0 deg to {b}", "limits go from the lowest to the highest"),
    Form(r"(?P<pre>\b(?:camera|view):[^\n]*?)[ \t]+(?:looking|look|looks|aimed|aiming|facing)[ \t]+(?:at|towards?)[ \t]+(?P<p>@path)", "", "what a camera looks at is a clause of its own", advice="write look: at {p} on the next line"),
    Form(r"(?P<pre>\blens\([^()\n]*?),?[ \t]*\bf[ \t]*/?[ \t]*\d+(?:\.\d+)?\b", "", "a lens has no aperture: all is sharp"),
    # signs
    Form(r"(?<![\w'])[fFrRbB]?'(?P<q>[^'\"\r\n]*)'", '"{q}"', "a word stands without quotes, a text between double quotes", advice='write {q}, or "{q}" where a text is due'),
    Form(r"=>", ">=", _SIGN), Form(r"=<", "<=", _SIGN), Form(r"::|(?<=\w)->(?=[a-z])", ".", _SIGN, "p.hook.angle = <- p::hook.angle ="),
    Form(r"(?P<pre>^[ \t]*(?P<w>join|ignore|gear|for|place)\b[^\n]*?)->", "{w|link}", _SIGN, "join bob to rod[n] <- join bob -> rod[n]"),
    Form(r"(?P<pre>^[ \t]*(?:let|set|place)\b[^\n]*?):=", "=", _SIGN, "let gap = <- let gap :="),
    Form(r"->", ":", _SIGN), Form(r":=", ":", _SIGN),
    Form(r"(?P<pre>(?:\[|\bin[ \t])[ \t]*)(?P<a>\w+)[ \t]*(?:\.\.\.|…)", "{a}..", "a run goes from first..last", "rod[1..n]: <- rod[1...n]:"),
)  # fmt: skip
"""Forms of text, the first that fits at a place; those with nothing to tell hide what they hold."""

CONVERTED: Final = frozenset(
    each.told for each in FORMS
    if any(f"|{how}}}" in each.write for how in ("period", "frames", "ratio", "converted"))
)  # fmt: skip
"""What is said of forms whose numbers become others."""

FUNCTIONS: Final[dict[str, str]] = {
    **dict.fromkeys(("pow", "power"), "{0}^{1}"), "square": "{0}^2", "sqr": "{0}^2",
    "cube": "{0}^3", **dict.fromkeys(("radians", "deg2rad"), "{0} * 1 deg"),
    **dict.fromkeys(("degrees", "rad2deg"), "{0} * 1 rad"),
    "sum": "({sum})", "average": "({sum})/{count}", "mean": "({sum})/{count}",
    "if": "choose({all})", "iif": "choose({all})", "mod": "{0} - {1}*floor({0}/{1})",
    "round": "floor({0} + 0.5)", "ceil": "-floor(-{0})", "hypot": "sqrt({0}^2 + {1}^2)",
    **{f"{each}d": f"{each}({{0}} deg)" for each in ("sin", "cos", "tan")},
    "cot": "1/tan({0})", "sec": "1/cos({0})", "csc": "1/sin({0})", "cbrt": "{0}^(1/3)",
    "sinh": "(exp({0}) - exp(-{0}))/2", "cosh": "(exp({0}) + exp(-{0}))/2",
    "tanh": "1 - 2/(exp(2*{0}) + 1)", "log10": "log({0})/log(10)", "log2": "log({0})/log(2)",
    "lerp": "{0} + {2}*({1} - {0})", "mix": "{0} + {2}*({1} - {0})",
    "smoothstep": "ramp({2}, {0}, {1})", "saturate": "clamp({0}, 0, 1)",
    "distance": "norm({0} - {1})", "dist": "norm({0} - {1})", "magnitude": "norm({0})",
    "normalize": "{0}/norm({0})", "step": "choose(time > {0}, 1, 0)",
    **dict.fromkeys(("where", "ifelse", "if_else", "select", "switch"), "choose({all})"),
    "len": "the number", "sign": "{0}/abs({0})", "pid": "servo({all})", "pd": "servo({all})", "rgb": "({all})",
    **dict.fromkeys(("array", "vec3", "vec", "vector", "point", "pos", "position", "xyz", "tuple",
                     "diag", "list", "float3", "np.array", "vector3"), "({all})"),
}  # fmt: skip
"""What stands here for a function of other programs, of its arguments {0}, {1}, all or the sum."""

OF_ANGLES: Final = {
    **dict.fromkeys(("degrees", "rad2deg"), "{0}/1 deg"),
    **dict.fromkeys(("radians", "deg2rad"), "{0}/1 rad"),
}
"""The number that such a function gives of what is an angle already."""

_TUBE = "outer=3~cm inner=0.8~*~{outer} length=30~cm -> difference(outer: cylinder({outer}, {length}), bore: cylinder({inner}, 1.1 * {length}))"
_RING = _TUBE.replace("30~cm", "1~cm")

SHAPES_OF_OTHERS: Final[dict[str, str]] = {
    **dict.fromkeys(("tube", "pipe", "hollow_cylinder", "hollowcylinder", "sleeve"), _TUBE),
    **dict.fromkeys(("ring", "annulus", "washer", "collar"), _RING),
    "torus": "radius=10~cm inner=1~cm -> difference(outer: cylinder({radius} + {inner}, 2 * {inner}), bore: cylinder({radius} - {inner}, 2.2 * {inner}))",
    **dict.fromkeys(
        ("ellipsoid", "spheroid", "ellipse"),
        "radius=10~cm y={radius} z={radius} -> the nearest is sphere({radius})",
    ),
    "pyramid": "base=10~cm height=20~cm -> the nearest is cone({base}/2, {height})",
    **dict.fromkeys(
        ("wedge", "triangular_prism"),
        "x=10~cm y={x} z={x} -> extruded(((0, 0), ({x}, 0), (0, {y})), {z})",
    ),
    **dict.fromkeys(
        ("hexagon", "hexagonal_prism", "hex_prism", "hex"),
        "radius=1~cm length=2~cm -> prism(6, {radius}, {length})",
    ),
    **dict.fromkeys(
        ("triangle", "triangle_prism"), "radius=1~cm length=2~cm -> prism(3, {radius}, {length})"
    ),
    "octagon": "radius=1~cm length=2~cm -> prism(8, {radius}, {length})",
    **dict.fromkeys(
        ("disk", "disc", "circle", "coin", "wheel", "puck"),
        "radius=10~cm length=1~cm -> cylinder({radius}, {length})",
    ),
    **dict.fromkeys(
        ("rod", "shaft", "dowel"), "radius=1~cm length=30~cm -> cylinder({radius}, {length})"
    ),
    **dict.fromkeys(
        ("hemisphere", "half_sphere", "dome"),
        "radius=10~cm -> intersection(ball: sphere({radius}), half: cuboid(2 * {radius}, 2 * {radius}, {radius}) at (0, 0, {radius}/2))",
    ),
    **dict.fromkeys(
        ("cube", "square", "box", "block", "brick"), "x=10~cm y={x} z={y} -> cuboid({x}, {y}, {z})"
    ),
    **dict.fromkeys(
        ("plane", "ground", "sheet", "rectangle", "panel", "board"),
        "x=1~m z={x} y=1~cm -> cuboid({x}, {y}, {z})",
    ),
    **dict.fromkeys(
        (
            "plate",
            "slab",
            "bar",
            "beam",
            "rounded_box",
            "roundedbox",
            "rounded_cuboid",
            "roundcube",
        ),
        "x=1~m y=2~cm z={y} corner=0 -> cuboid({x}, {y}, {z})",
    ),
}
"""What stands for a shape of other programs: its values with usual ones, and what is made."""

VALUES: Final[dict[str, str]] = {
    "o": "write 0, the digit",
    **dict.fromkeys(("null", "none", "nil", "nan", "undefined", "nothing"),
                    "leave it out, with its name: what is not given has a default"),
    **dict.fromkeys(("true", "yes", "on", "false", "no", "off"),
                    "write a value; a word such as fixed stands alone"),
    "origin": "write (0, 0, 0)", "self": "write the name alone, without self.",
}  # fmt: skip
"""What to do with names that are values elsewhere."""

ARGUMENTS: Final[dict[str, str]] = dict.fromkeys(("d", "diameter", "dia"), "radius: {0}/2")
"""What an argument of other programs is here, where that is not the same value by another name."""

EDGES: Final[dict[str, str]] = {
    **dict.fromkeys(("width", "wide", "w", "length", "len", "l", "size"), "xz"),
    **dict.fromkeys(("height", "high", "h", "thickness", "thick", "t"), "yz"),
    **dict.fromkeys(("depth", "deep", "d", "breadth"), "z"),
}
"""Edges of a box by what others call them, the likest first."""

_SPRING = "force spring about {hinge} = -{value} * angle"
_DAMPER = "force damper about {hinge} = -{value} * rate"
HINGE_OPTIONS: Final[dict[str, str]] = {
    "stiffness": _SPRING, "k": _SPRING, "springref": _SPRING, "damping": _DAMPER, "c": _DAMPER,
    **dict.fromkeys(("limits", "range"), "limits {value} after the hinge"),
    **dict.fromkeys(("friction", "frictionloss"), "friction {value} after the hinge"),
    **dict.fromkeys(("torque", "effort"), "force drive about {hinge} = {value}"),
    "strength": "breaks at {value} after the hinge",
    **dict.fromkeys(("name", "as"), "as {value} after the hinge"),
    "matching": "matching {value} after the hinge",
    "speed": "driven by motor(speed: {value}) after the hinge",
}  # fmt: skip
"""What other programs say as options of a joint, and what says it here of a hinge."""
