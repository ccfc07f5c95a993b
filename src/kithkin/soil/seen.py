"""Which messages of a channel are in already: an ordinary table, so that none is taken twice."""

from kithkin.db import Tx
from kithkin.ids import ItemId


def item_of(tx: Tx, channel: str, chat: str, provider_id: str) -> ItemId | None:
    """The item of a message that its channel calls so."""
    row = tx.execute(
        "SELECT item FROM message_seen WHERE channel = :channel AND chat = :chat"
        " AND provider_id = :provider_id",
        {"channel": channel, "chat": chat, "provider_id": provider_id},
    ).fetchone()
    return ItemId(row[0]) if row else None


def remember(tx: Tx, channel: str, chat: str, provider_id: str, item: ItemId) -> None:
    """Remember that a message is in."""
    tx.execute(
        "INSERT INTO message_seen (channel, chat, provider_id, item)"
        " VALUES (:channel, :chat, :provider_id, :item) ON CONFLICT DO NOTHING",
        {"channel": channel, "chat": chat, "provider_id": provider_id, "item": item},
    )
