"""Which messages of a channel are in already: an ordinary table, so that none is taken twice."""

from msgspec import Struct

from kithkin.db import Tx
from kithkin.ids import ItemId, SpeakerKey


class Place(Struct, frozen=True):
    """A chat, as its channel calls it."""

    channel: str
    chat: str


def item_of(tx: Tx, place: Place, provider_id: str, *, sender: SpeakerKey | None) -> ItemId | None:
    """The item of a message that its channel calls so: of that sender, or of anybody."""
    row = tx.execute(
        "SELECT item FROM message_seen WHERE channel = :channel AND chat = :chat"
        " AND provider_id = :provider_id AND (CAST(:sender AS TEXT) IS NULL OR sender = :sender)"
        " ORDER BY sender LIMIT 1",
        {
            "channel": place.channel,
            "chat": place.chat,
            "provider_id": provider_id,
            "sender": sender,
        },
    ).fetchone()
    return ItemId(row[0]) if row else None


def remember(
    tx: Tx, place: Place, provider_id: str, *, sender: SpeakerKey | None, item: ItemId
) -> None:
    """Remember that a message is in, or without a sender that it was sent from here."""
    tx.execute(
        "INSERT INTO message_seen (channel, chat, provider_id, sender, item)"
        " VALUES (:channel, :chat, :provider_id, :sender, :item) ON CONFLICT DO NOTHING",
        {
            "channel": place.channel,
            "chat": place.chat,
            "provider_id": provider_id,
            "sender": sender or "",
            "item": item,
        },
    )


def forget(tx: Tx, place: Place, *, sender: SpeakerKey) -> None:
    """Leave no trace of a chat, nor of a sender in any chat."""
    tx.execute(
        "DELETE FROM message_seen WHERE (channel = :channel AND chat = :chat) OR sender = :sender",
        {"channel": place.channel, "chat": place.chat, "sender": sender},
    )
