"""A Fastrak's bytes: every item both ways, cut anywhere, damaged and found again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.emulated_unit import Damage, EmulatedUnit
from articulata.devices.fastrak.protocol import Format, commands
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample, Samples

FIRST = Sample(1, 0.5, 0.5, (1.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.3))

ITEMS = {1: (2, 4, 1), 2: (2, 11, 1), 3: (5, 6, 7, 0), 4: (2, 11, 16, 1)}


def source(station: int, time: float) -> Array:
    """Sensors that turn and move, each in its own way."""
    X = np.eye(4)
    w = np.array((0.3 * station, 0.7, -0.2)) * (1.0 + time)
    X[:3, :3] = Rotation.from_rotation_vector(w).to_matrix()
    X[:3, 3] = 0.3, 0.05 * station, 0.1 * math.sin(time)
    return X


def unit(form: Format, **more: object) -> EmulatedUnit:
    made = EmulatedUnit(source, np.random.default_rng(1), rate=60.0, **more)  # type: ignore[arg-type] # what a test chooses
    made.receive(commands(form) + b"C", 0.0)
    return made


def stream(form: Format, until: float, **more: object) -> bytes:
    made = unit(form, **more)
    return b"".join(made.due(time) for time in np.arange(0.0, until, 0.05))


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("length", ["cm", "inch"])
def test_every_item_comes_back(binary: bool, length: str) -> None:
    form = Format(ITEMS, binary, length)
    decoder = FastrakDecoder(form)
    samples = decoder.feed(stream(form, 2.0), 5.0)
    assert len(samples) == 118
    # four digits of a quaternion, two of an angle in degrees and of a place in inches or cm
    turn, place = (1e-6, 1e-6) if binary else (2.5e-4, 0.5e-2 * 0.0255)
    for number, sample in enumerate(samples):
        true = source(sample.station, number / 60.0)
        here = Rotation.from_quaternion(np.array(sample.q))
        assert here.distance(Rotation.from_matrix(true[:3, :3])) < turn
        if sample.station == 3:
            assert all(map(math.isnan, sample.p))
        else:
            np.testing.assert_allclose(sample.p, true[:3, 3], atol=place)
        assert sample.arrival == 5.0
        assert not sample.button
    report = decoder.report()
    assert (report.samples, report.skipped, dict(report.damaged)) == (118, 0, {})


@settings(max_examples=8)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.booleans())
def test_how_bytes_are_cut_makes_no_difference(cuts: list[int], binary: bool) -> None:
    form = Format(ITEMS, binary)
    data = stream(form, 0.6)
    whole = FastrakDecoder(form).feed(data, 0.0)
    decoder, found, at = FastrakDecoder(form), [], 0
    while at < len(data):
        for cut in cuts:
            found += decoder.feed(data[at : at + cut], 0.0)
            at += cut
    assert found == whole


def test_a_second_unit_counts_on() -> None:
    form = Format()
    decoder = FastrakDecoder(form, first=5)
    assert {s.station for s in decoder.feed(stream(form, 0.2), 0.0)} == {5, 6, 7, 8}


@pytest.mark.parametrize("binary", [True, False])
def test_a_record_that_is_cut_short_costs_no_other(binary: bool) -> None:
    form = Format(binary=binary)
    data = stream(form, 0.5)
    length = form.length(1)
    torn = data[: 3 * length] + data[3 * length + 7 :]
    decoder = FastrakDecoder(form)
    found = decoder.feed(torn, 0.0)
    whole = FastrakDecoder(form).feed(data, 0.0)
    assert found == whole[:3] + whole[4:]
    assert sum(decoder.report().damaged.values()) == 1
    assert decoder.report().skipped == length - 7


def test_answers_are_no_records() -> None:
    made = unit(Format(binary=False))
    data = made.due(0.1) + made.receive(b"S", 0.1) + made.receive(b"l1\r", 0.1) + made.due(0.2)
    decoder = FastrakDecoder(Format(binary=False))
    assert len(decoder.feed(data, 0.0)) == 13
    assert len(decoder.answers) == 2
    assert "ARTICULATA" in decoder.answers[0]
    assert decoder.answers[1] == "21l1111"
    assert len(made.receive(b"S", 0.1)) == 55


@pytest.mark.parametrize(("binary", "most_wrong"), [(True, 0.07), (False, 0.03)])
@pytest.mark.parametrize("seconds", [20.0, pytest.param(120.0, marks=pytest.mark.slow)])
def test_every_good_record_between_damages_is_recovered(
    seconds: float, binary: bool, most_wrong: float
) -> None:
    """One byte in a hundred is flipped, dropped or doubled; what was not touched comes out."""
    form = Format(binary=binary)
    made, rng, damage = unit(form), np.random.default_rng(3), Damage(0.0034, 0.0033, 0.0033)
    decoder, length = FastrakDecoder(form), form.length(1)
    whole, found, untouched, arrived = set(), set(), set(), b""
    for time in np.arange(0.0, seconds, 0.05):
        data = made.due(time)
        for at in range(0, len(data), length):
            record = data[at : at + length]
            damaged = damage(record, rng)
            (good,) = FastrakDecoder(form).feed(record, 0.0)
            whole.add(good)
            if damaged == record:
                untouched.add(good)
            arrived += damaged
        # what is read ends anywhere
        cut = int(rng.integers(0, len(arrived) + 1))
        found |= set(decoder.table(arrived[:cut], 0.0))
        arrived = arrived[cut:]
    found |= set(decoder.table(arrived, 0.0))
    assert len(untouched) > 0.4 * 60.0 * seconds
    assert untouched - found == set()
    # a flipped bit of a position or of the last digits of an orientation cannot be seen
    assert len(found - whole) < most_wrong * len(whole)
    assert sum(decoder.report().damaged.values()) > 2.0 * seconds


@pytest.mark.parametrize("unit_of_length", ["cm", "inch"])
def test_a_table_holds_what_is_read_one_by_one(unit_of_length: str) -> None:
    """The kernel against its twin: whole streams, damaged ones, cut anywhere."""
    form = Format(unit=unit_of_length)
    made, rng, damage = unit(form), np.random.default_rng(7), Damage(0.001, 0.001, 0.001)
    fast, slow = FastrakDecoder(form, first=5), FastrakDecoder(form, first=5)
    count = 0
    for number, time in enumerate(np.arange(0.0, 20.0, 0.05)):
        data = made.due(time)
        data = damage(data, rng) if number % 3 == 0 else data
        cut = int(rng.integers(0, len(data) + 1)) if number % 5 == 0 else len(data)
        for part in (data[:cut], data[cut:]):
            # of another unit whose records came first
            before = Samples.of([FIRST] * (number % 3)) if number % 2 else None
            table = fast.table(part, time, before)
            known = 0 if before is None else len(before)
            assert list(table) == [FIRST] * known + slow.feed(part, time)
            count += len(table) - known
    assert count > 900
    assert fast.report() == slow.report()
    assert sum(slow.report().damaged.values()) > 10


def test_a_quaternion_of_another_length_is_no_record() -> None:
    form = Format({1: (11, 1)})
    bad = b"01 " + np.array((1.0, 0.5, 0.0, 0.0), "<f4").tobytes() + b"\r\n"
    good = b"01 " + np.array((0.8, 0.6, 0.0, 0.0), "<f4").tobytes() + b"\r\n"
    decoder = FastrakDecoder(form)
    (sample,) = decoder.feed(bad + good, 0.0)
    np.testing.assert_allclose(sample.q, (0.8, 0.6, 0.0, 0.0), atol=1e-7)
    assert dict(decoder.report().damaged) == {"orientation of another length than 1": 1}
    nan = b"01 " + np.array((np.nan, 0.6, 0.0, 0.0), "<f4").tobytes() + b"\r\n"
    assert FastrakDecoder(form).feed(nan, 0.0) == []


def test_error_letters_and_the_stylus_are_told() -> None:
    form = Format({1: (11, 16, 1)}, binary=False)
    (sample,) = FastrakDecoder(form).feed(b"01B 1.0000 0.0000 0.0000 0.0000 1\r\n", 0.0)
    assert (sample.error, sample.button) == ("B", True)


def test_formats_that_are_none() -> None:
    with pytest.raises(ModelError, match="item 99"):
        Format({1: (99,)})
    with pytest.raises(ModelError, match="stations 1 to 4"):
        Format({5: (2,)})
    with pytest.raises(ModelError, match="inch or cm"):
        Format(unit="mile")
