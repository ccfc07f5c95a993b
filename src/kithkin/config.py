"""Settings, read once from the environment."""

import os
from pathlib import Path

from msgspec import Struct


class Settings(Struct, frozen=True):
    """Where the realm is: a folder, or a PostgreSQL address and a schema in it."""

    home: Path
    db: str | None = None
    realm: str = "kithkin"

    @property
    def where(self) -> str:
        """What `Database.open` takes."""
        return self.db or str(self.home)


def settings(
    *, home: str | None = None, db: str | None = None, realm: str | None = None
) -> Settings:
    """Given values first, then KITHKIN_HOME, KITHKIN_DB, KITHKIN_REALM, then `~/.kithkin`."""
    env = os.environ
    return Settings(
        home=Path(home or env.get("KITHKIN_HOME") or "~/.kithkin").expanduser(),
        db=db or (None if home else env.get("KITHKIN_DB")) or None,
        realm=realm or env.get("KITHKIN_REALM") or "kithkin",
    )
