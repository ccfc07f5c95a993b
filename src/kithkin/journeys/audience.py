"""Who will read an answer: derived from who asks and where. It fails closed."""

from msgspec.structs import replace

from kithkin.chats.model import Chat
from kithkin.db import Database, Tx
from kithkin.ids import PersonaId, PersonId, SpeakerKey
from kithkin.journeys.hearing import chat_named
from kithkin.journeys.identify import speaker_in
from kithkin.journeys.selves import records_of
from kithkin.journeys.voices import STEWARD, Voice, speaking
from kithkin.memories.disclosure import Audience, Hearer
from kithkin.people import store as people

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


def audience_in(
    tx: Tx, speaker: str, *, chat: str | None = None, verified: bool = True
) -> Audience:
    """The same, in a transaction. Whoever is not known to be there asks from outside."""
    who = speaker_in(tx, speaker)
    me = _hearer(tx, who.person, verified=verified) if who and who.person else _NOBODY
    where = chat_named(tx, speaker, chat)
    if where is None:
        # A chat nobody has spoken in yet: who would read it is not known.
        return Audience((me,) if chat is None else (me, _NOBODY))
    others = [_participant(tx, one) for one in where.participants if one not in me.ids]
    everyone = (me, *others)
    return Audience(everyone, chat=where.id if _is_there(me, where) else None)


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
