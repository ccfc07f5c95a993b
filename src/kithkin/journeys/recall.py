"""Recall what was said and what is believed: who may hear it is decided before it is ranked."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.contacts import store as contacts
from kithkin.db import Database, Tx
from kithkin.errors import Erased, InvalidInput, NotFound
from kithkin.ids import ChatId, PersonId, SpeakerKey
from kithkin.journeys.identify import Directory, speaker_in
from kithkin.journeys.remember import records_of, trust_in
from kithkin.memories import store as memories
from kithkin.memories.access import Indexed, tokens_for
from kithkin.memories.dates import spans_in
from kithkin.memories.disclosure import Audience, Decision, Hearer, Hidden, Shown, decide
from kithkin.memories.extraction.sentences import END_OF_RECALLED, RECALLED
from kithkin.memories.lifetimes import has_expired
from kithkin.memories.model import Kind, Memory, Sensitivity, Trust
from kithkin.memories.ranking import Asked, Candidate, Neighbour, ranked, scaled
from kithkin.people import store as people
from kithkin.people.keys import exact_keys
from kithkin.people.mentions import lowered
from kithkin.people.model import Found, Person
from kithkin.people.resolve import resolve
from kithkin.people.terms import TERM_IN_TEXT
from kithkin.people.words import fold, name_of
from kithkin.ports import Embedder
from kithkin.search import nearness
from kithkin.search import store as search
from kithkin.search.model import ASKS, TIMED, Hit, Query
from kithkin.search.words import STOP_WORDS, query_words, words_in
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import Message

_CANDIDATES: Final = 60
"""How many are ranked at least; twice as many as are asked for, if that is more."""
_END: Final = 2**62
_PAGE: Final = 200
_SPREAD: Final = 25
"""How many of the best share with the turns beside them, at least."""
_MOST: Final = 1000
_LONGEST_CHAIN: Final = 20
_MINE: Final = re.compile(rf"(?<![\w'-])(?:my|our) ({TERM_IN_TEXT})")
_MYSELF: Final = re.compile(r"(?<![\w'-])(?:i|me|my|mine|myself)(?![\w-])")
_WHEN: Final = re.compile(r"\s*(?:when|how long|what (?:date|day|month|year|time))\b")
_decode = msgspec.json.Decoder(Indexed)


class Recalled(Struct, frozen=True):
    """Something recalled: what, who said it of whom, when, how far it is trusted, and its words."""

    id: str
    kind: Kind | str
    content: str
    when: str
    subjects: tuple[PersonId, ...] = ()
    said_by: PersonId | None = None
    speaker: SpeakerKey | None = None
    trust: Trust = "unknown"
    sensitivity: Sensitivity = "public"
    score: float = 0.0
    quote: str | None = None
    item: str | None = None
    chat: ChatId | None = None
    because: str = ""
    """Why it may be told."""


class View:
    """What one audience may see, within a snapshot. None: the owner, who sees all."""

    def __init__(self, tx: Tx, audience: Audience | None, *, now: datetime) -> None:
        self.tx, self.audience, self.now = tx, audience, now
        self._places = self._common_places()
        self._decided: dict[str, Decision] = {}

    def tokens(self) -> tuple[str, ...] | None:
        """What narrows the index to what this audience may see."""
        return None if self.audience is None else tokens_for(self.audience, self._places)

    def decide(self, indexed: Indexed, *, depth: int = 0) -> Decision:
        """Whether this audience may be told; what replaced it is asked first."""
        if self.audience is None:
            return self._decide_for_owner(indexed)
        record = indexed.record
        if indexed.place in self._places:
            heard = tuple(next(iter(hearer.ids)) for hearer in self.audience.hearers if hearer.ids)
            record = replace(record, heard_by=heard)
        newer = self._newer(indexed, depth) if indexed.superseded_by else None
        return decide(record, self.audience, now=self.now, successor=newer)

    def _decide_for_owner(self, indexed: Indexed) -> Decision:
        record = indexed.record
        over = has_expired(record.expires_at, now=self.now)
        if record.state != "kept" or indexed.superseded_by is not None or over:
            return Hidden("it no longer stands")
        return Shown("the owner sees all")

    def decide_hit(self, hit: Hit) -> Decision:
        """The decision on something the index found."""
        # Most of what was said in one chat has the very same record.
        decision = self._decided.get(hit.record)
        if decision is None:
            decision = self._decided[hit.record] = self.decide(_decode.decode(hit.record))
        return decision

    @cached_property
    def present(self) -> frozenset[PersonId]:
        """Every record of everyone who will read the answer."""
        hearers = self.audience.hearers if self.audience else ()
        return frozenset(one for hearer in hearers for one in hearer.ids)

    def knows(self, person: Person) -> bool:
        """Whether somebody who will read the answer has spoken of this person."""
        said = {claim.stated_by for claim in person.relationships} | {person.created_by}
        return bool(self._keys.intersection(said | {alias.added_by for alias in person.aliases}))

    @cached_property
    def _keys(self) -> frozenset[SpeakerKey]:
        return frozenset(key for one in self.present for key in contacts.keys_of(self.tx, one))

    def _newer(self, indexed: Indexed, depth: int) -> Decision | None:
        hit = search.get(self.tx, indexed.superseded_by or "")
        if hit is None or depth >= _LONGEST_CHAIN:
            return None
        newer = _decode.decode(hit.record)
        decision = self.decide(newer, depth=depth + 1)
        # What was itself replaced by something visible hides the old one all the more.
        replaced = newer.superseded_by and isinstance(self._newer(newer, depth + 1), Shown)
        return Shown("something newer still") if replaced else decision

    def _common_places(self) -> frozenset[str]:
        if self.audience is None or not self.audience.hearers:
            return frozenset()
        each = [search.places_of(self.tx, hearer.ids) for hearer in self.audience.hearers]
        return frozenset.intersection(*each)


def recall(
    db: Database,
    question: str,
    *,
    audience: Audience | None,
    speaker: str | None = None,
    limit: int = 10,
    now: datetime,
    embedder: Embedder | None = None,
) -> list[Recalled]:
    """The best of what this audience may be told about a question."""
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"Ask for 1 to {_MOST} results, not {limit}.")
    # The model reads the question before anything is open.
    near = nearness.Question(embedder, question) if embedder and question.strip() else None
    with db.snapshot() as tx:
        view = View(tx, audience, now=now)
        asked = _asked(tx, question, view, speaker)
        if not asked.words and near is None:
            return _about(view, asked, limit)
        return _ranked(view, asked, limit, near)


def embed(db: Database, embedder: Embedder, *, most: int = 1000) -> int:
    """Let a model read what it has not read yet; how many texts it was."""
    done = 0
    while done < most:
        with db.snapshot() as tx:
            waiting = search.without_vector(tx, embedder.name, limit=min(64, most - done))
            texts = [_text_of(tx, hit) for hit in waiting]
        if not waiting:
            break
        vectors = nearness.packed(embedder, texts)
        with db.transaction() as tx:
            pairs = zip((hit.seq for hit in waiting), vectors, strict=True)
            search.put_vectors(tx, embedder.name, pairs)
        done += len(waiting)
    return done


def find_memories_by_subject(
    db: Database, persons: Collection[str], *, audience: Audience | None, now: datetime
) -> list[Memory]:
    """Memories about these people from every context, their own word included, if allowed."""
    with db.snapshot() as tx:
        view = View(tx, audience, now=now)
        ids = {one for person in persons for one in records_of(tx, PersonId(person))}
        return [memory for memory, _ in visible(view, memories.about_any(tx, ids))]


def listed(
    db: Database, *, audience: Audience | None, everything: bool, limit: int, now: datetime
) -> list[Recalled]:
    """Memories that may be told, the newest first; the owner may see those that are gone too."""
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"Ask for 1 to {_MOST} memories, not {limit}.")
    told: list[Recalled] = []
    with db.snapshot() as tx:
        view, after = View(tx, audience, now=now), _END
        while page := memories.listed(tx, after=after, limit=_PAGE, everything=everything):
            after = page[-1][0]
            found = [memory for _, memory in page]
            if audience is None:
                told += [of_memory(tx, memory, because="the owner sees all") for memory in found]
            else:
                shown = visible(view, found)
                told += [of_memory(tx, memory, because=why.because) for memory, why in shown]
            if len(told) >= limit:
                break
    return told[:limit]


def show(db: Database, memory: str, *, audience: Audience | None, now: datetime) -> Recalled:
    """One memory, if it may be told; else it is said not to be there."""
    with db.snapshot() as tx:
        found = memories.get(tx, memory)
        if audience is None:
            return of_memory(tx, found, because="the owner sees all")
        for told, why in visible(View(tx, audience, now=now), [found]):
            return of_memory(tx, told, because=why.because)
    raise NotFound(f"There is no memory {memory} for you to see.")


def stats(db: Database) -> dict[str, int]:
    """How many memories stand, were superseded, and were archived, by reason."""
    with db.snapshot() as tx:
        return memories.count(tx)


def visible(view: View, found: Iterable[Memory]) -> list[tuple[Memory, Shown]]:
    """Those an audience may be told, with why; one in doubt as it was last confirmed."""
    shown = []
    for memory in found:
        hit = search.get(view.tx, memory.id)
        decision = view.decide_hit(hit) if hit else Hidden("it is not indexed")
        if isinstance(decision, Shown):
            shown.append((as_told(memory, decision), decision))
    return shown


def as_told(memory: Memory, decision: Shown) -> Memory:
    """The memory as it may be told: while it is in doubt, its last confirmed value."""
    if decision.confirmed_only and memory.doubt and memory.doubt.confirmed:
        return replace(memory, content=memory.doubt.confirmed, quote=None)
    return memory


def meant(tx: Tx, question: str, speaker: str) -> tuple[Person, ...]:
    """The people a question is about, as far as it names or describes them."""
    who = speaker_in(tx, speaker)
    me = records_of(tx, who.person) if who and who.person else frozenset()
    hearers = (Hearer(me, verified=True),)
    view = View(tx, Audience(hearers), now=datetime.now(UTC))
    persons, _ = _meant(tx, question[:4000], view, speaker)
    return persons


def unknown_of(tx: Tx, question: str, speaker: str) -> str | None:
    """The first "my X" of a question that the speaker has named nobody for."""
    who = speaker_in(tx, speaker)
    for match in _MINE.finditer(lowered(question)):
        if not isinstance(resolve(match[0], speaker=who, people=Directory(tx)), Found):
            return match[0]
    return None


def context(recalled: Sequence[Recalled], names: Callable[[str], str], *, tokens: int) -> str:
    """What was recalled, for a prompt: within a bound, and marked so that it is never mined."""
    if not recalled:
        return ""
    left = tokens * 4 - len(RECALLED) - len(END_OF_RECALLED)
    lines = []
    for one in recalled:
        line = _line(one, names)
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join([RECALLED, *lines, END_OF_RECALLED]) if lines else ""


def _line(one: Recalled, names: Callable[[str], str]) -> str:
    said = names(one.said_by) if one.said_by else "somebody"
    about = ", ".join(names(person) for person in one.subjects)
    content = " ".join(one.content.split()).replace(END_OF_RECALLED, "").replace(RECALLED, "")
    told = f"about {about}: {content}" if about else content
    return f"- {one.when[:10]}, {said} said ({one.trust}): {told}"


class _Asked(Struct, frozen=True):
    words: tuple[str, ...]
    persons: tuple[Person, ...]
    asked: Asked


def _asked(tx: Tx, question: str, view: View, speaker: str | None) -> _Asked:
    text = question[:4000]
    persons, names = _meant(tx, text, view, speaker)
    spans = spans_in(text, said=view.now)
    timed = {word for span in spans for word in words_in(text[span.start : span.end])}
    ids = frozenset(one for person in persons for one in records_of(tx, person.id))
    first = min((span.first for span in spans), default=None)
    last = max((span.last for span in spans), default=None)
    asked = Asked(
        ids,
        when=bool(_WHEN.match(text.lower())),
        since=datetime.combine(first, time.min, UTC) if first else None,
        until=datetime.combine(last, time.min, UTC) + timedelta(days=1) if last else None,
    )
    words = query_words(text, without=frozenset(names | timed))
    telling = tuple(word for word in words if word not in STOP_WORDS)
    return _Asked(telling if persons or spans else words, persons, asked)


def _meant(
    tx: Tx, text: str, view: View, speaker: str | None
) -> tuple[tuple[Person, ...], set[str]]:
    """The people a question is about, and the words that only name them."""
    low = lowered(text)
    asker = speaker_in(tx, speaker) if speaker else None
    found: dict[PersonId, Person] = {}
    names: set[str] = set()
    for match in _MINE.finditer(low):
        meant = resolve(match[0], speaker=asker, people=Directory(tx))
        if isinstance(meant, Found):
            found[meant.person.id] = meant.person
            names |= set(words_in(match[0]))
    for word in words_in(text):
        if word not in STOP_WORDS and (person := _called(tx, word, view)):
            found[person.id] = person
            names.add(word)
    if not found and asker and asker.person and _MYSELF.search(low):
        me = people.get(tx, asker.person)
        return ((me,) if me else ()), names
    return tuple(found.values()), names


def _called(tx: Tx, word: str, view: View) -> Person | None:
    """The one person of this name among those whom somebody here is or has spoken of."""
    key = fold(word)
    known = [
        person
        for person in people.named(tx, exact_keys(word))
        if person.merged_into is None and key in _name_words(person)
    ]
    if known and view.audience is not None:
        here = view.present
        known = [p for p in known if p.id in here] or [p for p in known if view.knows(p)]
    return known[0] if len(known) == 1 else None


def _name_words(person: Person) -> frozenset[str]:
    names = (person.name, *(alias.value for alias in person.aliases))
    return frozenset(word for name in names for word in name_of(name).words)


def _about(view: View, asked: _Asked, limit: int) -> list[Recalled]:
    """Everything that may be told of the people meant, the newest first."""
    ids = asked.asked.persons
    found = visible(view, memories.about_any(view.tx, ids))
    if asked.asked.since is not None and asked.asked.until is not None:
        since, until = asked.asked.since, asked.asked.until
        found = [(m, why) for m, why in found if since <= m.observed_at < until]
    return [of_memory(view.tx, memory, because=why.because) for memory, why in found[:limit]]


def _ranked(
    view: View, asked: _Asked, limit: int, near: "nearness.Question | None"
) -> list[Recalled]:
    found, decisions = _found(view, asked, max(_CANDIDATES, limit * 2))
    closeness = near.closest(view.tx) if near else {}
    _add_near(view, found, decisions, closeness)
    best = max((hit.score for hit in found.values()), default=0.0) or 1.0
    near_by = scaled(closeness, list(found)) if closeness else {}
    candidates = [
        _candidate(hit, words=hit.score / best, nearness=near_by.get(hit.seq, 0.0))
        for hit in found.values()
    ]
    beside = _beside(view, candidates, decisions, most=max(_SPREAD, limit))
    order = ranked(candidates, beside, asked.asked)
    return _told(view, order, decisions, limit)


def _found(
    view: View, asked: _Asked, wanted: int
) -> tuple[dict[int, Hit], dict[int, tuple[Hit, Shown]]]:
    """The best by their words that may be told: more is read until enough of it may be."""
    query = Query(asked.words, view.tokens())
    few = search.find_among_few(view.tx, query, limit=wanted)
    if few is not None:
        return _shown(view, few)
    # Whoever sees this much sees most of it: the rule alone is faster than the tokens first.
    hits = search.find(view.tx, Query(asked.words), limit=wanted)
    found, decisions = _shown(view, hits)
    limit = wanted
    while len(found) < wanted // 2 and len(hits) == limit:
        hits = search.find(view.tx, query, limit=limit)
        found, decisions = _shown(view, hits)
        limit *= 4
    return found, decisions


def _shown(view: View, hits: Sequence[Hit]) -> tuple[dict[int, Hit], dict[int, tuple[Hit, Shown]]]:
    decided = [(hit, view.decide_hit(hit)) for hit in hits]
    shown = {hit.seq: (hit, why) for hit, why in decided if isinstance(why, Shown)}
    return {seq: hit for seq, (hit, _) in shown.items()}, shown


def _add_near(
    view: View,
    found: dict[int, Hit],
    decisions: dict[int, tuple[Hit, Shown]],
    closeness: dict[int, float],
) -> None:
    """What is near in meaning and holds none of the words, as far as it may be told."""
    order = sorted(closeness, key=lambda seq: -closeness[seq])
    left = _PAGE
    for start in range(0, len(order), _PAGE):
        for hit in search.by_seq(view.tx, order[start : start + _PAGE]):
            decision = view.decide_hit(hit)
            if isinstance(decision, Shown):
                found.setdefault(hit.seq, hit)
                decisions.setdefault(hit.seq, (hit, decision))
                left -= 1
        if left <= 0:
            return


def _beside(
    view: View,
    candidates: Sequence[Candidate],
    decisions: dict[int, tuple[Hit, Shown]],
    *,
    most: int,
) -> list[Neighbour]:
    best = sorted(candidates, key=lambda one: -one.words)[:most]
    neighbours = []
    for one in search.beside(view.tx, [each.seq for each in best]):
        if one.hit.seq not in decisions:
            decision = view.decide_hit(one.hit)
            if not isinstance(decision, Shown):
                continue
            decisions[one.hit.seq] = (one.hit, decision)
        neighbours.append(Neighbour(one.of, one.steps, _candidate(one.hit)))
    return neighbours


def _candidate(hit: Hit, *, words: float = 0.0, nearness: float = 0.0) -> Candidate:
    return Candidate(
        hit.seq,
        words,
        nearness,
        PersonId(hit.said_by) if hit.said_by else None,
        _decode.decode(hit.record).record.subjects if hit.kind == "memory" else (),
        datetime.fromisoformat(hit.said_at),
        bool(hit.marks & ASKS),
        bool(hit.marks & TIMED),
    )


def _told(
    view: View,
    order: Sequence[tuple[int, float]],
    decisions: dict[int, tuple[Hit, Shown]],
    limit: int,
) -> list[Recalled]:
    """The best, each item once: what a message taught stands for the message."""
    told: dict[str, Recalled] = {}
    for seq, score in order[: limit * 3]:
        hit, decision = decisions[seq]
        # Past the end only what a message taught is still looked for.
        if len(told) == limit and hit.kind == "message":
            continue
        one = _recalled(view.tx, hit, decision, score)
        key = (one.item or one.id) if one else ""
        before = told.get(key)
        if one and before is None and len(told) < limit:
            told[key] = one
        elif one and before and before.kind == "message" and one.kind != "message":
            told[key] = replace(one, score=before.score)
    return list(told.values())


def _recalled(tx: Tx, hit: Hit, decision: Shown, score: float) -> Recalled | None:
    if hit.kind == "memory":
        memory = as_told(memories.get(tx, hit.id), decision)
        return of_memory(tx, memory, score=score, because=decision.because)
    try:
        message = content_of(soil.get(tx, hit.id))
    except (Erased, NotFound):
        return None
    if not isinstance(message, Message):
        return None
    return Recalled(
        id=hit.id,
        kind="message",
        content=message.description,
        when=hit.said_at,
        said_by=PersonId(hit.said_by) if hit.said_by else None,
        speaker=SpeakerKey(message.sender),
        trust="fact" if message.verified else "unknown",
        sensitivity=_decode.decode(hit.record).record.sensitivity,
        score=round(score, 4),
        quote=message.description,
        item=hit.id,
        chat=ChatId(hit.chat) if hit.chat else None,
        because=decision.because,
    )


def of_memory(tx: Tx, memory: Memory, *, score: float = 0.0, because: str = "") -> Recalled:
    """A memory as it is recalled."""
    return Recalled(
        id=memory.id,
        kind=memory.kind,
        content=memory.content,
        when=memory.observed_at.isoformat(),
        subjects=memory.subject_person_ids,
        said_by=memory.said_by,
        speaker=memory.speaker,
        trust=trust_in(tx, memory),
        sensitivity=memory.sensitivity,
        score=round(score, 4),
        quote=memory.quote.text if memory.quote else None,
        item=memory.item,
        chat=memory.chat,
        because=because,
    )


def _text_of(tx: Tx, hit: Hit) -> str:
    if hit.kind == "memory":
        memory = memories.get(tx, hit.id)
        return memory.quote.text if memory.quote else memory.content
    message = content_of(soil.get(tx, hit.id))
    return message.description if isinstance(message, Message) else ""
