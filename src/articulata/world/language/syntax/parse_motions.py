"""Parsing motions: key frames of postures, joint values and places, and who follows them."""

from __future__ import annotations

from articulata.world.language.meant_words import closest
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.parse_expressions import expression, path, quoted, turnings
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.recovery import block

_FOLLOWS = ("follows",)
_VERBS = (*_FOLLOWS, "driven")

TIMES = ("s", "ms", "min")


def motion(r: Reader) -> t.Motion:
    """Parse ``name { key frames }``; the word ``motion`` has been read."""
    first = r.i - 1
    at = r.i
    name = _name(r, "for a motion").simple
    span = r.token_span(at)
    keys: list[t.Key] = []
    said: dict[str, t.Expression] = {}
    ease: list[str] = []
    ease_span = r.token_span(at)

    def entry(r: Reader) -> None:
        nonlocal ease_span
        word, following = r.words[r.i], r.kinds[r.i + 1]
        meant = closest(word, ("ease", "repeat", "blend")) if r.kinds[r.i] == "name" else ""
        if meant and word != meant and following in (":", "number"):
            r.error_here("unknown-word", f"'{word}' is not known here", f"did you mean '{meant}'?")
            word = meant
        if word == "ease" and following == ":":
            r.i += 2
            ease_span = r.token_span(r.i)
            ease.append(r.name("for how the motion goes on, such as smooth"))
        elif word == "blend" and following == ":":
            r.i += 2
            said["blend"] = expression(r)
        elif word == "repeat" and following in (":", "number", "name", "("):
            r.i += 2 if following == ":" else 1
            at, times = r.token_span(r.i - 1), expression(r)
            said["repeat"] = times
            if following == ":":
                shown = f"write repeat {r.text[slice(*times.span)]}"
                r.findings.warning("stray", at, "no ':' stands after 'repeat'", shown)
        else:
            keys.append(_key(r))

    block(r, f"motion '{name}'", entry)
    return t.Motion(
        name, tuple(keys), ease[-1] if ease else None, said.get("repeat"), said.get("blend"),
        span=r.span_from(first), name_span=span, ease_span=ease_span,
    )  # fmt: skip


def _name(r: Reader, what: str) -> t.Path:
    return quoted(r) if r.kinds[r.i] == "text" else path(r, what)


def _key(r: Reader) -> t.Key:
    first = r.i
    if r.kinds[first] in ("name", "at") and r.kinds[first + 1] == "number":
        r.error_here(
            "stray", "a key frame begins with its time alone",
            f"remove '{r.words[first]}', and write a time: 0.5 s",
        )  # fmt: skip
        r.i += 1
    if r.kinds[first : first + 3] == ["name", "at", "number"]:
        return _posture_first(r)
    time = expression(r)
    r.sign(":", "after the time of this key frame")
    posture, span = None, (-1, -1)
    joints: list[t.Entry] = []
    place: t.PlaceAt | None = None
    while True:
        at = r.i
        if r.kinds[at + 1] == ":" and not r.new_line(at):
            _put_in_parentheses(r, first)
        if r.kinds[at] == "(":
            joints += _joints(r)
        else:
            what = _name(r, "of a posture, or of what stands at a point")
            if r.kinds[r.i] == "at" and not (r.new_line(r.i) and r.kinds[r.i + 1] == "number"):
                r.i += 1
                point = expression(r)
                place = t.PlaceAt(what, point, turnings(r), span=r.span_from(at))
            else:
                posture, span = what.text, r.span_from(at)
        if r.kinds[r.i] != ",":
            return t.Key(
                time, posture, tuple(joints), place, span=r.span_from(first), posture_span=span
            )
        r.i += 1


def _put_in_parentheses(r: Reader, first: int) -> None:
    """Report joints that stand bare behind the time of a key frame, and read them as meant."""
    at = end = r.i
    while not r.new_line(end + 1) and r.kinds[end + 1] not in (";", "}", "end", "eof"):
        end += 1
    shown = f"{r.text[r.starts[first] : r.starts[at]]}({r.text[r.starts[at] : r.spans[end][1]]})"
    r.error_here("missing-sign", "the joints of a key frame stand in ( )", f"write {shown}")
    r.i = end + 1
    r.insert(")")
    r.i = at
    r.insert("(")


def _posture_first(r: Reader) -> t.Key:
    """Report ``low at 2 s`` where ``2 s: low`` is meant, the first of them, and read it as that."""
    first, name = r.i, r.words[r.i]
    r.i += 2
    time = expression(r)
    if "at" not in r.renamed:
        shown = f"write {r.text[slice(*time.span)]}: {name}"
        told = "the time of a key frame stands before its posture"
        r.findings.error("missing-sign", r.token_span(first), told, shown)
    r.renamed.add("at")
    span = r.token_span(first)
    return t.Key(time, name, (), None, span=r.span_from(first), posture_span=span)


def _joints(r: Reader) -> list[t.Entry]:
    """Parse ``(elbow: 30 deg, "hip 1": 10 deg)``."""
    r.i += 1
    found: list[t.Entry] = []
    r.parens += 1
    while r.kinds[r.i] != ")":
        first = r.i
        what = _name(r, "of a joint")
        r.sign(":", f"after '{what.text}'")
        found.append(t.Entry(what, expression(r), span=r.span_from(first)))
        if r.kinds[r.i] == ",":
            r.i += 1
        elif r.kinds[r.i] != ")":
            r.error_before("missing-sign", "')' is missing", "add ')' here")
            r.parens -= 1
            return found
    r.parens -= 1
    r.i += 1
    return found


def begins_verb(r: Reader) -> str:
    """Return ``follows`` or ``driven``, or a word like these, behind a path on one line, or ""."""
    i = r.i
    if r.kinds[i] != "name":
        return ""
    inside = 0
    while not r.new_line(i + 1):
        i += 1
        inside += (r.kinds[i] == "[") - (r.kinds[i] == "]")
        part = r.kinds[i] in (".", "[", "]", "text") or r.kinds[i - 1] == "."
        if not (part or inside):
            break
    begins = r.kinds[i] == "name" and not r.new_line(i) and closest(r.words[i], _VERBS)
    return r.words[i] if begins else ""


def follows(r: Reader) -> t.Follows:
    """Parse ``anna follows walk from 1 s at point turned ... by servo(...), balance(...)``."""
    first = r.i
    target = path(r, "of a figure")
    if r.words[r.i] not in _FOLLOWS:
        r.error_here("unknown-word", f"{r.shown()} is not a statement", "did you mean 'follows'?")
    r.i += 1
    if (
        r.words[r.i] in ("action", "motion")
        and r.kinds[r.i + 1] == "name"
        and not r.new_line(r.i + 1)
    ):
        told = "a figure follows a motion by its name alone"
        r.error_here("stray", told, f"write follows {r.words[r.i + 1]}")
        r.i += 1
    called = _name(r, "of a motion after 'follows'")
    start = at = drive = balance = None
    timed = r.kinds[r.i] == "at" and r.kinds[r.i + 1] == "number" and r.words[r.i + 2] in TIMES
    if (timed or r.words[r.i] in ("after", "since", "starting")) and not r.new_line(r.i):
        r.error_here("unknown-word", f"'{r.words[r.i]}' cannot stand here", "write 'from'")
        r.words[r.i] = "from"
    if r.words[r.i] == "from":
        r.i += 1
        start = expression(r)
    if r.kinds[r.i] == "at":
        r.i += 1
        at = expression(r)
    turns = turnings(r)
    if r.words[r.i] == "by" and not r.new_line(r.i):
        r.i += 1
        drive = expression(r)
        if r.kinds[r.i] == ",":
            r.i += 1
            balance = expression(r)
    return t.Follows(
        target,
        called.simple,
        start,
        at,
        turns,
        drive,
        balance,
        span=r.span_from(first),
        motion_span=called.span,
    )
