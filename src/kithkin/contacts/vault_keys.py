"""The keys that secrets are sealed with: from KITHKIN_KEY, or a file only its owner can read."""

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec import Struct

from kithkin.errors import InvalidInput, NotFound

ENVIRONMENT: Final = "KITHKIN_KEY"
FILE: Final = "key"
_BYTES: Final = 32


class Key(Struct, frozen=True):
    """One key. Its id says which one sealed a secret, and nothing about the key."""

    raw: bytes

    @property
    def id(self) -> str:
        """The start of the key's hash."""
        return hashlib.sha256(b"kithkin key\0" + self.raw).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"Key({self.id})"


class Keyring:
    """The current key, and former ones that may still have sealed something."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def current(self) -> Key:
        """The key new secrets are sealed with; a file is made when it is first needed."""
        keys = self._keys()
        if keys:
            return keys[-1]
        if self._file is None:
            raise NotFound(
                f"There is no key for secrets: set {ENVIRONMENT} to the output of "
                "`head -c 32 /dev/urandom | base64`."
            )
        try:
            self._append(self._file, os.O_EXCL)
        except FileExistsError:
            # Another process made it first: its key is the key.
            return self.current()
        return self.current()

    def named(self, key_id: str) -> Key:
        """The key that sealed something."""
        for key in self._keys():
            if key.id == key_id:
                return key
        raise NotFound(
            f"The key {key_id} that sealed this secret is not here: bring back the file "
            f"{FILE!r}, or add the key to {ENVIRONMENT}."
        )

    def turn(self) -> Key:
        """Make a new current key; former ones stay until `forget_former`."""
        if self._from_environment():
            # The owner puts the new key behind the old one; there is nothing to make.
            return self.current()
        if self._file is None:
            return self.current()
        self._append(self._file, 0)
        return self.current()

    def forget_former(self, *, in_use: Collection[str]) -> None:
        """Keep only the current key in the file, and those that still seal something."""
        if self._file is None or self._from_environment():
            return
        keys = self._keys()
        lines = b"".join(_written(key) for key in keys if key.id in {*in_use, keys[-1].id})
        partial = self._file.with_name(f"{self._file.name}.partial")
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(lines)
            os.fsync(file.fileno())
        partial.replace(self._file)

    def _append(self, file: Path, flags: int) -> None:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | flags, 0o600)
        with os.fdopen(handle, "ab") as opened:
            opened.write(_written(Key(secrets.token_bytes(_BYTES))))
            opened.flush()
            os.fsync(opened.fileno())

    def _keys(self) -> list[Key]:
        given = self._from_environment()
        if given:
            return [_read(part) for part in given.split(",")]
        if self._file is None or not self._file.exists():
            return []
        return [_read(line) for line in self._file.read_text().split()]

    def _from_environment(self) -> str:
        return os.environ.get(ENVIRONMENT, "").strip()


def _written(key: Key) -> bytes:
    return base64.b64encode(key.raw) + b"\n"


def _read(text: str) -> Key:
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        raw = b""
    if len(raw) != _BYTES:
        # The text itself is not told: it may be most of a key.
        raise InvalidInput(f"A key is {_BYTES} bytes in base64; this one is not.")
    return Key(raw)
