# ruff: noqa: E501 # a plant is read on one line
"""Errors planted into a correct text, with where and what a person would be told.

Each plant replaces a passage of ``BASE`` by one that holds a mistake; the bar ``¦`` stands where
the finding must point (right after what comes before something missing, at the start of a wrong
word). The last entry must appear in the suggestion.
"""

from __future__ import annotations

BASE = """\
units: metre, kilogram, second, degree
import "people.art" as people
import "controllers.py"

let steel = material(density: 7850 kg/m^3, friction: 0.3, restitution: 0.6)
let span = 2 * (1 m + 3 cm)
let half = span / 2

primitive rod(length: length = 1 m, width: length = 5 cm) {
  properties: (material: steel, color: red)
  geometry: cuboid(width, length, width) where {
    top: (0, length / 2, 0)
    bottom: (0, -length / 2, 0)
    axis spin: ((0, 0, 0), z)
    frame tip: (0, length, 0) turned 90 deg about x
    face lid: front
  }
  dynamics
}

primitive block begin
  properties: (density: 2.0, color: blue);
  geometry: difference(body: cuboid(1, 3, 1), hole: cylinder(0.2, 2) at (0, 1, 0))
    where begin
      grip: (0, 1.6, 0);
      foot: (0, -1.6, 0)
    end;
  dynamics: (mass: 2 kg, inertia: (1, 2, 3));
  control: force = push at grip
end

composite pendulum(n = 3) {
  components {
    anchor: fixed_point
    rod[1..n]: rod(length: 0.5 m)
    left, right: block
  }
  structure {
    join rod[1] to anchor with pin(axis: z) as h1 matching (top, center) limits (-90, 90) breaks at 100 N
    for i in 2..n {
      join rod[i] to rod[i - 1] with ball.and.socket matching (top, bottom)
    }
    join left to rod[1] with weld matching (grip, tip)
    join right to left with screw(lead: 2 mm) matching (grip, foot)
    ignore left with right
    force pull between left.grip and right.foot = 100 N/m * (distance - 1 m)
  }
}

hinge slot(along: direction = x) {
  point (0, 0, 0) of first on plane((0, 0, 0), y) of second
  point (0, 0, 0) of first on plane((0, 0, 0), z) of second
}

figure arm {
  components {
    trunk, upper: rod
  }
  structure {
    join upper to trunk with pin(axis: z) as elbow matching (top, bottom)
  }
  chain reach: from trunk to upper
  chain table: standard table on trunk.top {
    shoulder: revolute(theta: 0, d: 0, a: 4, alpha: 0, limits: (-90, 90))
    wrist: prismatic(theta: 0, a: 0, alpha: 0)
  }
  posture neutral {
    elbow: 10 deg
  }
  limits {
    elbow: (0, 145 deg)
  }
  sensors {
    hand: upper.bottom at (0, 0, 2 cm)
  }
}

world swing(start = 90, height: length = 2 m) {
  gravity: (0, -9.81, 0)
  components {
    p: pendulum(3)
    floor: ground
  }
  structure {
    place p by p.anchor at (0, height, 0), p.rod[1].angle = start
    place floor by floor.center at (0, 0, 0) properties: (fixed)
  }
}

simulate swing(60) {
  time: (1 ms, 10 s)
  report: animation every 20 ms, events, monitor energy, forces of p.rod[1].top
  method: rk4
  domains: (geometric, dynamic)
  on contact(p.left, floor): break p.h1
  on time 2 s {
    set p.left.w = (0, 0, 1)
    remove floor
  }
  on p.rod[1].angle > 90 deg: stop
}

pose stretch {
  figure: arm
  world: swing(60)
  minimise: 3 discomfort, torque
}
"""

PLANTS: list[tuple[str, str, str, str]] = [
    # ---- the file
    ("unit-name", "metre, kilogram", "¦meter_, kilogram", "meter"),
    ("unit-symbol", "metre, kilogram", "¦m, kilogram", "metre"),
    ("unit-twice", "second, degree", "second, degree, ¦radian", "remove"),
    ("units-colon", "units: metre", "units¦ metre", "':'"),
    ("units-comma", "metre, kilogram", "metre¦ kilogram", "','"),
    ("import-quotes", 'import "controllers.py"', "import ¦controllers.py", '"controllers.py"'),
    ("import-unclosed", 'import "people.art" as', 'import ¦"people.art as', '"'),
    ("import-as", '"people.art" as people', '"people.art"¦ people', "as"),
    ("import-empty", 'import "controllers.py"', 'import ¦""', '"'),
    ("let-equals", "let span = 2", "let span¦ 2", "'='"),
    ("let-colon", "let span = 2", "let span ¦: 2", "'='"),
    ("let-name", "let span = 2 * (1 m + 3 cm)", "let¦ = 2 * (1 m + 3 cm)\nlet span = 1 m", "name"),
    ("let-value", "let half = span / 2", "let half =¦", "value"),
    ("let-operator", "let half = span / 2", "let half = span /¦", "value"),
    ("let-before", "let half = span / 2", "let half = ¦later / 2\nlet later = 3", "let later"),
    ("let-cycle", "let half = span / 2", "let half = ¦other\nlet other = half", "other"),
    ("let-twice", "let half = span / 2", "let half = span / 2\nlet ¦half = 3", "another name"),
    ("let-reserved", "let half = span", "let ¦where = span", "another name"),
    ("let-unknown", "let half = span / 2", "let half = ¦spann / 2", "span"),
    ("word-primitive", "primitive rod(", "¦primitve rod(", "primitive"),
    ("word-composite", "composite pendulum", "¦compsite pendulum", "composite"),
    ("word-simulate", "simulate swing", "¦simulat swing", "simulate"),
    ("word-world", "world swing(", "¦wolrd swing(", "world"),
    ("stray-character", "let half = span / 2", "let half = span ¦$ / 2", "remove"),
    ("stray-degree", "start = 90,", "start = 90¦°,", "deg"),
    ("stray-end", "hinge slot", "¦}\nhinge slot", "remove"),
    ("name-twice", "hinge slot", "primitive ¦rod { geometry: none }\n\nhinge slot", "another name"),
    # ---- units and dimensions
    ("unit-unknown", "7850 kg/m^3", "7850 ¦kgg/m^3", "kg"),
    ("unit-long", "length: 0.5 m", "length: 0.5 ¦metres", "'m'"),
    ("unit-inch", "length: 0.5 m", "length: 0.5 ¦in", "inch"),
    ("unit-in-tuple", "(1 ms, 10 s)", "(1 ms, 10 ¦sec)", "'s'"),
    ("dimension-argument", "length: 0.5 m", "length: ¦0.5 kg", "0.5 m"),
    ("dimension-shape", "cuboid(1, 3, 1), hole", "cuboid(1, ¦3 s, 1), hole", "3 m"),
    ("dimension-sum", "(1 m + 3 cm)", "(1 m + ¦3 s)", "length"),
    ("dimension-feature", "grip: (0, 1.6, 0)", "grip: (0, ¦1.6 kg, 0)", "1.6 m"),
    ("dimension-density", "density: 7850 kg/m^3", "density: ¦7850 kg", "kg/m^3"),
    ("dimension-default", "width: length = 5 cm", "width: length = ¦5 deg", "m"),
    ("dimension-time", "(1 ms, 10 s)", "(1 ms, ¦10 m)", "s"),
    ("dimension-angle", "turned 90 deg", "turned ¦90 m", "deg"),
    ("dimension-limits", "limits (-90, 90)", "limits (-90, ¦90 m)", "deg"),
    ("dimension-strength", "breaks at 100 N", "breaks at ¦100 kg", "N"),
    ("dimension-gravity", "(0, -9.81, 0)", "(0, ¦9.81 m, 0)", "m/s^2"),
    ("dimension-force", "= 100 N/m * (distance - 1 m)", "= ¦100 N/m * 3 s", "N"),
    ("dimension-distance", "(distance - 1 m)", "(distance - ¦1 s)", "length"),
    ("dimension-every", "every 20 ms", "every ¦20 mm", "s"),
    ("dimension-world", "simulate swing(60)", "simulate swing(60, ¦2 kg)", "2 m"),
    ("too-large", "let half = span / 2", "let half = span / ¦1e999", "smaller"),
    # ---- primitives
    ("section", "  geometry: cuboid(width", "  ¦geometri: cuboid(width", "geometry"),
    ("section-foreign", "  dynamics\n", "  dynamics\n  ¦gravity: (0, 0, 0)\n", "world"),
    ("section-twice", "  dynamics\n", "  dynamics\n  ¦dynamics\n", "one"),
    ("section-colon", "geometry: cuboid(width", "geometry¦ cuboid(width", "':'"),
    ("section-equals", "geometry: cuboid(width", "geometry ¦= cuboid(width", "':'"),
    ("property", "material: steel, color", "material: steel, ¦colour", "color"),
    ("property-color", "color: blue", "color: ¦bleu", "blue"),
    ("property-quotes", "color: blue", 'color: ¦"blue"', "blue"),
    ("property-twice", "color: blue", "color: blue, ¦color: red", "another"),
    ("property-comma", "density: 2.0, color", "density: 2.0¦ color", "','"),
    ("property-parenthesis", "(density: 2.0, color: blue);", "(density: 2.0, color: blue¦;", "')'"),
    ("property-material", "material: steel", "material: ¦steal", "steel"),
    ("shape", "geometry: cuboid(width", "geometry: ¦cubiod(width", "cuboid"),
    ("shape-few", "cylinder(0.2, 2)", "¦cylinder(0.2)", "length"),
    ("shape-many", "cylinder(0.2, 2)", "cylinder(0.2, 2, ¦3)", "cylinder(radius, length)"),
    ("shape-option", "cylinder(0.2, 2)", "cylinder(¦radious: 0.2, length: 2)", "radius"),
    ("shape-parameter", "cuboid(width, length, width) where", "cuboid(width, ¦lenght, width) where",
     "length"),
    ("shape-comma", "cuboid(1, 3, 1), hole", "cuboid(1¦ 3, 1), hole", "','"),
    ("shape-value", "cuboid(1, 3, 1), hole", "cuboid(1,¦ , 1), hole", "value"),
    ("shape-close", "hole: cylinder(0.2, 2) at (0, 1, 0))", "hole: cylinder(0.2, 2) at (0, 1, 0)¦",
     "')'"),
    ("where", "    where begin", "    ¦were begin", "where"),
    ("where-missing", "cuboid(width, length, width) where {", "cuboid(width, length, width)¦ {",
     "where"),
    ("feature-colon", "grip: (0, 1.6, 0)", "grip¦ (0, 1.6, 0)", "':'"),
    ("feature-kind", "axis spin:", "¦axsi spin:", "axis"),
    ("feature-few", "grip: (0, 1.6, 0)", "grip: ¦(0, 1.6)", "add 1"),
    ("feature-many", "grip: (0, 1.6, 0)", "grip: ¦(0, 1.6, 0, 0)", "remove 1"),
    ("feature-twice", "      foot: (0", "      ¦grip: (0, 0, 0)\n      foot: (0", "another"),
    ("feature-close", "top: (0, length / 2, 0)", "top: (0, length / 2, 0¦", "')'"),
    ("feature-empty", "top: (0, length / 2, 0)", "top: ¦()", "(0, 0, 0)"),
    ("feature-reserved", "    face lid: front", "    face lid: front\n    ¦end: (0, 0, 0)", "another"),
    ("feature-value", "top: (0, length / 2, 0)", "top:¦", "value"),
    ("feature-semicolon", "    top: (0, length / 2, 0)\n    bottom",
     "    top: (0, length / 2, 0)¦ bottom", "';'"),
    ("feature-face", "face lid: front", "face lid: ¦frnt", "front"),
    ("feature-axis", "axis spin: ((0, 0, 0), z)", "axis spin: ((0, 0, 0), ¦w)", "z"),
    ("turned-about", "turned 90 deg about x", "turned 90 deg¦", "about"),
    ("dynamics-field", "(mass: 2 kg", "(¦mas: 2 kg", "mass"),
    ("dynamics-moments", "inertia: (1, 2, 3)", "inertia: ¦(1, 2)", "add 1"),
    ("control-quantity", "control: force = push", "control: ¦forse = push", "force"),
    ("control-equals", "control: force = push", "control: force¦ push", "'='"),
    ("control-name", "control: force = push at grip", "control: force =¦", "name"),
    ("control-feature", "push at grip", "push at ¦gripp", "grip"),
    ("control-feature-first", "control: force = push at grip", "control: ¦grip.force = push",
     "write force = push at grip"),
    ("control-feature-twice", "control: force = push at grip",
     "control: ¦grip.force = push at grip", "write force = push at grip"),
    ("control-feature-torque", "control: force = push at grip", "control: ¦grip.torque = push",
     "write torque = push"),
    ("block-missing-end", "  control: force = push at grip\nend\n",
     "  control: force = push at grip¦\n", "end"),
    ("where-missing-end", "      foot: (0, -1.6, 0)\n    end;", "      foot: (0, -1.6, 0)¦", "end"),
    ("where-missing-brace", "    face lid: front\n  }\n", "    face lid: front¦\n", "}"),
    ("block-mixed", "  control: force = push at grip\nend\n",
     "  control: force = push at grip\n¦}\n", "end"),
    ("block-missing-begin", "primitive block begin", "primitive block¦", "{"),
    ("quantity", "width: length", "width: ¦lenght", "length"),
    ("parameter-twice", "width: length = 5 cm)", "width: length = 5 cm, ¦length = 2)", "another"),
    ("parameter-comma", "length: length = 1 m, width", "length: length = 1 m¦ width", "','"),
    # ---- composites
    ("type", "left, right: block", "left, right: ¦blok", "block"),
    ("type-missing", "anchor: fixed_point", "anchor:¦", "type"),
    ("type-colon", "anchor: fixed_point", "anchor¦ fixed_point", "':'"),
    ("type-option", "rod(length: 0.5 m)", "rod(¦lenght: 0.5 m)", "length"),
    ("type-many", "p: pendulum(3)", "p: pendulum(3, ¦4)", "pendulum"),
    ("type-world", "p: pendulum(3)", "p: pendulum(3)\n    q: ¦swing", "type"),
    ("component-twice", "left, right: block", "left, ¦left, right: block", "another"),
    ("component-index", "rod[1..n]: rod", "rod[¦3]: rod", "1.."),
    ("component-semicolon", "    anchor: fixed_point\n    rod", "    anchor: fixed_point¦ rod", "';'"),
    ("components-word", "  components {\n    anchor", "  ¦componets {\n    anchor", "components"),
    ("structure-word", "  structure {\n    join rod", "  ¦strucure {\n    join rod", "structure"),
    ("structure-brace", "and right.foot = 100 N/m * (distance - 1 m)\n  }\n",
     "and right.foot = 100 N/m * (distance - 1 m)¦\n", "}"),
    ("join-word", "join left to", "¦jion left to", "join"),
    ("join-to", "join left to rod[1]", "join left¦ rod[1]", "to"),
    ("join-with", "rod[1] with weld", "rod[1]¦ weld", "with"),
    ("join-with-misspelt", "rod[1] with weld", "rod[1] ¦wiht weld", "with"),
    ("join-matching", "weld matching (grip, tip)", "weld¦ (grip, tip)", "matching"),
    ("join-no-matching", "weld matching (grip, tip)", "weld¦", "matching"),
    ("join-component", "join left to", "join ¦lfet to", "left"),
    ("join-feature", "(grip, tip)", "(¦gripp, tip)", "grip"),
    ("join-feature-second", "(grip, tip)", "(grip, ¦tipp)", "tip"),
    ("join-pair", "(grip, tip)", "¦(grip)", "(feature of the first, feature of the second)"),
    ("join-triple", "(grip, tip)", "(grip, tip, ¦top)", "feature"),
    ("join-hinge", "with weld", "with ¦wled", "weld"),
    ("join-hinge-dotted", "ball.and.socket", "¦ball.and.sockt", "ball.and.socket"),
    ("join-option", "pin(axis: z) as h1", "pin(¦axes: z) as h1", "axis"),
    ("join-direction", "pin(axis: z) as h1", "pin(axis: ¦q) as h1", "x, y, z"),
    ("join-lead", "screw(lead: 2 mm)", "¦screw", "lead"),
    ("join-limits-count", "limits (-90, 90)", "limits ¦(-90, 0, 90)", "(low, high)"),
    ("join-limits-word", "limits (-90, 90)", "¦limts (-90, 90)", "limits"),
    ("join-limits-order", "limits (-90, 90)", "limits ¦(90, -90)", "smaller"),
    ("join-limits-weld", "(grip, tip)", "(grip, tip) limits ¦(0, 1)", "remove"),
    ("join-self", "join left to rod[1]", "join left to ¦left", "another"),
    ("join-breaks", "breaks at 100 N", "breaks¦ 100 N", "at"),
    ("join-index", "join left to rod[1]", "join left to ¦rod", "rod[1]"),
    ("join-not-array", "join left to", "join ¦left[1] to", "left"),
    ("join-bracket", "join left to rod[1] with", "join left to rod[1¦ with", "]"),
    ("join-pairs", "weld matching (grip, tip)", "screw(lead: 1 mm) matching (grip, tip), (foot, top), ¦(grip, top)",
     "remove"),
    ("hinge-name-twice", "screw(lead: 2 mm) matching", "screw(lead: 2 mm) as ¦h1 matching", "another"),
    ("for-in", "for i in 2..n", "for i¦ 2..n", "in"),
    ("for-dots", "for i in 2..n", "for i in 2¦ n", ".."),
    ("for-variable", "rod[i - 1]", "rod[¦j - 1]", "i"),
    ("ignore-with", "ignore left with right", "ignore left¦ right", "with"),
    ("ignore-component", "ignore left with right", "ignore left with ¦rigth", "right"),
    ("force-between", "force pull between left", "force pull ¦betwen left", "between"),
    ("force-and", "left.grip and right", "left.grip¦ right", "and"),
    ("force-feature", "left.grip and", "left.¦grib and", "grip"),
    ("statement-stray", "    ignore left with right\n", "    ignore left with right ¦please\n", "remove"),
    # ---- hinges
    ("hinge-row", "  point (0, 0, 0) of first on plane((0, 0, 0), y)",
     "  ¦piont (0, 0, 0) of first on plane((0, 0, 0), y)", "point"),
    ("hinge-surface", "plane((0, 0, 0), y)", "¦plan((0, 0, 0), y)", "plane"),
    ("hinge-side", "plane((0, 0, 0), y) of second", "plane((0, 0, 0), y) of ¦secnd", "second"),
    ("hinge-same-side", "plane((0, 0, 0), y) of second", "plane((0, 0, 0), y) of ¦first", "second"),
    ("hinge-normal", "plane((0, 0, 0), y)", "¦plane((0, 0, 0))", "normal"),
    # ---- figures
    ("figure-section", "  limits {", "  ¦limts {", "limits"),
    ("figure-chain", "from trunk to upper", "from ¦trnk to upper", "trunk"),
    ("figure-chain-to", "from trunk to upper", "from trunk¦ upper", "to"),
    ("figure-chain-colon", "chain reach: from", "chain reach¦ from", "':'"),
    ("figure-chain-twice", "chain table:", "chain ¦reach:", "another"),
    ("figure-convention", "standard table on", "¦standrd table on", "standard"),
    ("figure-joint", "shoulder: revolute(", "shoulder: ¦revolut(", "revolute"),
    ("figure-joint-option", "prismatic(theta: 0, a: 0, alpha: 0)",
     "prismatic(theta: 0, a: 0, ¦alpa: 0)", "alpha"),
    ("figure-posture", "    elbow: 10 deg", "    ¦elbo: 10 deg", "elbow"),
    ("figure-limits", "elbow: (0, 145 deg)", "elbow: ¦(0, 100, 145 deg)", "(low, high)"),
    ("figure-sensor", "upper.bottom at", "upper.¦botom at", "bottom"),
    # ---- worlds
    ("world-gravity", "gravity: (0", "¦gravty: (0", "gravity"),
    ("world-gravity-count", "(0, -9.81, 0)", "¦(0, -9.81)", "add 1"),
    ("place-word", "place p by", "¦plase p by", "place"),
    ("place-by", "place p by", "place p¦", "by"),
    ("place-at", "floor.center at (0", "floor.center¦ (0", "at"),
    ("place-component", "place p by", "place ¦pp by", "p"),
    ("place-path", "by p.anchor at", "by p.¦ancor at", "anchor"),
    ("place-point", "at (0, height, 0)", "at ¦(0, height)", "add 1"),
    ("place-name", "at (0, height, 0)", "at (0, ¦hieght, 0)", "height"),
    ("place-quantity", "p.rod[1].angle = start", "p.rod[1].¦angel = start", "angle"),
    ("place-property", "properties: (fixed)", "properties: (¦fixd)", "fixed"),
    ("place-index", "p.rod[1].angle = start", "p.rod[¦0].angle = start", "rod[1]"),
    # ---- requests
    ("request-world", "simulate swing(60)", "simulate ¦swign(60)", "swing"),
    ("request-many", "simulate swing(60)", "simulate swing(60, 2, ¦3)", "swing"),
    ("request-clause", "  method: rk4", "  ¦metod: rk4", "method"),
    ("request-colon", "  method: rk4", "  method¦ rk4", "':'"),
    ("request-method", "method: rk4", "method: ¦rk5", "rk4"),
    ("request-twice", "  method: rk4\n", "  method: rk4\n  ¦method: rk4\n", "one"),
    ("request-no-time", "simulate swing(60) {\n  time: (1 ms, 10 s)", "simulate ¦swing(60) {", "time"),
    ("request-time", "(1 ms, 10 s)", "¦(1 ms)", "(1 ms, 60 s)"),
    ("request-time-three", "(1 ms, 10 s)", "¦(1 ms, 2 s, 10 s)", "remove 1"),
    ("request-time-sign", "(1 ms, 10 s)", "(¦-1 ms, 10 s)", "remove"),
    ("report-word", "report: animation every", "report: ¦animaton every", "animation"),
    ("report-every", "animation every 20 ms", "animation ¦evry 20 ms", "every"),
    ("report-monitor", "monitor energy", "monitor¦", "monitor"),
    ("report-quantity", "monitor energy", "monitor ¦enrgy", "energy"),
    ("report-path", "forces of p.rod[1].top", "forces of p.rod[1].¦topp", "top"),
    ("report-comma", "20 ms, events", "20 ms¦ events", "','"),
    ("domains", "(geometric, dynamic)", "(geometric, ¦dynamics)", "dynamic"),
    ("domains-list", "domains: (geometric, dynamic)", "domains: geometric, ¦dynamic",
     "(geometric, dynamic)"),
    ("on-event", "on contact(p.left", "on ¦contct(p.left", "contact"),
    ("on-count", "on contact(p.left, floor)", "on ¦contact(p.left)", "contact(a, b)"),
    ("on-colon", "floor): break", "floor)¦ break", "':'"),
    ("on-action", ": break p.h1", ": ¦brake p.h1", "break"),
    ("on-hinge", "break p.h1", "break p.¦hh", "h1"),
    ("on-component", "contact(p.left, floor)", "contact(p.left, ¦flor)", "floor"),
    ("on-set", "set p.left.w = (0, 0, 1)", "set p.left.w¦ (0, 0, 1)", "'='"),
    ("on-set-quantity", "set p.left.w =", "set p.left.¦wx =", "w"),
    ("on-remove", "remove floor", "remove ¦flor", "floor"),
    ("on-stop", "> 90 deg: stop", "> 90 deg: ¦stpo", "stop"),
    ("on-time", "on time 2 s", "on time ¦2 m", "s"),
    ("on-impact", "on contact(p.left, floor)", "on ¦impct(p.left, floor)", "impact"),
    ("on-with", "contact(p.left, floor): break", "contact(p.left, floor) ¦if p.left.w.z > 1: break",
     "':'"),
    ("on-place", "on p.rod[1].angle > 90 deg", "on ¦p.rod[1].top > 90 deg", ".y"),
    ("on-half", "on p.rod[1].angle > 90 deg", "on p.rod[1].angle > 90 deg and ¦p.rod[1].rate",
     "p.rod[1].rate > 1 rad/s"),
    ("on-turned", "on p.rod[1].angle > 90 deg", "on p.rod[1].¦orientation > 90 deg", "angle"),
    ("on-setting", "set p.left.w = (0, 0, 1)", "set p.left.¦energy = 3", "v, w"),
    ("on-heed", "    remove floor\n", "    heed p.left with ¦flor\n", "floor"),
    ("on-brace", "    remove floor\n  }\n", "    remove floor¦\n", "}"),
    ("pose-figure", "figure: arm", "figure: ¦amr", "arm"),
    ("pose-world", "world: swing(60)", "world: ¦swnig(60)", "swing"),
    ("pose-weight", "3 discomfort", "3 ¦discomfrt", "discomfort"),
]  # fmt: skip


def planted(old: str, new: str) -> tuple[str, int, int]:
    """Return the text with the mistake, and the line and column where it is to be found."""
    assert BASE.count(old) == 1, f"{old!r} stands {BASE.count(old)} times in the text"
    text = BASE.replace(old, new)
    if "¦" not in text:
        raise AssertionError(f"{new!r} does not mark a place")
    at = text.index("¦")
    text = text.replace("¦", "")
    line = text.count("\n", 0, at) + 1
    return text, line, at - (text.rfind("\n", 0, at) + 1) + 1
