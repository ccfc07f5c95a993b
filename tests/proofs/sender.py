"""A program that delivers the outbox and is killed at a random instant.

python sender.py WHERE REALM FILE MINUTES SEED
"""

import os
import random
import signal
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

from kithkin.adapters.channels import FileChannel
from kithkin.api.acting import Acting
from kithkin.api.owner import Admin
from kithkin.ports import Outgoing
from kithkin.testing import FixedClock


class Mortal(FileChannel):
    """Writes each message and may die just before, or just after, as the post does."""

    def __init__(self, file: Path, chance: random.Random) -> None:
        super().__init__(file)
        self._chance = chance

    def send(self, message: Outgoing) -> str | None:
        """Write it, if it lives."""
        fate = self._chance.random()
        if fate < 0.05:
            os.kill(os.getpid(), signal.SIGKILL)
        sent = super().send(message)
        if fate > 0.95:
            os.kill(os.getpid(), signal.SIGKILL)
        return sent


def main(where: str, realm: str, file: str, minutes: str, seed: str) -> None:
    """Deliver until nothing is due, or until the end."""
    chance = random.Random(int(seed))
    clock = FixedClock()
    clock.set(clock.now() + timedelta(minutes=int(minutes)))
    acting = Acting.open(
        where,
        realm=realm,
        actor="owner",
        clock=clock,
        create=False,
        channels={"telegram": Mortal(Path(file), chance)},
    )
    threading.Thread(target=_die_soon, args=(chance.uniform(0.05, 0.4),), daemon=True).start()
    with Admin(acting, where=where) as admin:
        while admin.outbox.deliver().sent:
            pass


def _die_soon(seconds: float) -> None:
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
