"""Who will read an answer: derived from who asks and where. It fails closed."""

from msgspec.structs import replace

from kithkin.accounts import inbox
from kithkin.accounts.replies import message_in
from kithkin.chats.chat_lookup import chat_named
from kithkin.chats.model import Chat
from kithkin.contacts import store as contacts
from kithkin.db import Database, Tx
from kithkin.disclosure.rule import Audience, Hearer
from kithkin.errors import NotAllowed
from kithkin.identity.records import records_of
from kithkin.identity.self_person import speaker_in
from kithkin.ids import AccountId, PersonaId, PersonId, SpeakerKey
from kithkin.people import store as people
from kithkin.personas.voices import STEWARD, Voice, speaking
from kithkin.soil.model import Message

_NOBODY = Hearer(frozenset(), verified=False)


def audience_of(
    db: Database,
    speaker: str,
    *,
    chat: str | None = None,
    verified: bool = True,
    voice: Voice = STEWARD,
) -> Audience:
    """Everyone who will read an answer to this speaker in this chat, given in this voice."""
    with db.snapshot() as tx:
        heard = audience_in(tx, speaker, chat=chat, verified=verified)
        return with_persona(heard, *speaking(tx, voice))


def in_voice(db: Database, audience: Audience, voice: Voice) -> Audience:
    """The same people, answered in a voice."""
    with db.snapshot() as tx:
        return with_persona(audience, *speaking(tx, voice))


def audience_of_person(db: Database, person: PersonId) -> Audience:
    """Somebody alone, who is certainly there: the person an agent acts for."""
    with db.snapshot() as tx:
        me = _hearer(tx, person, verified=True)
        keys = frozenset(key for one in me.ids for key in contacts.keys_of(tx, one))
        return Audience((me,), keys=keys, asked_by=keys)


def audience_of_message(db: Database, item: str, *, account: AccountId | None) -> Audience:
    """Everyone who will read an answer to a message that came; to the account, if one is given."""
    with db.snapshot() as tx:
        message = _that_came(tx, item, account)
        if message.person is None:
            return Audience((_NOBODY,))
        return audience_in(tx, message.sender, chat=message.chat, verified=message.verified)


def sender_of(db: Database, item: str, *, account: AccountId | None) -> SpeakerKey | None:
    """Who sent a message that came, if that is sure; to the account, if one is given."""
    with db.snapshot() as tx:
        message = _that_came(tx, item, account)
    return SpeakerKey(message.sender) if message.verified else None


def _that_came(tx: Tx, item: str, account: AccountId | None) -> Message:
    found = message_in(tx, item)
    if found is None or (account and not inbox.was_delivered(tx, account, item)):
        raise NotAllowed(f"{item} is no message that came to this agent.")
    return found[1]


def audience_in(
    tx: Tx, speaker: str, *, chat: str | None = None, verified: bool = True
) -> Audience:
    """The same, in a transaction. Whoever is not known to be there asks from outside."""
    who = speaker_in(tx, speaker)
    me = _hearer(tx, who.person, verified=verified) if who and who.person else _NOBODY
    asked_by = who.keys if who and verified else frozenset()
    where = chat_named(tx, speaker, chat)
    others = _others(tx, me, where, is_named=chat is not None)
    return Audience(
        (me, *others),
        chat=where.id if where and _is_there(me, where) else None,
        keys=asked_by if not others else frozenset(),
        asked_by=asked_by,
    )


def _others(tx: Tx, me: Hearer, where: Chat | None, *, is_named: bool) -> tuple[Hearer, ...]:
    """Who else reads what is said there."""
    if where is None:
        # A chat nobody has spoken in yet: who would read it is not known.
        return (_NOBODY,) if is_named else ()
    return tuple(_participant(tx, one) for one in where.participants if one not in me.ids)


def with_persona(audience: Audience, persona: PersonaId | None, groups: frozenset[str]) -> Audience:
    """The same people, answered in a persona's voice."""
    return replace(audience, persona=persona, groups=groups)


def _is_there(me: Hearer, chat: Chat) -> bool:
    return bool(me.ids.intersection(map(PersonId, chat.participants)))


def _participant(tx: Tx, one: str) -> Hearer:
    if people.get(tx, one) is not None:
        return _hearer(tx, PersonId(one), verified=True)
    who = speaker_in(tx, SpeakerKey(one)) if ":" in one else None
    return _hearer(tx, who.person, verified=True) if who and who.person else _NOBODY


def _hearer(tx: Tx, person: PersonId, *, verified: bool) -> Hearer:
    return Hearer(records_of(tx, person), verified=verified)
