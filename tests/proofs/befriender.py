"""Programs that befriend, write and read, and are killed at random instants.

python befriender.py WHERE REALM meet AGENT NAMETAG TRIES       one side of many mutual requests
python befriender.py WHERE REALM write AGENTS KILLS SEED        agents, separated by commas
python befriender.py WHERE REALM read AGENT FILE KILLS SEED     entries written down, then acked
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from importlib import import_module
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.errors import KithkinError, Refused
from kithkin.testing import FixedClock

Say = Callable[[str], object]


def meet(where: str, realm: str, agent: str, nametag: str, tries: str) -> None:
    """Ask somebody again and again from several threads; say what each was answered."""
    with Kithkin.open(where, realm=realm, agent=agent) as kin:
        # Whoever is first waits for the other, so that they truly meet.
        print("ready", flush=True)
        sys.stdin.readline()

        def ask(_: int) -> str:
            try:
                return type(kin.friends.add(nametag).step).__name__
            except Refused as refused:
                return str(refused)

        with ThreadPoolExecutor(5) as pool:
            for told in pool.map(ask, range(int(tries))):
                print(told, flush=True)


def write(where: str, realm: str, agents: str, kills: str, seed: str) -> None:
    """Fork somebody who befriends, leaves and writes; kill them; say what they were told."""
    _killed(
        where,
        int(kills),
        int(seed),
        lambda number, say: _write(where, realm, agents.split(","), number, say),
    )


def read(where: str, realm: str, agent: str, file: str, kills: str, seed: str) -> None:
    """Fork a reader that writes down each entry and then acknowledges it; kill it."""
    _killed(
        where,
        int(kills),
        int(seed),
        lambda number, say: _read(where, realm, agent, Path(file), f"{seed}/{number}", say),
    )


def _write(where: str, realm: str, agents: list[str], number: int, say: Say) -> None:
    clock, chance = FixedClock(), random.Random(number)
    # Each lives eight days after the last: the cooldowns of whoever came before are over.
    clock.advance(days=8 * number)
    kins = [Kithkin.open(where, realm=realm, agent=agent, clock=clock) for agent in agents]
    tags = [kin.inbox.whoami()[0].nametag for kin in kins]
    while True:
        me, them = chance.sample(range(len(kins)), 2)
        clock.set(clock.now() + timedelta(seconds=1))
        step = chance.choice(("add", "add", "send", "send", "send", "remove"))
        try:
            if step == "send":
                say(kins[me].friends.send(tags[them], f"message {number}").message)
            else:
                getattr(kins[me].friends, step)(tags[them])
        except Refused:
            continue


def _read(where: str, realm: str, agent: str, file: Path, seed: str, say: Say) -> None:
    chance = random.Random(seed)
    with Kithkin.open(where, realm=realm, agent=agent, clock=FixedClock()) as kin:
        for one in kin.inbox.list(limit=50):
            with file.open("a") as lines:
                lines.write(f"{one.waiting.id}\n")
            if chance.random() < 0.1:
                # Just where it hurts: dealt with, and nobody knows yet.
                os.kill(os.getpid(), signal.SIGKILL)
            kin.inbox.ack(one.waiting.id)
            say(one.waiting.id)


def _killed(where: str, kills: int, seed: int, live: Callable[[int, Say], None]) -> None:
    chance = random.Random(seed)
    if where.startswith("postgres"):
        # Loaded before the fork, so that they are killed at their work and not at imports.
        import_module("kithkin.db.postgres")
    for number in range(kills):
        told, say = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(told)
            _live(number, say, live)
        os.close(say)
        time.sleep(chance.uniform(0.0, 0.25))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(told) as lines:
            text = lines.read()
        sys.stdout.write(text[: text.rfind("\n") + 1])
        sys.stdout.flush()


def _live(number: int, say: int, live: Callable[[int, Say], None]) -> None:
    try:
        live(number, lambda told: os.write(say, f"{told}\n".encode()))
    except KithkinError as error:
        sys.stderr.write(f"{error}\n")
    time.sleep(10)
    os._exit(1)


PROGRAMS: dict[str, Callable[..., None]] = {"meet": meet, "write": write, "read": read}

if __name__ == "__main__":
    PROGRAMS[sys.argv[3]](*sys.argv[1:3], *sys.argv[4:])
