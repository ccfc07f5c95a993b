"""Which migrations exist, and bringing a store up to date with them."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from kithkin.errors import StorageTooNew
from kithkin.version import __version__

if TYPE_CHECKING:
    from kithkin.db.dialect import Engine

REVISIONS: Final = tuple(f"{number:04}" for number in range(1, 11))
"""Every revision this version knows, oldest first. A house test compares it with the files."""
HEAD: Final = REVISIONS[-1]
TABLES: Final = (
    "ledger_head",
    "item",
    "undone",
    "entity",
    "delta_notification",
    "subscriber",
    "item_override",
    "unique_relation",
    "multi_relation",
    "access",
    "person_key",
    "person_connection",
    "address",
    "contact_lookup",
    "contact_role",
    "merge_lookup",
    "chat_key",
    "secret",
    "account_lookup",
    "nametag",
    "account_key",
    "agent_lookup",
    "inbox",
    "message_seen",
    "question_lookup",
    "rule_lookup",
    "outbox",
    "project_name",
    "conversation_log",
    "log_item",
    "fragment",
    "scratchpad",
    "frame",
    "viewport",
    "artifact_label",
    "artifact_commit",
    "artifact_snapshot",
    "proposal_lookup",
    "connections",
    "friend_use",
    "memory_row",
    "memory_subject",
    "memory_key",
    "forgotten_item",
    "search_doc",
    "search_place",
    "search_vector",
    "persona_lookup",
    "persona_name",
    "memory_held",
    "access_token",
    "owner_password",
    "login_link",
    "login_session",
    "login_failure",
    "reply",
    "webhook",
    "webhook_dead",
)
"""Every table of a realm, in an order that a copy can follow. A house test compares it."""
WORD_INDEX: Final = "search_text"
"""The index of words: the database's own structure, written anew where rows are copied."""


def bring_up_to_date(engine: "Engine") -> None:
    """Upgrade an older store; refuse a newer one. An up-to-date store never loads Alembic."""
    at = engine.revision()
    if at == HEAD:
        return
    if at is not None and at not in REVISIONS:
        raise StorageTooNew(
            f"This realm was made by a newer Kithkin (its tables are at {at}; this is version "
            f"{__version__}, which knows {HEAD}). Upgrade with `pip install --upgrade kithkin`."
        )
    migrate(engine, HEAD)


def migrate(engine: "Engine", target: str) -> None:
    """Move to a revision, up or down ("base" for none), in one transaction."""
    # Alembic and SQLAlchemy take half a second to load.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    with engine.migrating() as alchemy, alchemy.begin() as connection:
        config.attributes["connection"] = connection
        # Another process may have migrated while this one waited for the lock: both commands
        # start from what the store says now, and do nothing when it is there already.
        upwards = target != "base" and _position(engine.revision()) <= _position(target)
        (command.upgrade if upwards else command.downgrade)(config, target)


def _position(revision: str | None) -> int:
    return REVISIONS.index(revision) if revision in REVISIONS else -1
