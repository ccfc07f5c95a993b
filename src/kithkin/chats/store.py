"""Chats' tables: each chat an entity, found by its channel and the channel's id for it."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kithkin.chats.model import Chat
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import ChatId, new_entity_id

CHAT: Final = "chat"


def find(tx: Tx, channel: str, value: str) -> Chat | None:
    """The chat a channel calls so."""
    row = tx.execute(
        "SELECT chat FROM chat_key WHERE channel = :channel AND value = :value",
        {"channel": channel, "value": value},
    ).fetchone()
    return get(tx, row[0]) if row else None


def get(tx: Tx, chat: str) -> Chat:
    """The chat as it is now."""
    entity = core.get(tx, chat)
    if entity.type != CHAT:
        raise NotFound(f"{chat} is no chat.")
    return _chat(entity.uuid, core.require_data(entity), entity.version)


def at(tx: Tx, chat: str, version: int) -> Chat:
    """The chat as it was when something was said in it: who was there then."""
    return _chat(chat, core.state_at(tx, chat, version), version)


def save(tx: Tx, chat: Chat, *, by: By) -> Chat:
    """The chat as it is now; one without a version is new."""
    return replace(chat, version=core.save(tx, CHAT, chat.id, _data(chat), by=by).version)


def new_id() -> ChatId:
    """A fresh id for a chat."""
    return ChatId(new_entity_id())


def _data(chat: Chat) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(chat)
    del fields["id"], fields["version"]
    return fields


def _chat(uuid: str, data: Any, version: int) -> Chat:
    return msgspec.convert({**data, "id": uuid, "version": version}, Chat)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if after.data is None:
        tx.execute("DELETE FROM chat_key WHERE chat = :chat", {"chat": after.uuid})
    elif before is None:
        tx.execute(
            "INSERT INTO chat_key (channel, value, chat) VALUES (:channel, :value, :chat)",
            {"channel": after.data["channel"], "value": after.data["value"], "chat": after.uuid},
        )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM chat_key", {})


lookup_rows.register(
    CHAT,
    lookup_rows.Projection(
        commands="the connector that brings its messages", project=_project, clear=_clear
    ),
)
