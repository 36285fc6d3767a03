"""Labels of points and objects: what is known of whether somebody can do something there."""

from __future__ import annotations

from typing import Final

NOT_FOUND, ACCESSIBLE, PROVED = 0, 1, 2
"""Labels: neither; with a posture as proof; inaccessible, by a bound."""

LABELS: Final = ("not found", "accessible", "inaccessible")
