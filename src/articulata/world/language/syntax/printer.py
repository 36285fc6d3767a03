"""The canonical text of a tree: two blanks a level, braces, one entry a line, comments kept.

``print_file(parse(text))`` printed again is the same text, and parses to the same tree. Sections
stand in the order of ``grammar.SECTIONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from articulata.world.language.source import NOWHERE, Span
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.comments import Attached, attach
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.language.syntax.print_expressions import (
    arguments,
    expression,
    item,
    path,
    range_,
    turns,
)

_SHORT = (tree.Import, tree.Units, tree.Let, tree.MaterialPair)


def print_file(file: tree.File) -> str:
    """Return the canonical text of ``file``; it ends in a line end unless it is empty."""
    printer = _Printer(attach(file))
    last: object = None
    for each in file.items:
        if last is not None and not (isinstance(last, _SHORT) and type(last) is type(each)):
            printer.lines.append("")
        printer.file_item(each)
        last = each
    whole = (0, len(file.source.text))
    closing = printer.comments.closing.get(whole, [])
    if closing and last is not None:
        printer.lines.append("")
    printer.lines.extend(closing)
    return "\n".join(printer.lines) + "\n" if printer.lines else ""


class _Printer:
    """Collects lines; every node that has lines of its own brings its comments along."""

    def __init__(self, comments: Attached) -> None:
        self.lines: list[str] = []
        self.indent = ""
        self.comments = comments

    # ---- lines and blocks

    def line(self, text: str, span: Span = NOWHERE) -> None:
        """Write one line with the comments that lead and trail it."""
        self.lead(span)
        self.lines.append(self.indent + text)
        self.trail(span)

    def lead(self, span: Span) -> None:
        if span != NOWHERE:
            self.lines.extend(self.indent + each for each in self.comments.leading.get(span, ()))

    def trail(self, span: Span) -> None:
        comment = self.comments.trailing.get(span) if span != NOWHERE else None
        if comment:
            self.lines[-1] += "  " + comment

    def block(self, head: str, body: Callable[[], None], span: Span = NOWHERE) -> None:
        """Write ``head {``, the body one level deeper, and ``}``."""
        self.lead(span)
        self.lines.append(f"{self.indent}{head} {{")
        self.indent += "  "
        body()
        if span != NOWHERE:
            self.lines.extend(self.indent + each for each in self.comments.closing.get(span, ()))
        self.indent = self.indent[:-2]
        self.lines.append(self.indent + "}")
        self.trail(span)

    def each(
        self, write: Callable[[tree.Statement], None], nodes: Iterable[tree.Statement]
    ) -> None:
        for node in nodes:
            write(node)

    # ---- items of a file

    def file_item(self, node: tree.FileItem) -> None:
        match node:
            case tree.Import():
                name = f" as {node.name}" if node.name else ""
                self.line(f'import "{node.file}"{name}', node.span)
            case tree.Units():
                self.line(f"units: {', '.join(node.names)}", node.span)
            case tree.Let():
                self.line(f"let {node.name} = {expression(node.value)}", node.span)
            case tree.MaterialPair():
                self.line(_pair(node), node.span)
            case tree.Primitive():
                head = f"primitive {node.name}{_parameters(node.parameters)}"
                self.block(head, lambda: self.primitive(node), node.span)
            case tree.Composite():
                head = f"composite {node.name}{_parameters(node.parameters)}"
                self.block(head, lambda: self.parts(node.components, node.structure), node.span)
            case tree.World():
                head = f"world {node.name}{_parameters(node.parameters)}"
                self.block(head, lambda: self.world(node), node.span)
            case tree.Figure(excerpt=tree.Excerpt() as part):
                gone = ", ".join(map(_named, part.without))
                self.line(f"figure {part.name}: {part.whole} without {gone}", node.span)
            case tree.Figure():
                head = f"figure {node.name}{_parameters(node.parameters)}"
                self.block(head, lambda: self.figure(node), node.span)
            case tree.HingeType():
                head = f"hinge {node.name}{_parameters(node.parameters)}"
                self.block(head, lambda: self.hinge_rows(node.rows), node.span)
            case tree.Request():
                values = arguments(node.arguments) if node.arguments else ""
                head = f"{node.kind} {node.name}{values}"
                self.block(head, lambda: self.request(node), node.span)

    def primitive(self, node: tree.Primitive) -> None:
        if node.properties is not None:
            self.line(f"properties: {arguments(node.properties.fields)}", node.properties.span)
        if node.geometry is not None:
            self.geometry(node.geometry)
        if node.look is not None:
            self.line(f"look: {expression(node.look)}", node.look.span)
        if node.dynamics is not None:
            given = f": {arguments(node.dynamics.fields)}" if node.dynamics.fields else ""
            self.line(f"dynamics{given}", node.dynamics.span)
        if node.control is not None:
            shown = ", ".join(map(_binding, node.control.bindings))
            self.line(f"control: {shown}", node.control.span)
        if node.interference is not None:
            shown = ", ".join(map(expression, node.interference.levels))
            self.line(f"interference: {shown}", node.interference.span)

    def geometry(self, node: tree.Geometry) -> None:
        shape = "none" if node.shape is None else expression(node.shape)
        if not node.features:
            self.line(f"geometry: {shape}", node.span)
            return

        def body() -> None:
            for each in node.features:
                kind = f"{each.kind} " if each.kind else ""
                self.line(f"{kind}{each.name}: {expression(each.value)}", each.span)

        self.block(f"geometry: {shape} where", body, node.span)

    def parts(
        self, components: tuple[tree.Component, ...], structure: tuple[tree.Statement, ...]
    ) -> None:
        if components:

            def body() -> None:
                for each in components:
                    self.line(_component(each), each.span)

            self.block("components", body)
        if structure:
            self.block("structure", lambda: self.each(self.statement, structure))

    def world(self, node: tree.World) -> None:
        if node.gravity is not None:
            self.line(f"gravity: {expression(node.gravity)}", node.gravity.span)
        self.parts(node.components, node.structure)

    def hinge_rows(self, rows: tuple[tree.HingeRow, ...]) -> None:
        for row in rows:
            self.line(
                f"point {expression(row.point)} of {row.point_of} "
                f"on {expression(row.surface)} of {row.surface_of}",
                row.span,
            )

    # ---- structure

    def statement(self, node: tree.Statement) -> None:
        if isinstance(node, tree.For):
            self.block(
                f"for {node.name} in {range_(node.range)}",
                lambda: self.each(self.statement, node.body),
                node.span,
            )
        else:
            self.line(_statement(node), node.span)

    # ---- figures

    def figure(self, node: tree.Figure) -> None:
        if node.up is not None:
            self.line(f"up: {expression(node.up)}", node.up.span)
        self.parts(node.components, node.structure)
        for chain in node.chains:
            self.chain(chain)
        for posture in node.postures:
            self.entries(f"posture {_label(posture.name)}", posture.entries, posture.span)
        for motion in node.motions:
            self.motion(motion)
        for word, found in (
            ("limits", node.limits), ("sensors", node.sensors), ("landmarks", node.landmarks)
        ):  # fmt: skip
            if found:
                self.entries(word, found)
            if word == "limits":
                for limits in node.limit_sets:
                    self.entries(f"limits {_label(limits.name)}", limits.entries, limits.span)

    def motion(self, node: tree.Motion) -> None:
        def body() -> None:
            for each in node.keys:
                self.line(key(each), each.span)
            for each_said in settings(node):
                self.line(each_said)

        self.block(f"motion {_label(node.name)}", body, node.span)

    def chain(self, node: tree.Chain) -> None:
        course = node.course
        head = f"chain {_label(node.name)}:"
        if isinstance(course, tree.Route):
            self.line(f"{head} from {_named(course.start)} to {_named(course.end)}", node.span)
            return
        base = f" on {_named(course.base)}" if course.base else ""
        base += _place(course.at, course.turns)

        def body() -> None:
            for row in course.rows:
                place = _place(row.at, row.turns)
                self.line(f"{_label(row.name)}: {expression(row.joint)}{place}", row.span)

        self.block(f"{head} {course.convention} table{base}", body, node.span)

    def entries(self, head: str, found: tuple[tree.Entry, ...], span: Span = NOWHERE) -> None:
        def body() -> None:
            for each in found:
                self.line(f"{_named(each.path)}: {expression(each.value)}", each.span)

        self.block(head, body, span)

    # ---- requests

    def request(self, node: tree.Request) -> None:
        for clause in node.clauses:
            self.line(f"{clause.name}: {', '.join(map(item, clause.items))}", clause.span)
        for reaction in node.reactions:
            self.reaction(reaction)

    def reaction(self, node: tree.On) -> None:
        head = f"on {item(node.event)}"
        kept = any(
            each.span in self.comments.leading or each.span in self.comments.trailing
            for each in node.actions
        )
        if len(node.actions) == 1 and not kept and node.span not in self.comments.closing:
            self.line(f"{head}: {_action(node.actions[0])}", node.span)
            return

        def body() -> None:
            for each in node.actions:
                self.line(_action(each), each.span)

        self.block(head, body, node.span)


def _parameters(values: tuple[tree.Parameter, ...]) -> str:
    if not values:
        return ""
    shown = []
    for each in values:
        quantity = f": {each.quantity}" if each.quantity else ""
        within = _after(" within ", each.within)
        within += f" called ({', '.join(each.called)})" if each.called else ""
        shown.append(f"{each.name}{quantity}{within}{_after(' = ', each.default)}")
    return f"({', '.join(shown)})"


def _binding(value: tree.Binding) -> str:
    at = f" at {path(value.at)}" if value.at else ""
    return f"{value.quantity} = {path(value.controller)}{at}"


def _component(value: tree.Component) -> str:
    names = ", ".join(
        f"{each.name}[{range_(each.range)}]" if each.range else each.name for each in value.names
    )
    values = arguments(value.arguments) if value.arguments else ""
    return f"{names}: {path(value.type)}{values}{_after(' scaled ', value.scale)}"


def _statement(
    node: tree.Follows
    | tree.Driven
    | tree.Join
    | tree.Place
    | tree.Ignore
    | tree.Force
    | tree.Moment
    | tree.Gear,
) -> str:
    match node:
        case tree.Follows():
            return follows(node)
        case tree.Driven():
            return f"{path(node.hinge)}{_by(node)}"
        case tree.Join():
            return _join(node)
        case tree.Place():
            return f"place {path(node.target)} by {_clauses(node.clauses)}"
        case tree.Ignore():
            return f"ignore {path(node.first)} with {path(node.second)}"
        case tree.Force():
            ends = " and ".join(map(path, (node.first, node.second, *node.further)))
            rate = _after(" integrating ", node.integrating)
            return f"force {node.name} between {ends} = {expression(node.value)}{rate}"
        case tree.Moment():
            rate = _after(" integrating ", node.integrating)
            return f"force {node.name} about {path(node.hinge)} = {expression(node.value)}{rate}"
        case tree.Gear():
            ends = f"{_sum(node.first)} and {_sum(node.second)}"
            what = "cam" if node.cam else "gear"
            return f"{what} {node.name} between {ends} = {expression(node.value)}"


def _sum(values: tuple[tree.Addend, ...]) -> str:
    shown = "".join(f" {'-' if each.sign < 0 else '+'} {path(each.path)}" for each in values)
    return shown[3:] if values[0].sign > 0 else f"-{shown[3:]}"


def _after(words: str, value: tree.Expression | None) -> str:
    """Return a value after its words; nothing where there is none."""
    return "" if value is None else f"{words}{expression(value)}"


def _join(node: tree.Join) -> str:
    options = arguments(node.options) if node.options else ""
    pairs = ", ".join(f"({path(each.first)}, {path(each.second)})" for each in node.matching)
    said = (
        f"join {path(node.first)} to {path(node.second)} with {path(node.hinge)}{options}",
        f" as {node.name}" if node.name else "",
        f" matching {pairs}" if pairs else "",
        " closing" if node.closing else "",
        _after(" limits ", node.limits),
        _after(" restitution ", node.restitution),
        "" if node.friction is None else f" friction{arguments(node.friction.arguments)}",
        _after(" breaks at ", node.strength),
        _by(node),
    )
    return "".join(said)


def _by(node: tree.Join | tree.Driven) -> str:
    by = _after(" driven by ", node.driver)
    return by if node.motor is None else by + arguments(node.motor)


def _pair(node: tree.MaterialPair) -> str:
    return f"contact {path(node.first)} with {path(node.second)}: {arguments(node.fields)}"


def _clauses(values: tuple[tree.PlaceClause, ...]) -> str:
    return ", ".join(map(_clause, values))


def _clause(value: tree.PlaceClause) -> str:
    match value:
        case tree.PlaceAt():
            return f"{path(value.path)} at {expression(value.at)}{turns(value.turns)}"
        case tree.PlaceSet():
            return f"{path(value.path)} = {expression(value.value)}"
        case tree.Properties():
            return f"properties: {arguments(value.fields)}"


def _label(name: str) -> str:
    return name if is_bare(name) else f'"{name}"'


def _named(value: tree.Path) -> str:
    return _label(value.simple) if value.simple else path(value)


def _place(at: tree.Expression | None, turned: tuple[tree.Turn, ...]) -> str:
    return f"{_after(' at ', at)}{turns(turned)}"


def _action(node: tree.Action) -> str:
    match node:
        case tree.Break():
            return f"break {path(node.target)}"
        case tree.Remove():
            return f"remove {path(node.target)}"
        case tree.Set():
            return f"set {path(node.target)} = {expression(node.value)}"
        case tree.Add():
            clauses = f" by {_clauses(node.clauses)}" if node.clauses else ""
            return f"add {_component(node.component)}{clauses}"
        case tree.Start():
            return f"start {path(node.target)}"
        case tree.Stop():
            return "stop"
        case tree.MaterialPair():
            return _pair(node)
        case tree.Heed():
            return f"heed {path(node.first)} with {path(node.second)}"
        case tree.Join() | tree.Place() | tree.Ignore():
            return _statement(node)


# ---- the canonical text of motions and of who follows them


def key(value: tree.Key) -> str:
    """Return a key frame."""
    said = [] if value.posture is None else [_label(value.posture)]
    if value.joints:
        shown = (f"{_named(each.path)}: {expression(each.value)}" for each in value.joints)
        said.append(f"({', '.join(shown)})")
    if value.place is not None:
        where = value.place
        said.append(f"{_named(where.path)} at {expression(where.at)}{turns(where.turns)}")
    return f"{expression(value.time)}: {', '.join(said)}"


def settings(value: tree.Motion) -> Iterator[str]:
    """Yield what a motion says beside its key frames."""
    if value.ease is not None:
        yield f"ease: {value.ease}"
    if value.repeat is not None:
        yield f"repeat {expression(value.repeat)}"
    if value.blend is not None:
        yield f"blend: {expression(value.blend)}"


def follows(value: tree.Follows) -> str:
    """Return who follows which motion, from when on and where."""
    where = f"{_after(' from ', value.start)}{_place(value.at, value.turns)}"
    by = _after(" by ", value.drive)
    return f"{path(value.target)} follows {_label(value.motion)}{where}{by}"
