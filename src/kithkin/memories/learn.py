"""Learn from one message: who is meant, what is kept, what it replaces, what to ask."""

from collections.abc import Sequence
from functools import cached_property
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.disclosure.audience import audience_in
from kithkin.disclosure.people import Telling
from kithkin.identity import introduce, person_edit, self_person
from kithkin.identity.records import records_of
from kithkin.ids import REAL, ItemId, PersonId
from kithkin.language.kinship import term_of
from kithkin.language.secrets import masked
from kithkin.language.sensitivity import Sensitivity, higher, sensitivity_of
from kithkin.memories import doubts
from kithkin.memories import store as memories
from kithkin.memories.extract.corrections import corrected
from kithkin.memories.extract.model import Corrected, Fact, Proposal, Related, SelfNamed, Who
from kithkin.memories.extract.sentences import clauses_of
from kithkin.memories.lifetimes import expires_at
from kithkin.memories.merged_records import claim_of, trust_in
from kithkin.memories.model import (
    About,
    AboutPersons,
    AboutSpeaker,
    AboutUnresolved,
    AboutWorld,
    Kind,
    Memory,
    Profile,
    Quote,
    Trust,
)
from kithkin.memories.supersession import (
    keys_of,
    may_supersede,
)
from kithkin.messages.message_append import Heard
from kithkin.people import store as people
from kithkin.people.introductions import introductions
from kithkin.people.lookup_keys import is_placeholder
from kithkin.people.model import Ambiguous, Context, Found, Person, Unknown
from kithkin.personas.groups import groups_when_new
from kithkin.personas.voices import REAL_WORLD, is_at_home
from kithkin.questions import ask
from kithkin.questions import store as questions
from kithkin.questions.answers import NAME
from kithkin.questions.model import Question


class Learned(Struct, frozen=True, tag=True):
    """A new memory and how far it is trusted."""

    memory: Memory
    trust: Trust


class Remembered(Struct, frozen=True, tag=True):
    """What became of a message."""

    heard: Heard
    learned: tuple[Learned, ...] = ()
    superseded: tuple[Memory, ...] = ()
    questions: tuple[Question, ...] = ()
    persons: tuple[Person, ...] = ()
    """Everyone it was about, the speaker left out."""
    doubts: tuple[Question, ...] = ()
    """What the steward will ask about: whether it was real, or role-play."""


class Noted(Struct, frozen=True):
    """What is said of a memory that is written down by hand."""

    kind: Kind = "knowledge"
    sensitivity: Sensitivity | None = None
    portable: bool = False
    private: bool = False


_TURNS_BACK = 3


class Item(Struct, frozen=True):
    """What makes a memory an item of the profile."""

    name: str
    profile: Profile


class _Unclear(Struct, frozen=True):
    """A reference that leads to nobody in particular."""

    said: str
    candidates: tuple[PersonId, ...] = ()


class Learning:
    """One message being learned from, inside its transaction."""

    def __init__(
        self, db: Database, tx: Tx, heard: Heard, *, by: By, noted: Noted | None = None
    ) -> None:
        self._db, self._tx, self._heard, self._by = db, tx, heard, by
        self._noted, self._voice = noted or Noted(), heard.voice
        self._me = records_of(tx, heard.person.id)
        self._learned: list[Learned] = []
        self._superseded: list[Memory] = []
        self._questions: list[Question] = []
        self._doubts: list[Question] = []
        self._persons: dict[PersonId, Person] = {}

    def remembered(self) -> Remembered:
        """Everything that came of it."""
        return Remembered(
            self._heard,
            tuple(self._learned),
            tuple(self._superseded),
            tuple(self._questions),
            tuple(self._persons.values()),
            tuple(self._doubts),
        )

    def introduce(self, text: str) -> None:
        """Meet whom the message names by the way: "hiking with my wife Sarah"."""
        for clause in clauses_of(text):
            for term, name in introductions(clause.text):
                who = self._who(Who(f"my {term.label}", name), hint=clause.text)
                end = clause.start + len(clause.text)
                quote = Quote(clause.text, clause.start, end)
                self._note_relation(who, term.label, quote, None)

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
            self._claim(who, related)
            self._note_relation(who, related.term, related.quote, related)
        elif isinstance(of, Person):
            about = AboutPersons((who.id, of.id))
            content = f"{who.name} is {of.name}'s {related.term}"
            self._keep(content, about, "relationship", related.quote, related)

    def _claim(self, who: Person, related: Related) -> None:
        """What somebody is to the speaker. A fiction says so of its own people alone."""
        if not is_at_home(self._voice, who):
            return
        if related.who.name and is_placeholder(who):
            who = person_edit.rename(self._db, who.id, related.who.name, by=self._by)
        speaker = self._heard.speaker
        person_edit.claim_relationship(self._db, who.id, related.term, speaker=speaker, by=self._by)
        self._persons[who.id] = people.require(self._tx, who.id)

    def _note_relation(
        self, who: Person | _Unclear | None, term: str, quote: Quote, related: Related | None
    ) -> None:
        """Somebody a persona was told of is an item of the profile: it may turn out to be real."""
        if self._voice.is_steward or not isinstance(who, Person):
            return
        person = people.require(self._tx, who.id)
        if is_at_home(self._voice, person):
            content = f"{person.name} is your {term}"
            item = Item(person.name, "person")
            said = related or Fact((), content, "relationship", quote)
            self._keep(content, AboutPersons((person.id,)), "relationship", quote, said, item=item)

    def _named(self, named: SelfNamed) -> None:
        if not self._voice.is_steward:
            # What somebody calls themselves in a play is no name of theirs.
            self._keep(f"goes by {named.name}", AboutSpeaker(), "identity", named.quote, named)
            return
        me = people.require(self._tx, self._heard.person.id)
        rename = person_edit.rename if me.name.startswith("Unknown (") else None
        if rename:
            rename(self._db, me.id, named.name, by=self._by)
        else:
            speaker = self._heard.speaker
            person_edit.add_alias(self._db, me.id, named.name, speaker=speaker, by=self._by)
        self._keep(f"goes by {named.name}", AboutSpeaker(), "identity", named.quote, named)

    def _corrected(self, proposal: Corrected) -> None:
        recent = memories.recent_in(
            self._tx, self._heard.chat.id, self._heard.person.id, limit=_TURNS_BACK
        )
        for old in recent:
            if not doubts.may_build_on(self._voice, old):
                continue
            content = corrected(old.content, proposal.value, said=self._heard.said_at)
            if content:
                kept = self._keep(content, old.about, old.kind, proposal.quote, proposal)
                done = {one.id for one in self._superseded}
                if kept and kept.doubt == old.doubt and old.id not in done:
                    self._supersede(old, kept)
                return

    def _keep(
        self,
        content: str,
        about: About,
        kind: Kind,
        quote: Quote,
        proposal: Proposal,
        *,
        item: Item | None = None,
    ) -> Memory | None:
        memory = self._memory(masked(content), about, kind, quote, proposal)
        if item:
            memory = replace(memory, name=item.name, profile=item.profile)
        mine = claim_of(self._tx, memory)
        found = memories.comparable(self._tx, mine.about, keys_of(memory.content))
        known = [old for old in found if doubts.may_build_on(self._voice, old)]
        if any(_repeats(one, memory) for one in known):
            return None
        replaced = [
            old
            for old in known
            if doubts.same_world(old, memory) and may_supersede(mine, claim_of(self._tx, old))
        ]
        return self._kept(doubts.hold(self._voice, memory, replaced))

    def _kept(self, held: doubts.Held) -> Memory:
        memory = memories.add(self._tx, held.memory, by=self._by)
        self._learned.append(Learned(memory, trust_in(self._tx, memory)))
        for old in held.replaces:
            self._supersede(old, memory)
        if memory.doubt:
            self._doubts.append(doubts.ask_about(self._tx, held, self._voice, by=self._by))
        if isinstance(memory.about, AboutUnresolved):
            self._ask(memory.about, memory)
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
            said_by=heard.person.id,
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
            groups=groups_when_new(self._voice.persona) if self._voice.persona else (REAL,),
            learned_by=self._voice.id,
            last_changed_by=self._voice.id,
            expires_at=expires_at(kind, observed_at=heard.said_at, until=until),
        )

    def _supersede(self, old: Memory, new: Memory) -> None:
        self._superseded.append(memories.supersede(self._tx, old, by_memory=new, by=self._by))

    def _ask(self, about: AboutUnresolved, memory: Memory) -> None:
        """Ask the one who said it; until then it is known in its own chat alone."""
        names = [people.require(self._tx, person).name for person in about.candidates]
        among = f" {' or '.join(names)}?" if names else ""
        question = Question(
            id=questions.new_id(),
            kind="ambiguous",
            text=f"Who is {about.said!r}?{among}",
            options=(NAME,),
            dedup=f"who_is_meant:{memory.id}",
            asked_at=self._by.now,
            asked_after=0,
            audience=self._heard.person.id,
            subject=memory.id,
            sources=(self._heard.item.uuid,),
            details={
                "said": about.said,
                "candidates": list(about.candidates),
                "group": self._voice.home,
            },
        )
        self._questions.append(ask.ask(self._tx, question, by=self._by)[0])

    def _who(self, who: Who, hint: str | None = None) -> Person | _Unclear | None:
        """Who is meant; None when nobody is, and what was said is to be left alone."""
        if who.is_speaker:
            return self._heard.person
        if known := people.get(self._tx, who.said):
            return known
        found = self._resolved(who, hint or self._heard.text)
        if isinstance(self._telling.resolution(found), Unknown):
            # Whom another one calls so is not told by keeping what is said of them.
            return _Unclear(who.said) if who.is_sure else None
        match found:
            case Found(person=person):
                self._persons[person.id] = person
                return person
            case Ambiguous(candidates=candidates):
                return _Unclear(who.said, tuple(one.id for one in candidates))
            case _:
                return _Unclear(who.said) if who.is_sure else None

    @cached_property
    def _telling(self) -> Telling:
        heard = self._heard
        return Telling(audience_in(self._tx, heard.speaker, chat=heard.chat.id))

    def _resolved(self, who: Who, hint: str) -> Found | Ambiguous | Unknown:
        speaker = self._heard.speaker
        if not who.is_sure:
            # What the steward is told is about real people.
            voice = REAL_WORLD if self._voice.is_steward else self._voice
            return self_person.resolve(self._db, who.said, speaker=speaker, voice=voice)
        if who.name and self._voice.is_steward and (here := self._present(who)):
            return here
        sentence = f"{who.said} {who.name}" if who.name else hint
        met = introduce.resolve_or_create(
            self._db, who.said, speaker=speaker, hint=sentence, voice=self._voice, by=self._by
        )
        return met.resolution

    def _present(self, who: Who) -> Found | None:
        """Whom "my wife Sarah" names in a chat where one Sarah is: a claim about her is made."""
        here = Context(participants=tuple(map(PersonId, self._heard.chat.participants)))
        found = self_person.resolve(
            self._db, who.name, speaker=self._heard.speaker, context=here, voice=REAL_WORLD
        )
        if not isinstance(found, Found) or found.person.id not in here.participants:
            return None
        _, _, term = who.said.partition(" ")
        if term_of(term) is None or found.person.id in self._me:
            return None
        claimed_ = person_edit.claim_relationship(
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
