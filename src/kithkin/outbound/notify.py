"""Tell somebody something: a contact, an address, or the owner."""

from msgspec import Struct

from kithkin.config import Config
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.errors import InvalidInput
from kithkin.ids import AccountId
from kithkin.outbound.model import Call
from kithkin.outbound.send import Outcome, Request, act


class Notice(Struct, frozen=True):
    """What to tell whom: a contact, a recipient on a channel, or with neither the owner."""

    message: str
    channel: str | None = None
    contact_id: str | None = None
    recipient: str | None = None
    because_of: str | None = None
    reason: str | None = None


def notify(
    db: Database, notice: Notice, *, account: AccountId | None, config: Config, by: By
) -> Outcome:
    """Send it, or ask. A contact's primary address on the channel goes before any other."""
    if not notice.message.strip():
        raise InvalidInput("The message is empty: there is nothing to tell.")
    if notice.contact_id and notice.recipient:
        raise InvalidInput("Give the contact or the recipient, not both.")
    if notice.recipient and not notice.channel:
        raise InvalidInput("A recipient is reached by a channel: say which, such as telegram.")
    given = {
        "message": notice.message,
        "channel": notice.channel,
        "contact_id": notice.contact_id,
        "recipient": notice.recipient,
    }
    call = Call("notify", {name: value for name, value in given.items() if value})
    request = Request(call, account, notice.because_of, notice.reason)
    return act(db, request, config=config, by=by)
