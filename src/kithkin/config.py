"""Settings: where the realm is, from the environment; how it behaves, from its `config.toml`."""

import os
from datetime import time
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kithkin.errors import InvalidInput

FILE = "config.toml"


class Settings(Struct, frozen=True):
    """Where the realm is, a folder or a schema on PostgreSQL, and which models it is used with."""

    home: Path
    db: str | None = None
    realm: str = "kithkin"
    model: str | None = None
    """A language model, such as `openai:gpt-4o-mini` or `anthropic:claude-sonnet-4-5`."""
    model_url: str | None = None
    """Where an OpenAI-compatible server answers, when it is not the provider's own."""
    embedder: str | None = None
    """A folder of weights, or the name of an embedding model at `model_url`."""

    @property
    def where(self) -> str:
        """What `Database.open` takes."""
        return self.db or str(self.home)


class ChannelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a channel sends: `[channels.NAME]`."""

    kind: Literal["console", "file", "webhook"]
    url: str | None = None
    file: str | None = None
    secret: str | None = None
    """The key of the credential that signs a webhook."""


class ToolSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """An outbound tool of one's own: `[tools.NAME]`."""

    channel: str | None = None
    text: tuple[str, ...] = ("message", "text", "body")
    arguments: tuple[str, ...] = ()
    """What else it takes. An argument that is named nowhere makes a call a question."""
    risky: bool = True


class ConnectorSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that brings messages in: `[connectors.NAME]`."""

    channels: tuple[str, ...] = ()
    creates_accounts: bool = False
    learns: bool = True
    """Whether what its messages say is remembered as they come in."""


class RouteSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where messages of a channel go instead of the usual way: `[[routes]]`."""

    channel: str
    nametag: str
    agent: str | None = None
    """The name of one agent; every frontend agent of the account without it."""


class ApprovalSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How long an approval waits: `[approvals]`."""

    expires_hours: float = 72.0


Limit = Annotated[int, Meta(ge=1)]


class FriendSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How often an account may ask others and write to friends: `[friends]`."""

    adds_per_day: Limit = 50
    adds_per_day_to_one: Limit = 10
    sends_per_hour: Limit = 1000
    sends_per_hour_to_one: Limit = 200


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How the realm is served: `[server]`."""

    hosts: tuple[str, ...] = ()
    """Names the server is reached by, beside the loopback's and the one it listens on."""
    requests_per_minute: Limit = 6000
    """Of one agent, connector or owner."""
    most_bytes: Limit = 4 * 1024 * 1024
    """Of one request."""
    most_file_bytes: Limit = 1024 * 1024 * 1024
    """Of a file that is sent, such as a backup."""
    slow_seconds: Annotated[float, Meta(gt=0)] = 30.0
    """How long a request may take to arrive."""
    threads: Limit = 8


class DoubtSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When the steward asks what was real: `[doubts]`."""

    at: str = "20:00"
    """The time of day, where the server is."""

    def __post_init__(self) -> None:
        """Refuse what is no time of day, when it is read and not when it has come."""
        if self.hour.tzinfo is not None:
            raise ValueError("at is a time where the server is: leave the zone out")

    @property
    def hour(self) -> time:
        """The time of day."""
        try:
            return time.fromisoformat(self.at)
        except ValueError as error:
            raise ValueError(f"at = {self.at!r} is no time of day: write 20:00") from error


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """What the owner has set. Nothing in it is needed."""

    channels: dict[str, ChannelSettings] = {}
    tools: dict[str, ToolSettings] = {}
    connectors: dict[str, ConnectorSettings] = {}
    routes: tuple[RouteSettings, ...] = ()
    approvals: ApprovalSettings = ApprovalSettings()
    friends: FriendSettings = FriendSettings()
    server: ServerSettings = ServerSettings()
    doubts: DoubtSettings = DoubtSettings()


def settings(
    *, home: str | None = None, db: str | None = None, realm: str | None = None
) -> Settings:
    """Given values first, then the environment (KITHKIN_HOME, KITHKIN_DB, …), then `~/.kithkin`."""
    env = os.environ
    return Settings(
        home=Path(home or env.get("KITHKIN_HOME") or "~/.kithkin").expanduser(),
        db=db or (None if home else env.get("KITHKIN_DB")) or None,
        realm=realm or env.get("KITHKIN_REALM") or "kithkin",
        model=env.get("KITHKIN_MODEL") or None,
        model_url=env.get("KITHKIN_MODEL_URL") or None,
        embedder=env.get("KITHKIN_EMBEDDER") or None,
    )


def home_of(where: str | Path) -> Path:
    """The folder beside a realm: its own, or KITHKIN_HOME of one on a server."""
    if str(where).startswith(("postgresql://", "postgres://")):
        return settings().home
    return Path(where)


def config_of(home: Path) -> Config:
    """What `config.toml` in that folder, or the file KITHKIN_CONFIG names, says."""
    file = Path(os.environ.get("KITHKIN_CONFIG") or home / FILE)
    if not file.exists():
        return Config()
    # Read only by whoever has such a file: the module takes 5 ms to load.
    import tomllib  # noqa: PLC0415

    import msgspec  # noqa: PLC0415

    try:
        return msgspec.convert(tomllib.loads(file.read_text()), Config)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}.") from error
