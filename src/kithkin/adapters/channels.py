"""Channels that send: to the terminal, to a file, to a web address."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

import msgspec

from kithkin.adapters.signed_post import post_signed, require_web_address
from kithkin.config import ChannelSettings
from kithkin.errors import DeliveryFailed, InvalidInput
from kithkin.ports import Channel, Outgoing

Resolve = Callable[[str], str | None]
"""A credential by its key."""


class ConsoleChannel:
    """Prints what is sent, for whoever sits at the terminal."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out

    def send(self, message: Outgoing) -> str | None:
        """Print it."""
        print(f"→ {', '.join(message.to)}: {message.text}", file=self._out or sys.stderr)
        return None


class FileChannel:
    """Appends each message to a file as a line of JSON, which another program reads."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def send(self, message: Outgoing) -> str | None:
        """Append it, durably."""
        line = msgspec.json.encode(message) + b"\n"
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DeliveryFailed(f"{self._file}: {error.strerror}.", retryable=True) from error
        return None


class WebhookChannel:
    """Posts each message to a web address, signed when there is a secret.

    The receiver recognises a repetition by the header Idempotency-Key.
    """

    def __init__(self, url: str, *, secret: Callable[[], str | None] = lambda: None) -> None:
        self._url = require_web_address(url)
        self._secret = secret

    def send(self, message: Outgoing) -> str | None:
        """Post it; the answer's `id`, if it has one, is the provider's id of the message."""
        body = msgspec.json.encode(message)
        return _provider_id(post_signed(self._url, body, key=message.key, secret=self._secret()))


class Careful:
    """A channel whose faults are failures to deliver: one that breaks holds up nobody else."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def send(self, message: Outgoing) -> str | None:
        """Send it; whatever goes wrong, it may be tried again."""
        try:
            return self._channel.send(message)
        except DeliveryFailed:
            raise
        except Exception as error:
            fault = f"{type(error).__name__} in the channel {message.channel}"
            raise DeliveryFailed(f"{fault}: {error}", retryable=True) from error


def _provider_id(body: bytes) -> str | None:
    try:
        read: Any = json.loads(body or b"null")
    except ValueError:
        return None
    found = read.get("id") if isinstance(read, dict) else None
    return str(found) if found is not None else None


def channels_from(
    settings: Mapping[str, ChannelSettings], *, home: Path, resolve: Resolve
) -> dict[str, Channel]:
    """The channels that the configuration names, and the terminal, which is always there."""
    made: dict[str, Channel] = {"console": ConsoleChannel()}
    for name, one in settings.items():
        made[name] = _channel(name, one, home=home, resolve=resolve)
    return made


def _channel(name: str, one: ChannelSettings, *, home: Path, resolve: Resolve) -> Channel:
    if one.kind == "console":
        return ConsoleChannel()
    if one.kind == "file":
        return FileChannel(home / (one.file or f"{name}.outgoing.jsonl"))
    if not one.url:
        raise InvalidInput(f"The channel {name} is a webhook: give its url in config.toml.")
    return WebhookChannel(one.url, secret=lambda: resolve(one.secret) if one.secret else None)
