"""Remember what was said: who is meant, the words it was said in, and what it replaces."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, ModelUnavailable, NotFound, Refused
from kithkin.ids import ItemId, PersonId
from kithkin.journeys import describe, hearing, identify, indexing
from kithkin.journeys.hearing import Heard, Place
from kithkin.journeys.reading import proposals_of, read_message
from kithkin.memories import store as memories
from kithkin.memories.extraction.corrections import corrected
from kithkin.memories.extraction.model import (
    Corrected,
    Fact,
    Proposal,
    Related,
    SelfNamed,
    Who,
)
from kithkin.memories.lifetimes import expires_at
from kithkin.memories.model import (
    About,
    AboutPersons,
    AboutSpeaker,
    AboutUnresolved,
    AboutWorld,
    ArchiveReason,
    Kind,
    Memory,
    Quote,
    Sensitivity,
    Trust,
)
from kithkin.memories.secrets import masked, secrets_in
from kithkin.memories.sensitivity import higher, sensitivity_of
from kithkin.memories.supersession import (
    Claimed,
    claimed,
    confirms_hearsay,
    keys_of,
    may_supersede,
)
from kithkin.memories.trust import trust_of
from kithkin.people import store as people
from kithkin.people.keys import is_placeholder
from kithkin.people.model import Ambiguous, Context, Found, Person, Unknown
from kithkin.people.terms import term_of
from kithkin.ports import Extractor, Utterance
from kithkin.search import store as search
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import Message

_LEAST_CONFIDENCE = 0.5
_TURNS_BACK = 3


class Question(Struct, frozen=True):
    """Something only a human can settle: who was meant."""

    kind: str
    said: str
    text: str
    candidates: tuple[PersonId, ...] = ()
    memory: str | None = None


class Learned(Struct, frozen=True):
    """A new memory and how far it is trusted."""

    memory: Memory
    trust: Trust


class Remembered(Struct, frozen=True):
    """What became of a message."""

    heard: Heard
    learned: tuple[Learned, ...] = ()
    superseded: tuple[Memory, ...] = ()
    questions: tuple[Question, ...] = ()
    persons: tuple[Person, ...] = ()
    """Everyone it was about, the speaker left out."""


class Noted(Struct, frozen=True):
    """What is said of a memory that is written down by hand."""

    kind: Kind = "knowledge"
    sensitivity: Sensitivity | None = None
    portable: bool = False
    private: bool = False


class Changes(Struct, frozen=True, omit_defaults=True):
    """What an edit changes of a memory; None leaves it as it is."""

    content: str | None = None
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    portable: bool | None = None
    private: bool | None = None
    expires_at: datetime | None = None


class _Unclear(Struct, frozen=True):
    """A reference that leads to nobody in particular."""

    said: str
    candidates: tuple[PersonId, ...] = ()


def remember(
    db: Database,
    text: str,
    *,
    speaker: str,
    place: Place,
    at: datetime | None = None,
    extractor: Extractor | None = None,
    by: By,
) -> Remembered:
    """Take in a message and keep what it says. Without an extractor, rules read it."""
    said_at = at or moment(by.now)
    if extractor is None:
        with db.transaction():
            heard = hearing.hear(db, text, speaker=speaker, place=place, at=said_at, by=by)
            return learn(db, heard, by=by)
    heard = hearing.hear(db, text, speaker=speaker, place=place, at=said_at, by=by)
    # The message is safe by now: the model may take its time, outside of any transaction.
    return learn(db, heard, proposals=_proposed(db, heard, extractor), by=by)


def learn(
    db: Database, heard: Heard, *, proposals: Sequence[Proposal] | None = None, by: By
) -> Remembered:
    """Keep what a message says. What was forgotten of it since is not learned again."""
    with db.transaction() as tx:
        if memories.is_forgotten(tx, heard.item.uuid) or soil.get(tx, heard.item.uuid).data is None:
            return Remembered(heard)
        if proposals is None:
            proposals = read_message(heard.text, said=heard.said_at, before=_spoken_of(tx, heard))
        learning = _Learning(db, tx, heard, by=by)
        for proposal in proposals:
            if proposal.confidence >= _LEAST_CONFIDENCE:
                learning.take(proposal)
        return learning.remembered()


def add(
    db: Database,
    content: str,
    *,
    about: Sequence[str] = (),
    speaker: str | None = None,
    place: Place | None = None,
    noted: Noted | None = None,
    by: By,
) -> Remembered | Learned:
    """Write a memory down as it is. With a speaker it is their word; without, the owner's."""
    plain = _without_secrets(" ".join(content.split()))
    noted = noted or Noted()
    with db.transaction() as tx:
        if speaker is None:
            return _written(db, tx, plain, about, noted, by=by)
        heard = hearing.hear(
            db, plain, speaker=speaker, place=place or Place(), at=moment(by.now), by=by
        )
        learning = _Learning(db, tx, heard, by=by, noted=noted)
        who = tuple(Who(one) for one in about) or (Who("me"),)
        quote = Quote(plain, 0, len(plain))
        learning.take(Fact(who, plain, noted.kind, quote, confidence=1.0))
        return learning.remembered()


def _without_secrets(content: str) -> str:
    if not content:
        raise InvalidInput("There is nothing to remember: the text is empty.")
    if secret := next(iter(secrets_in(content)), None):
        raise Refused(f"This holds a secret ({secret.what}), which is never stored. Leave it out.")
    return content


def edit(
    db: Database, memory: str, changes: Changes, *, based_on: str | None = None, by: By
) -> Memory:
    """Change a memory's own fields; with `based_on`, only if nobody changed it since."""
    with db.transaction() as tx:
        return _edited(tx, memories.get(tx, memory), changes, based_on=based_on, by=by)


def edit_own(
    db: Database,
    memory: str,
    changes: Changes,
    *,
    speaker: str,
    based_on: str | None = None,
    by: By,
) -> Memory:
    """The same for whoever said it; a speaker may raise a sensitivity, and not lower it."""
    with db.transaction() as tx:
        before = _own(tx, memory, speaker)
        if changes.sensitivity:
            level = higher(before.sensitivity, changes.sensitivity)
            changes = replace(changes, sensitivity=level)
        return _edited(tx, before, changes, based_on=based_on, by=by)


def _edited(tx: Tx, before: Memory, changes: Changes, *, based_on: str | None, by: By) -> Memory:
    if before.archived_at is not None:
        raise Refused(f"{before.id} was archived ({before.archive_reason}): it is not changed.")
    said = {name: getattr(changes, name) for name in changes.__struct_fields__}
    fields = {name: value for name, value in said.items() if value is not None}
    if not fields:
        raise InvalidInput("Say what to change: the text, kind, sensitivity, or who may hear it.")
    if changes.content is not None:
        fields["content"] = content = _without_secrets(" ".join(changes.content.split()))
        level = changes.sensitivity or before.sensitivity
        fields["sensitivity"] = higher(sensitivity_of(content), level)
    return memories.save(tx, replace(before, **fields), by=by, based_on=based_on)


def _own(tx: Tx, memory: str, speaker: str) -> Memory:
    """A memory its speaker may change. Somebody else's is not even said to be there."""
    who = identify.speaker_in(tx, speaker)
    mine = records_of(tx, who.person) if who and who.person else frozenset()
    found = memories.get(tx, memory)
    if found.said_by not in mine:
        raise NotFound(f"There is no memory {memory} that {speaker} said.")
    return found


def undo(db: Database, memory: str, *, speaker: str | None = None, by: By) -> Memory:
    """Take back what was just learned: it is archived, and what it had replaced stands again."""
    with db.transaction() as tx:
        before = _own(tx, memory, speaker) if speaker else memories.get(tx, memory)
        for old in memories.replaced_by(tx, memory):
            core.unsupersede(tx, core.get(tx, old.id), by=by)
        return archive(tx, before, "undone", by=by)


def supersede_confirmed_hearsay(db: Database, memory: str, *, by: By) -> tuple[Memory, ...]:
    """Let somebody's own word replace what others said of them, wherever they said it."""
    with db.transaction() as tx:
        new = memories.get(tx, memory)
        mine = claim_of(tx, new)
        known = memories.comparable(tx, mine.about, keys_of(new.content))
        return tuple(
            memories.supersede(tx, old, by_memory=new, by=by)
            for old in known
            if old.id != new.id and confirms_hearsay(mine, claim_of(tx, old))
        )


def claim_of(tx: Tx, memory: Memory) -> Claimed:
    """A memory as a side of a supersession: all records of a human are that human."""
    said_by = records_of(tx, memory.said_by) if memory.said_by else frozenset()
    about: set[PersonId] = set()
    for person in memories.subjects(memory):
        about |= records_of(tx, PersonId(person))
    return claimed(memory, said_by=said_by, about=about)


def archive(tx: Tx, memory: Memory, reason: ArchiveReason, *, by: By) -> Memory:
    """Stop believing it; it stays in its history."""
    gone = replace(memory, archived_at=moment(by.now), archive_reason=reason)
    return memories.save(tx, gone, by=by)


def trust_in(tx: Tx, memory: Memory) -> Trust:
    """How far a memory is trusted, all records of a merged person counting as one."""
    said_by = records_of(tx, memory.said_by) if memory.said_by else frozenset()
    return trust_of(memory.about, said_by=said_by)


def records_of(tx: Tx, person: PersonId) -> frozenset[PersonId]:
    """Every record of the same human: the one given, those merged into it, what it went into."""
    found = people.get(tx, person)
    top = person
    seen = {person}
    while found is not None and found.merged_into is not None and found.merged_into not in seen:
        top = found.merged_into
        seen.add(top)
        found = people.get(tx, top)
    waiting = [top]
    while waiting:
        for merge in people.merges_of(tx, waiting.pop()):
            below = merge.before.id
            if not merge.undone and below not in seen and merge.plan.primary.id in seen:
                seen.add(below)
                waiting.append(below)
    return frozenset(seen | {top})


def _written(
    db: Database, tx: Tx, content: str, about: Sequence[str], noted: Noted, *, by: By
) -> Learned:
    found = [_known(db, one) for one in about]
    now = moment(by.now)
    memory = Memory(
        id=memories.new_id(),
        content=content,
        about=AboutPersons(tuple(person.id for person in found)) if found else AboutWorld(),
        kind=noted.kind,
        observed_at=now,
        source="owner",
        sensitivity=higher(sensitivity_of(content), noted.sensitivity or "public"),
        portable=noted.portable,
        private=noted.private,
        validated=True,
        expires_at=expires_at(noted.kind, observed_at=now, until=None),
    )
    return Learned(memories.add(tx, memory, by=by), trust_in(tx, memory))


def _known(db: Database, said: str) -> Person:
    found = identify.resolve(db, said)
    if isinstance(found, Found):
        return found.person
    raise Refused(f"Whom {said!r} means is not certain: {found.reason}. Give the id.")


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
    for hit in search.last_in(tx, heard.chat.id, before=heard.item.seq, limit=_TURNS_BACK):
        content = content_of(soil.get(tx, hit.id))
        if isinstance(content, Message):
            yield content.description, hit.said_by


def _spoken_of(tx: Tx, heard: Heard) -> Who | None:
    """Whom the speaker's last words were about, when it was one person: who "she" is now."""
    for hit in search.last_in(tx, heard.chat.id, before=heard.item.seq, limit=1):
        about = {
            person
            for memory in memories.from_item(tx, hit.id)
            for person in memory.subject_person_ids
        }
        if len(about) == 1:
            return Who(about.pop())
    return None


class _Learning:
    """One message being learned from, inside its transaction."""

    def __init__(
        self, db: Database, tx: Tx, heard: Heard, *, by: By, noted: Noted | None = None
    ) -> None:
        self._db, self._tx, self._heard, self._by = db, tx, heard, by
        self._noted = noted or Noted()
        self._me = records_of(tx, heard.person.id)
        self._learned: list[Learned] = []
        self._superseded: list[Memory] = []
        self._questions: list[Question] = []
        self._persons: dict[PersonId, Person] = {}

    def remembered(self) -> Remembered:
        """Everything that came of it."""
        return Remembered(
            self._heard,
            tuple(self._learned),
            tuple(self._superseded),
            tuple(self._questions),
            tuple(self._persons.values()),
        )

    def take(self, proposal: Proposal) -> None:
        """Believe a proposal, or ask."""
        match proposal:
            case Fact():
                self._fact(proposal)
            case Related():
                self._related(proposal)
            case SelfNamed():
                self._named(proposal)
            case Corrected():
                self._corrected(proposal)
            case _:
                assert_never(proposal)

    def _fact(self, fact: Fact) -> None:
        found = [self._who(one) for one in fact.who]
        if any(one is None for one in found):
            return
        self._keep(fact.content, self._about(found), fact.kind, fact.quote, fact)

    def _about(self, found: Sequence[Person | _Unclear | None]) -> About:
        unclear = next((one for one in found if isinstance(one, _Unclear)), None)
        if unclear:
            return AboutUnresolved(unclear.said, unclear.candidates)
        persons = tuple(one.id for one in found if isinstance(one, Person))
        if not persons:
            return AboutWorld()
        return AboutSpeaker() if set(persons) <= self._me else AboutPersons(persons)

    def _related(self, related: Related) -> None:
        """What somebody is to the speaker is the speaker's claim; between others it is hearsay."""
        if term_of(related.term) is None:
            return
        of = self._who(related.of)
        who = self._who(related.who, hint=related.quote.text)
        if not isinstance(who, Person):
            return
        if related.of.is_speaker:
            if related.who.name and is_placeholder(who):
                who = describe.rename(self._db, who.id, related.who.name, by=self._by)
            speaker = self._heard.speaker
            describe.claim_relationship(
                self._db, who.id, related.term, speaker=speaker, by=self._by
            )
            self._persons[who.id] = people.require(self._tx, who.id)
        elif isinstance(of, Person):
            about = AboutPersons((who.id, of.id))
            content = f"{who.name} is {of.name}'s {related.term}"
            self._keep(content, about, "relationship", related.quote, related)

    def _named(self, named: SelfNamed) -> None:
        me = people.require(self._tx, self._heard.person.id)
        rename = describe.rename if me.name.startswith("Unknown (") else None
        if rename:
            rename(self._db, me.id, named.name, by=self._by)
        else:
            speaker = self._heard.speaker
            describe.add_alias(self._db, me.id, named.name, speaker=speaker, by=self._by)
        self._keep(f"goes by {named.name}", AboutSpeaker(), "identity", named.quote, named)

    def _corrected(self, proposal: Corrected) -> None:
        recent = memories.recent_in(
            self._tx, self._heard.chat.id, self._heard.person.id, limit=_TURNS_BACK
        )
        for old in recent:
            content = corrected(old.content, proposal.value, said=self._heard.said_at)
            if content:
                kept = self._keep(content, old.about, old.kind, proposal.quote, proposal)
                if kept and old.id not in {one.id for one in self._superseded}:
                    self._supersede(old, kept)
                return

    def _keep(
        self, content: str, about: About, kind: Kind, quote: Quote, proposal: Proposal
    ) -> Memory | None:
        memory = self._memory(masked(content), about, kind, quote, proposal)
        mine = claim_of(self._tx, memory)
        known = memories.comparable(self._tx, mine.about, keys_of(memory.content))
        if any(_repeats(one, memory) for one in known):
            return None
        memories.add(self._tx, memory, by=self._by)
        self._learned.append(Learned(memory, trust_of(about, said_by=mine.said_by)))
        for old in known:
            if may_supersede(mine, claim_of(self._tx, old)):
                self._supersede(old, memory)
        if isinstance(about, AboutUnresolved):
            self._ask(about, memory)
        return memory

    def _memory(
        self, content: str, about: About, kind: Kind, quote: Quote, proposal: Proposal
    ) -> Memory:
        heard, noted = self._heard, self._noted
        until = proposal.until if isinstance(proposal, Fact) else None
        level = higher(sensitivity_of(content), sensitivity_of(quote.text))
        return Memory(
            id=memories.new_id(),
            content=content,
            about=about,
            kind=kind,
            observed_at=heard.said_at,
            speaker=heard.speaker,
            said_by=heard.person.id if heard.verified else None,
            chat=heard.chat.id,
            chat_version=heard.chat.version,
            scope="account" if heard.chat.kind == "private" else "chat",
            source=indexing.source_of(heard.chat),
            item=ItemId(heard.item.uuid),
            quote=quote,
            confidence=proposal.confidence,
            sensitivity=higher(level, noted.sensitivity or "public"),
            portable=noted.portable,
            private=noted.private,
            expires_at=expires_at(kind, observed_at=heard.said_at, until=until),
        )

    def _supersede(self, old: Memory, new: Memory) -> None:
        self._superseded.append(memories.supersede(self._tx, old, by_memory=new, by=self._by))

    def _ask(self, about: AboutUnresolved, memory: Memory) -> None:
        names = [people.require(self._tx, person).name for person in about.candidates]
        among = f" {' or '.join(names)}?" if names else ""
        self._questions.append(
            Question(
                kind="who_is_meant",
                said=about.said,
                text=f"Who is {about.said!r}?{among}",
                candidates=about.candidates,
                memory=memory.id,
            )
        )

    def _who(self, who: Who, hint: str | None = None) -> Person | _Unclear | None:
        """Who is meant; None when nobody is, and what was said is to be left alone."""
        if who.is_speaker:
            return self._heard.person
        if known := people.get(self._tx, who.said):
            return known
        found = self._resolved(who, hint or self._heard.text)
        match found:
            case Found(person=person):
                self._persons[person.id] = person
                return person
            case Ambiguous(candidates=candidates):
                return _Unclear(who.said, tuple(one.id for one in candidates))
            case _:
                return _Unclear(who.said) if who.is_sure else None

    def _resolved(self, who: Who, hint: str) -> Found | Ambiguous | Unknown:
        speaker = self._heard.speaker
        if not who.is_sure:
            return identify.resolve(self._db, who.said, speaker=speaker)
        if who.name and (here := self._present(who)):
            return here
        sentence = f"{who.said} {who.name}" if who.name else hint
        met = identify.resolve_or_create(
            self._db, who.said, speaker=speaker, hint=sentence, by=self._by
        )
        return met.resolution

    def _present(self, who: Who) -> Found | None:
        """Whom "my wife Sarah" names in a chat where one Sarah is: a claim about her is made."""
        here = Context(participants=tuple(map(PersonId, self._heard.chat.participants)))
        found = identify.resolve(self._db, who.name, speaker=self._heard.speaker, context=here)
        if not isinstance(found, Found) or found.person.id not in here.participants:
            return None
        _, _, term = who.said.partition(" ")
        if term_of(term) is None or found.person.id in self._me:
            return None
        claimed_ = describe.claim_relationship(
            self._db, found.person.id, term, speaker=self._heard.speaker, by=self._by
        )
        return replace(found, person=claimed_)


def _repeats(old: Memory, new: Memory) -> bool:
    """Whether the same person says the very same again: nothing new is learned."""
    return (
        old.said_by == new.said_by
        and old.about == new.about
        and old.content.casefold() == new.content.casefold()
        and old.source == new.source
        and (old.source != "shared" or old.chat == new.chat)
    )
