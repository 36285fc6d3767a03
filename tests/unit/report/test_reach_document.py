"""What the page of reach says is to be changed, and that the lines to write make the change."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import articulata as art
from articulata.report.reach_document import document
from rooms import TEXT

ROOM = TEXT.replace("  points: grid 30 cm in floor\n", "").replace(
    "person: human_upper_body on foot, human_upper_body on wheelchair",
    "person: human_upper_body on wheelchair",
)


def page_of(text: str) -> tuple[art.ReachMap, str]:
    reached = art.reach(art.parse(text).requests[0])
    return reached, unescape(document(reached))


def test_the_line_to_write_mends_the_verdict() -> None:
    text = ROOM.format(shelf=1.95).replace("objects: counter.front, ", "objects: ")
    reached, page = page_of(text)
    (verdict,) = reached.verdicts
    assert verdict.remedy is not None
    assert str(verdict.remedy) == "lower 'shelf' by 40 cm"
    line = "place shelf by shelf.center at (-0.6 m, 1.55 m, 0.15 m)"
    assert "<td>lower 'shelf' by 40 cm</td><td>shelf.front, manual wheelchair</td>" in page
    assert f"<code>{line}</code>" in page
    assert "; 1 object</p>" in page
    assert "0 of 1 object reached" in page
    changed = re.sub(r"place shelf by .*", line, text)
    again, after = page_of(changed)
    assert again.verdicts[0].accessible
    assert "What to change" not in after


def test_what_a_code_wants_to_know_is_told_with_what_to_write() -> None:
    text = (
        ROOM.format(shelf=1.4)
        .replace("shelf:", "toilet: block(0.4, 0.4, 0.6); shelf:")
        .replace("place door", "place toilet by toilet.center at (0.6, 0.2, 0.3)\n    place door")
    )
    reached, page = page_of(text.replace("approach:", "rules: ada_2010\n  approach:"))
    (asked,) = [f for f in reached.findings if f.section == "604.4" and f.object == "toilet"]
    assert not asked.told
    assert (
        "<td>'toilet': tell where its seat is</td>"
        "<td>ada_2010 604.2; ada_2010 604.3.1; ada_2010 604.4</td>"
        "<td><code>seat: (x, y, z), the middle of its seat, into where { } of 'block'</code></td>"
    ) in page
    missed = [f for f in reached.findings if f.told and not f.met]
    assert all(f"<td>'{f.object}': {f.words}</td>" in page for f in missed)


def test_who_was_asked_about_is_told_with_hands_and_conditions() -> None:
    text = ROOM.format(shelf=1.4).replace(
        "shelf.front\n", "shelf.front\n  hands: left\n  condition: stroke right\n"
    )
    reached = art.reach(art.parse(text).requests[0], remedies=False)
    hips = round(100 * reached.settings["hips"]["manual wheelchair"])
    page = unescape(document(reached))
    assert f"; hips at {hips} cm; " in page
    assert "; the left hand alone; stroke right</td>" in page
    measured = replace(reached, person="person(1.62 m, 60 kg, woman, arm_reach: 0.74 m)")
    page = unescape(document(measured))
    lifted = reached.X_WG.copy()
    lifted[1, 3] += 0.2  # a floor 20 cm higher
    for floor, high in ((reached.X_WG, "1.42"), (lifted, "1.22")):
        page = unescape(document(replace(measured, X_WG=floor)))
        assert f'<th>shelf.front<br><span class="soft">{high} m above the floor</span>' in page
    page = unescape(document(measured))
    assert '<p class="soft">woman, 1.62 m, 60 kg; ' in page
    assert "<td>woman, 1.62 m, 60 kg; measured: wall to thumb, arm ahead 0.74 m</td>" in page


def test_joints_are_words_names_are_the_texts_and_walls_have_no_label() -> None:
    text = ROOM.format(shelf=1.4).replace("shelf", "high_shelf")
    text = text.replace("objects:", "points: grid 40 cm in floor\n  rules: ada_2010\n  objects:")
    reached = art.reach(art.parse(text).requests[0], remedies=False)
    outlines = tuple(replace(each, name="wall_3_2") for each in reached.plan[:1])
    told = "on foot: l_elbow_flexion and r_wrist_flexion end at their limits"
    said = {**reached.settings, "notes": [told]}
    page = unescape(document(replace(reached, plan=outlines, settings=said)))
    assert "left elbow flexion and right wrist flexion end" in page
    assert "<th>high_shelf.front" in page
    assert "wall_3" not in page
    # the picture comes before long lists
    assert page.index('id="map"') < page.index("What building codes ask for")
    assert re.search(r'<p id="subject" contenteditable="plaintext-only" [^>]*></p>', page)
