"""What was decided last about the contacts of one mechanism, for whoever asks once more.

Right after an edit the same state is looked at for the frame that is recorded, for the conditions
that may hold by now and for the way on: what touches there and presses is one and the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.paradox import Jam
from articulata.domains.dynamic.contact.states import decide
from articulata.domains.dynamic.contact.touches import Touch
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array


class Decisions:
    """Decides which contacts stay closed; the last answer is kept.

    Where controls act, or friction is given by a rule that remembers, it is asked anew.
    """

    def __init__(self, forces: Forces) -> None:
        self._forces = forces
        self._keeping = forces.friction is None and not forces.engine.parts.drives
        self._asked: tuple[float, Array, tuple[tuple[int, ...], ...]] | None = None
        self._made: Closed | Jam | None = None
        self._plan: object = None

    def at(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Closed | Jam:
        """Return which of the touches stay closed at ``state``, and how, or what jams."""
        if not self._keeping:
            return decide(self._forces, touches, state, time, control)
        keys = tuple(touch.key for touch in touches)
        made = self._made if self._is_known(keys, state, time) else None
        if made is None:
            made = decide(self._forces, touches, state, time, control)
            self._asked, self._made = (time, state.copy(), keys), made
            self._plan = self._forces.shared
        # forces are solved for in what is handed out
        return made.copied() if isinstance(made, Closed) else made

    def _is_known(self, keys: tuple[tuple[int, ...], ...], state: Array, time: float) -> bool:
        if self._asked is None or self._plan is not self._forces.shared:
            return False
        then, there, before = self._asked
        return then == time and before == keys and np.array_equal(there, state)
