"""What leaves a page is hidden at once and removed when others leave later."""

from __future__ import annotations

from articulata.report.viewer.conversation import Leaving
from articulata.report.viewer.serving import serve, stop


def test_what_leaves_is_hidden_first_and_removed_when_others_leave() -> None:
    server, _ = serve("127.0.0.1", None)
    try:
        leaving, patient, gui = Leaving(0.0), Leaving(), server.gui
        with gui.add_folder("a") as folder:
            slider = gui.add_slider("b", 0.0, 1.0, 0.1, 0.5)
        note, panel = gui.add_markdown("c"), gui.add_panel()
        leaving.put([slider, folder, panel])
        patient.put([note])
        for each in (slider, folder, panel, note):
            assert not each.visible
            assert not each._impl.removed
        folder.remove()  # and the slider with it
        leaving.put([gui.add_markdown("d")])
        patient.put([gui.add_markdown("e")])
        assert panel._impl.removed
        assert not note._impl.removed
    finally:
        stop(server)
