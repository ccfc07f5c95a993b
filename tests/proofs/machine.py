"""Runs a state machine on fresh realms of one database."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from kithkin.db import Database


def run_machine(machine: Any, place: tuple[str, str], *, examples: int, steps: int) -> int:
    """Try so many random stories, each on a realm of its own; how many realms there were."""
    where, realm = place
    runs = 0

    def open_database() -> Database:
        nonlocal runs
        runs += 1
        if realm == "kithkin":
            return Database.open(Path(tempfile.mkdtemp(dir=Path(where).parent)))
        return Database.open(where, realm=f"{realm}_{runs}")

    run_state_machine_as_test(
        type("OneRealm", (machine,), {"open_database": staticmethod(open_database)}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return runs
