"""Remember what was said: who is meant, the words it was said in, and what it replaces."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from kithkin.accounts import inbox
from kithkin.accounts.replies import message_in
from kithkin.chats import store as chats
from kithkin.clock import moment
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure.view import decode
from kithkin.errors import InvalidInput, ModelUnavailable, NotAllowed
from kithkin.ids import AccountId, SpeakerKey
from kithkin.memories import store as memories
from kithkin.memories.extract.model import Proposal, Who
from kithkin.memories.learn import Learning, Remembered
from kithkin.memories.sentence_reader import proposals_of, read_message
from kithkin.messages import message_append
from kithkin.messages.message_append import Heard, Place
from kithkin.people import store as people
from kithkin.personas.voices import STEWARD, Voice
from kithkin.ports import Extractor, Utterance
from kithkin.search import store as search
from kithkin.search.model import Hit
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import Message

_LEAST_CONFIDENCE = 0.5


def remember(
    db: Database,
    text: str,
    *,
    speaker: str,
    place: Place,
    at: datetime | None = None,
    extractor: Extractor | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Remembered:
    """Take in a message and keep what it says. Without an extractor, rules read it."""
    said_at = at or moment(by.now)
    if extractor is None:
        with db.transaction():
            heard = message_append.hear(
                db, text, speaker=speaker, place=place, at=said_at, voice=voice, by=by
            )
            return learn(db, heard, by=by)
    heard = message_append.hear(
        db, text, speaker=speaker, place=place, at=said_at, voice=voice, by=by
    )
    # The message is safe by now: the model may take its time, outside of any transaction.
    return learn(db, heard, proposals=_proposed(db, heard, extractor), by=by)


def learn_from(
    db: Database,
    item: str,
    *,
    account: AccountId | None,
    extractor: Extractor | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Remembered:
    """Keep what a message says that came in. An agent learns only from what came to its account."""
    with db.snapshot() as tx:
        if account is not None and not inbox.was_delivered(tx, account, item):
            raise NotAllowed(f"{item} did not come to this agent's account.")
        heard = _heard(tx, item, voice)
        known = memories.from_item(tx, item)
    if known:
        # Once is enough: what it said is known.
        return Remembered(heard)
    proposals = _proposed(db, heard, extractor) if extractor else None
    return learn(db, heard, proposals=proposals, by=by)


def _heard(tx: Tx, item: str, voice: Voice) -> Heard:
    found = message_in(tx, item)
    if found is None or found[1].person is None or found[1].chat is None:
        raise InvalidInput(f"{item} is no message that a connector brought.")
    came, message = found
    person = people.require(tx, str(message.person))
    return Heard(
        item=came,
        text=message.description,
        said_at=moment(came.canonical_at),
        speaker=SpeakerKey(message.sender),
        person=person,
        chat=chats.at(tx, str(message.chat), message.chat_version or 1),
        verified=message.verified,
        voice=voice,
    )


def learn(
    db: Database, heard: Heard, *, proposals: Sequence[Proposal] | None = None, by: By
) -> Remembered:
    """Keep what a message says. What was forgotten of it since is not learned again."""
    if not heard.verified:
        # Whose words these are is not sure: nothing is believed on their word.
        return Remembered(heard)
    with db.transaction() as tx:
        if memories.is_forgotten(tx, heard.item.uuid) or soil.get(tx, heard.item.uuid).data is None:
            return Remembered(heard)
        if proposals is None:
            proposals = read_message(heard.text, said=heard.said_at, before=_spoken_of(tx, heard))
        learning = Learning(db, tx, heard, by=by)
        for proposal in proposals:
            if proposal.confidence >= _LEAST_CONFIDENCE:
                learning.take(proposal)
        learning.introduce(heard.text)
        return learning.remembered()


def _proposed(db: Database, heard: Heard, extractor: Extractor) -> Sequence[Proposal]:
    with db.snapshot() as tx:
        before = tuple(reversed([text for text, _ in _turns_before(tx, heard)]))
        spoken_of = _spoken_of(tx, heard)
    utterance = Utterance(heard.text, heard.said_at, heard.person.name, before)
    try:
        return proposals_of(extractor.extract(utterance), heard.text, said=heard.said_at)
    except ModelUnavailable:
        return read_message(heard.text, said=heard.said_at, before=spoken_of)


def _turns_before(tx: Tx, heard: Heard) -> Iterator[tuple[str, str | None]]:
    for hit in _before(tx, heard, limit=_TURNS_BACK):
        content = content_of(soil.get(tx, hit.id))
        if isinstance(content, Message):
            yield content.description, hit.said_by


def _before(tx: Tx, heard: Heard, *, limit: int) -> Iterator[Hit]:
    """The turns before in the same world: what was said to another persona is not heard here."""
    lately = search.last_in(tx, heard.chat.id, before=heard.item.seq, limit=limit * _WORLDS)
    world = (heard.voice.home,)
    same = (hit for hit in lately if decode.decode(hit.record).record.groups == world)
    return islice(same, limit)


def _spoken_of(tx: Tx, heard: Heard) -> Who | None:
    """Whom the speaker's last words were about, when it was one person: who "she" is now."""
    for hit in _before(tx, heard, limit=1):
        about = {
            person
            for memory in memories.from_item(tx, hit.id)
            for person in memory.subject_person_ids
        }
        if len(about) == 1:
            return Who(about.pop())
    return None


_TURNS_BACK = 3
_WORLDS = 4
"""How many times as many turns are read, for those of other personas to be left out."""
