"""What else a viewer's user may ask for, where somebody is there to do it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offers:
    """``orders``: a run is under way and takes orders, among them to start ``sequences``.

    ``undo``: an edit can be taken back and the run gone on with. ``runs`` are the names of the
    motions that can be chosen, ``run`` that of the one on show.
    """

    orders: bool = False
    sequences: tuple[str, ...] = ()
    undo: bool = False
    runs: tuple[str, ...] = ()
    run: str = ""


NO_OFFERS = Offers()
