"""Orientation sensors in a file: lines ``station,time,w,x,y,z``, as they were sent."""

from __future__ import annotations

import math
from pathlib import Path

from articulata.devices.clocks import GAP, told_set_back
from articulata.devices.orientation.sensor_readings import NoReading, read_line, sample_of
from articulata.errors import FormatError
from articulata.records.samples import Sample


def read_table(path: Path) -> tuple[list[Sample], str]:
    """Return the samples of a file, in the order of their times, and what there is to say of it.

    Raise FormatError with the line. A first line of names is left out, and so are empty lines and
    those that begin with "#". Where a station's clock was set back, times go on from there.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} cannot be read ({error})") from error
    found: list[Sample] = []
    begun = False
    notice, back = "", 0.0
    before: dict[int, tuple[float, float]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            reading = read_line(line)
        except NoReading as error:
            if not begun and not line[:1].isdigit():
                begun = True
                continue
            raise FormatError(f"{path}:{number}: {error}") from None
        begun = True
        if math.isnan(reading.time):
            raise FormatError(f"{path}:{number}: in a file every line needs its time")
        time = reading.time + back
        last, step = before.get(reading.station, (time, 0.0))
        if time < last - GAP:
            notice = told_set_back(f"the clock in {path.name}, line {number},", last - time)
            back += last + step - time
            time = last + step
        before[reading.station] = time, time - last
        found.append(sample_of(reading, time, time))
    if not found:
        raise FormatError(f"{path} holds no line station,time,w,x,y,z")
    return sorted(found, key=lambda sample: sample.time), notice
