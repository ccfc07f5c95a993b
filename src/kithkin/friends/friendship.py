"""Friends: each step and the notice of it in one transaction; what friends' agents write."""

from msgspec import Struct

from kithkin.accounts import agents
from kithkin.accounts import store as accounts
from kithkin.accounts.inbox_wording import contact_now
from kithkin.accounts.model import Account
from kithkin.chats import store as chats
from kithkin.chats.model import Chat
from kithkin.config import FriendSettings
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Contact
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import NotAllowed
from kithkin.friends import handshake, messages
from kithkin.friends import store as friends
from kithkin.friends.limits import Limit, Use, require_within
from kithkin.friends.model import (
    Blocked,
    Bond,
    Cancelled,
    Confirmed,
    Done,
    Friend,
    Friends,
    Leaving,
    Pair,
    Rejected,
    Request,
    Requested,
    Sent,
    Told,
    Unblocked,
    Unfriended,
)
from kithkin.identity.address_book import name_of
from kithkin.ids import FRIEND, AccountId, ItemId, friend_key
from kithkin.outbound import gate, send
from kithkin.outbound.model import Action, Approved, Call, Target
from kithkin.soil import store as soil
from kithkin.soil.model import Message, SystemEvent

_EVENTS: dict[type[Told], str] = {
    Requested: "friend_requested",
    Confirmed: "friend_confirmed",
    Unfriended: "friend_removed",
}


class _Two(Struct, frozen=True):
    """Who acts, towards whom, and how they stand."""

    me: Account
    them: Account
    pair: Pair | None


def friend_add(
    db: Database, nametag: str, *, me: AccountId, settings: FriendSettings, by: By
) -> Done:
    """Ask somebody to be friends; who was asked first becomes a friend at once."""
    with db.transaction() as tx:
        two = _two(tx, me, nametag)
        _require_routed(tx, two.me)
        step = handshake.request(two.pair, me, them=two.them.nametag, now=by.now)
        if isinstance(step, Requested):
            _use(tx, "add", two, settings, by=by)
        friends.upsert_request(tx, me, two.them.id, by=by)
        return Done(step, two.them.nametag, _tell(tx, step, two, by=by))


def friend_remove(db: Database, nametag: str, *, me: AccountId, by: By) -> Done:
    """End a friendship, reject a request, or take one's own back: only the first is told."""
    with db.transaction() as tx:
        two = _two(tx, me, nametag)
        step = handshake.removal(two.pair, me, them=two.them.nametag)
        return Done(step, two.them.nametag, _leave(tx, step, two, by=by))


def friend_send(
    db: Database, nametag: str, message: str, *, me: AccountId, settings: FriendSettings, by: By
) -> Sent:
    """Write to a friend: their agents read it as the words of whom this account belongs to."""
    words = messages.checked_message(message)
    with db.transaction() as tx:
        two = _two(tx, me, nametag)
        _require_routed(tx, two.me)
        pair = handshake.require_friends(two.pair, me, them=two.them.nametag)
        _use(tx, "send", two, settings, by=by)
        decision = _decide(tx, two, words, by=by)
        item = _append(tx, two, pair, words, by=by)
        send.audit(tx, decision, item, None, by=by)
        there = agents.post_to_account(tx, two.them.id, item, sender=friend_key(me), now=by.now)
        return Sent(item, two.them.nametag, kept=not there)


def friend_list(db: Database, *, me: AccountId) -> Friends:
    """Friends, requests that wait on either side, and who is blocked, each with its time."""
    with db.snapshot() as tx:
        pairs = _still_there(tx, friends.of_account(tx, me), me)
        mine = _still_there(tx, friends.find_friends(tx, me), me)
        return Friends(
            friends=tuple(_friend(tx, pair, me) for pair in mine),
            incoming=_waiting(tx, "incoming", pairs, me),
            outgoing=_waiting(tx, "outgoing", pairs, me),
            blocked=tuple(_them(tx, pair, me).nametag for pair in pairs if pair.side(me).blocks),
        )


def block(db: Database, nametag: str, *, me: AccountId, by: By) -> Done:
    """Take nothing from somebody any more; whatever was between the two ends as by removing."""
    with db.transaction() as tx:
        two = _two(tx, me, nametag)
        handshake.require_blockable(two.pair, me, them=two.them.nametag)
        kept = False
        if handshake.bond(two.pair, me) != "none":
            step = handshake.removal(two.pair, me, them=two.them.nametag)
            kept = _leave(tx, step, two, by=by)
        friends.set_block(tx, me, two.them.id, blocks=True, by=by)
        return Done(Blocked(), two.them.nametag, kept)


def unblock(db: Database, nametag: str, *, me: AccountId, by: By) -> Done:
    """Let somebody ask again. What was between the two stays ended."""
    with db.transaction() as tx:
        two = _two(tx, me, nametag)
        handshake.require_blocked(two.pair, me, them=two.them.nametag)
        friends.set_block(tx, me, two.them.id, blocks=False, by=by)
        return Done(Unblocked(), two.them.nametag)


def _two(tx: Tx, me: AccountId, nametag: str) -> _Two:
    them = accounts.named(tx, nametag)
    return _Two(accounts.get(tx, me), them, friends.find(tx, me, them.id))


def _require_routed(tx: Tx, account: Account) -> None:
    """Refuse whom the owner has blocked: nothing of theirs is brought to anybody."""
    contact = contact_now(tx, account.person)
    if contact is not None and contact.standing == "blocked":
        raise NotAllowed(f"The owner has blocked {account.nametag}: only they can take it back.")


def _leave(tx: Tx, step: Leaving, two: _Two, *, by: By) -> bool:
    """Carry a removal out; whether a notice of it waits for somebody to read it."""
    me, them = two.me.id, two.them.id
    match step:
        case Unfriended():
            friends.part(tx, me, them, by=by)
            return _tell(tx, step, two, by=by)
        case Rejected():
            friends.clear_side(tx, them, me, cooldown_until=handshake.week_after(by.now), by=by)
        case Cancelled():
            friends.clear_side(tx, me, them, by=by)
    return False


def _tell(tx: Tx, step: Told, two: _Two, *, by: By) -> bool:
    """Tell the other's agents; whether it is kept because there is none."""
    payload = {
        "from": two.me.id,
        "to": two.them.id,
        "text": messages.notice(step, two.me.nametag),
    }
    event = SystemEvent(event_type=_EVENTS[type(step)], payload=payload)
    item = soil.append(tx, event, now=by.now)
    return not agents.post_to_account(tx, two.them.id, item.uuid, sender=None, now=by.now)


def _use(tx: Tx, use: Use, two: _Two, settings: FriendSettings, *, by: By) -> None:
    """Count one more request or message, if the limits leave room for it."""
    in_all, to_one = {
        "add": (settings.adds_per_day, settings.adds_per_day_to_one),
        "send": (settings.sends_per_hour, settings.sends_per_hour_to_one),
    }[use]
    me, them = two.me.id, two.them
    for limit, other in ((Limit(use, in_all), None), (Limit(use, to_one, them.nametag), them.id)):
        last = friends.nth_last_use(tx, me, use, limit.most, other=other)
        require_within(limit, last, now=by.now)
    friends.count_use(tx, me, use, other=them.id, now=by.now)


def _decide(tx: Tx, two: _Two, words: str, *, by: By) -> Approved:
    """The gate's word on a message to somebody whom the handshake found to be a friend."""
    contact = _contact(tx, two.them, by=by)
    target = Target(
        argument="nametag",
        value=two.them.nametag,
        channel=FRIEND,
        recipient=two.them.id,
        contact=contact.id,
        person=contact.person,
        is_owner=contact.is_owner,
        name=name_of(tx, contact),
    )
    call = Call("friend_send", {"nametag": two.them.nametag, "message": words})
    decision = gate.decide(
        Action(call, (target,)),
        rules=(),
        reply=None,
        friends=(contact.id,),
        now=by.now,
    )
    if not isinstance(decision, Approved):
        raise NotAllowed(f"This is not sent: {decision.why}.")
    return decision


def _append(tx: Tx, two: _Two, pair: Pair, words: str, *, by: By) -> ItemId:
    """The message as an item: the words of the sender's person, said where both could hear."""
    person = _contact(tx, two.me, by=by).person
    chat = _chat(tx, two, pair, by=by)
    content = Message(
        description=words,
        sender=friend_key(two.me.id),
        recipient=friend_key(two.them.id),
        subject=f"{FRIEND}:{two.me.nametag}",
        person=person,
        chat=chat.id,
        chat_version=chat.version,
        verified=True,
    )
    item = soil.append(tx, content, now=by.now)
    indexing.index_item(tx, item, chat)
    return item.uuid


def _chat(tx: Tx, two: _Two, pair: Pair, *, by: By) -> Chat:
    """Where the two talk: what is said there, both have heard."""
    known = chats.find(tx, FRIEND, pair.id)
    there = {account.id: _contact(tx, account, by=by).person for account in (two.me, two.them)}
    chat = Chat(
        id=known.id if known else chats.new_id(),
        channel=FRIEND,
        value=pair.id,
        kind="shared",
        participants=(there[pair.user_a_id], there[pair.user_b_id]),
        version=known.version if known else 0,
    )
    return chat if known == chat else chats.save(tx, chat, by=by)


def _contact(tx: Tx, account: Account, *, by: By) -> Contact:
    return contact_now(tx, account.person) or contacts.give(tx, account.person, (), by=by)


def _still_there(tx: Tx, pairs: list[Pair], me: AccountId) -> list[Pair]:
    """Pairs whose other account has not been erased: what is erased has no nametag."""
    return [pair for pair in pairs if accounts.is_there(tx, pair.other(me))]


def _friend(tx: Tx, pair: Pair, me: AccountId) -> Friend:
    them = _them(tx, pair, me)
    since = max(str(pair.a.requested_at), str(pair.b.requested_at))
    return Friend(them.nametag, them.name, since)


def _waiting(tx: Tx, bond: Bond, pairs: list[Pair], me: AccountId) -> tuple[Request, ...]:
    found = [pair for pair in pairs if handshake.bond(pair, me) == bond]
    asked = {pair.id: pair.side(me if bond == "outgoing" else pair.other(me)) for pair in found}
    requests = (
        Request(_them(tx, pair, me).nametag, str(asked[pair.id].requested_at)) for pair in found
    )
    return tuple(sorted(requests, key=lambda one: one.at))


def _them(tx: Tx, pair: Pair, me: AccountId) -> Account:
    return accounts.get(tx, pair.other(me))
