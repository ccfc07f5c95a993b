"""Settings, read once from the environment."""

import os
from pathlib import Path

from msgspec import Struct


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
