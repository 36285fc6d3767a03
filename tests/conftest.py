"""Fixtures shared by all tests; shape checks switched on before the package is imported."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

import shape_checks

ROOT = Path(__file__).parent.parent


# A timing is never a verdict, and the same checkout gives the same verdict twice.
settings.register_profile("articulata", deadline=None, derandomize=True, max_examples=30)
settings.register_profile(
    "articulata at length", settings.get_profile("articulata"), max_examples=100
)
settings.load_profile("articulata")

shape_checks.install()


@pytest.fixture(scope="session")
def material() -> Path:
    """The folder of reference material that is not part of the product."""
    return Path(os.environ.get("ARTICULATA_MATERIAL", ROOT.parent / "shared"))


def _has_material() -> bool:
    return Path(os.environ.get("ARTICULATA_MATERIAL", ROOT.parent / "shared"), "reference").is_dir()


def pytest_configure(config: pytest.Config) -> None:
    """Among the slow tests, what is asked of chosen examples is asked of more of them."""
    if config.option.markexpr == "slow":
        settings.load_profile("articulata at length")


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: there is next to none."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later search for garbage."""
    gc.freeze()
    gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """See ``pytest_configure``."""
    chosen = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if chosen and item.config.option.markexpr == "slow":
        item.add_marker("slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose reference material is absent; they are named at the end of the run."""
    if _has_material():
        return
    absent = [item for item in items if item.get_closest_marker("material")]
    config.stash[_ABSENT] = [item.nodeid for item in absent]
    items[:] = [item for item in items if not item.get_closest_marker("material")]
    config.hook.pytest_deselected(items=absent)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name and count what could not run for want of the reference material."""
    absent = terminalreporter.config.stash.get(_ABSENT, [])
    if absent:
        terminalreporter.section(f"{len(absent)} tests not run: reference material is absent")
        for nodeid in absent:
            terminalreporter.line(nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let no test be skipped in silence: what a test needs is installed by `make test`."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped") and session.exitstatus == 0:
        reporter.write_line("skipped tests are failures: install what they need", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_ABSENT = pytest.StashKey[list[str]]()
