"""A program that writes to a realm as fast as it can and says what was acknowledged.

python writer.py WHERE REALM bystander             until it is told to stop, one line each
python writer.py WHERE REALM killed KILLS SEED     writers killed at random instants
"""

import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module

from kithkin.api.kithkin import Kithkin
from kithkin.errors import KithkinError, StaleEdit, StorageError

Ack = Callable[[str], object]


def write(kin: Kithkin, ack: Ack) -> None:
    """One round: a fact, a belief, a change, a relation; each acknowledged once it is durable."""
    note = kin.timeline.note("something happened")
    ack(note.uuid)
    made = kin.entities.add("counter", {"n": 0}, derived_from=note.uuid)
    ack(made.hash)
    for number in range(1, 4):
        made = kin.entities.change(made.uuid, {"n": number, "list": list(range(number))})
        ack(made.hash)
    ack(kin.relations.relate("mentions", note.uuid, made.uuid).uuid)


def bystander(where: str, realm: str) -> None:
    """Keep one realm open and keep writing, whatever dies around it."""
    with Kithkin.open(where, realm=realm) as kin:
        print("open", flush=True)
        while not select.select([sys.stdin], [], [], 0)[0]:
            try:
                write(kin, lambda told: print(told, flush=True))
            except StaleEdit:
                raise
            except StorageError as error:
                print(f"# {error.code}", file=sys.stderr, flush=True)
            except KithkinError as error:
                # What an uncertain commit left undone is not there to be built upon.
                print(f"# {error.code}", file=sys.stderr, flush=True)


def killed(where: str, realm: str, kills: int, seed: int) -> None:
    """Fork a writer, kill it at a random instant, collect what it had been told was done."""
    chance = random.Random(seed)
    if where.startswith("postgres"):
        # Loaded before the fork, so that writers are killed at their work and not at imports.
        import_module("kithkin.db.postgres")
    for _ in range(kills):
        told, say = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(told)
            _write_until_killed(where, realm, say)
        os.close(say)
        # Some die while opening, most in the middle of their work.
        time.sleep(chance.uniform(0.0, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sys.stdout.write(_acknowledged(told))
        sys.stdout.flush()


def _write_until_killed(where: str, realm: str, say: int) -> None:
    try:
        with Kithkin.open(where, realm=realm) as kin:
            while True:
                write(kin, lambda told: os.write(say, f"{told}\n".encode()))
    except KithkinError:
        # The server died first: wait for the end.
        time.sleep(10)
    os._exit(1)


def _acknowledged(pipe: int) -> str:
    with os.fdopen(pipe) as lines:
        text = lines.read()
    return text[: text.rfind("\n") + 1]


if __name__ == "__main__":
    if sys.argv[3] == "bystander":
        bystander(*sys.argv[1:3])
    else:
        killed(sys.argv[1], sys.argv[2], int(sys.argv[4]), int(sys.argv[5]))
