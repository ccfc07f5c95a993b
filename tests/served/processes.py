"""Servers in processes of their own, on free ports, that can be killed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

_ADDRESS = re.compile(r"at (http://\S+)")


class ServerProcess:
    """`kithkin serve`, as a person starts it."""

    def __init__(self, where: str, realm: str, *, home: Path) -> None:
        place = ["--db", where, "--realm", realm] if "://" in where else ["--home", where]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kithkin", "serve", "--port", "0", *place],
            env={**os.environ, "KITHKIN_HOME": str(home)},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        found = _ADDRESS.search(self._process.stderr.readline())
        assert found, self._process.stderr.read()
        self.url = found[1]
        self.port = int(self.url.rpartition(":")[2])
        self.link = self._process.stderr.readline().strip()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(timeout=30)

    def stop(self) -> int:
        """End it as a person does, and what it ended with."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop()
        if self._process.stderr is not None:
            self._process.stderr.close()
