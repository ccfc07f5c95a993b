"""Recall what was said and what is believed: who may hear it is decided before it is ranked."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.db import Database, Tx
from kithkin.disclosure.rule import Audience, Hidden, Shown
from kithkin.disclosure.view import View, decode
from kithkin.errors import Erased, InvalidInput, NotFound
from kithkin.identity.records import records_of
from kithkin.ids import REAL, ChatId, PersonId, SpeakerKey
from kithkin.language.sensitivity import Sensitivity
from kithkin.memories import store as memories
from kithkin.memories.extract.sentences import END_OF_RECALLED, RECALLED, marked
from kithkin.memories.merged_records import trust_in
from kithkin.memories.model import Kind, Memory, Trust
from kithkin.memories.query_parser import Question, asked_in
from kithkin.memories.ranking import Candidate, Neighbour, ranked, scaled
from kithkin.ports import Embedder
from kithkin.search import similarity, vectors
from kithkin.search import store as search
from kithkin.search.model import ASKS, TIMED, Hit, Query
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import Item, Message

_CANDIDATES: Final = 60
"""How many are ranked at least; twice as many as are asked for, if that is more."""
_END: Final = 2**62
_PAGE: Final = 200
_SPREAD: Final = 10
"""How many of the best share with the turns beside them, at least."""
_NEAREST: Final = 200
"""How many are near in meaning, of what the audience's tokens open."""
_MOST: Final = 1000


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
    groups: tuple[str, ...] = (REAL,)
    in_doubt: bool = False
    """A human has yet to say whether it is real."""
    is_past: bool = False
    """A message all of whose facts were replaced since: its words are no longer true."""


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
    near = similarity.Question(embedder, question) if embedder and question.strip() else None
    with db.snapshot() as tx:
        view = View(tx, audience, now=now)
        asked = asked_in(tx, question, view, speaker)
        if not asked.words and near is None:
            return _about(view, asked, limit)
        return _ranked(view, asked, limit, near)


def embed(db: Database, embedder: Embedder, *, most: int = 1000) -> int:
    """Let a model read what it has not read yet; how many texts it was."""
    done = 0
    while done < most:
        with db.snapshot() as tx:
            waiting = vectors.without_vector(tx, embedder.name, limit=min(64, most - done))
            texts = [_text_of(tx, hit) for hit in waiting]
        if not waiting:
            break
        packed = similarity.packed(embedder, texts)
        with db.transaction() as tx:
            pairs = zip((hit.seq for hit in waiting), packed, strict=True)
            vectors.put(tx, embedder.name, pairs)
        done += len(waiting)
    _hand_over(db)
    return done


def _hand_over(db: Database) -> None:
    """Let a server that compares vectors itself read those that it has not."""
    handed = 1
    while handed and db.dialect == "postgres":
        with db.transaction() as tx:
            handed = similarity.hand_over(tx)


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
    """Those an audience may be told, with why."""
    shown = []
    known = list(found)
    hits = search.several(view.tx, [memory.id for memory in known])
    for memory in known:
        hit = hits.get(memory.id)
        decision = view.decide_hit(hit) if hit else Hidden("it is not indexed")
        if isinstance(decision, Shown):
            shown.append((memory, decision))
    return shown


def context(recalled: Sequence[Recalled], names: Callable[[str], str], *, tokens: int) -> str:
    """What was recalled, for a prompt: within a bound, and marked so that it is never mined.

    A message whose facts were replaced is left out: a model would take its words for the present.
    """
    left = tokens * 4 - len(RECALLED) - len(END_OF_RECALLED)
    lines = []
    for one in recalled:
        if one.is_past:
            continue
        line = _line(one, names)
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return marked("\n".join(lines)) if lines else ""


def _line(one: Recalled, names: Callable[[str], str]) -> str:
    said = names(one.said_by) if one.said_by else "somebody"
    about = ", ".join(names(person) for person in one.subjects)
    content = " ".join(one.content.split())
    told = f"about {about}: {content}" if about else content
    where = "" if REAL in one.groups else f", in {', '.join(one.groups)}"
    return f"- {one.when[:10]}, {said} said ({one.trust}{where}): {told}"


def _about(view: View, asked: Question, limit: int) -> list[Recalled]:
    """Everything that may be told of the people meant, the newest first."""
    ids = asked.asked.persons
    found = visible(view, memories.about_any(view.tx, ids))
    if asked.asked.since is not None and asked.asked.until is not None:
        since, until = asked.asked.since, asked.asked.until
        found = [(m, why) for m, why in found if since <= m.observed_at < until]
    return [of_memory(view.tx, memory, because=why.because) for memory, why in found[:limit]]


def _ranked(
    view: View, asked: Question, limit: int, near: "similarity.Question | None"
) -> list[Recalled]:
    found, decisions = _found(view, asked, max(_CANDIDATES, limit * 2))
    closeness = near.closest(view.tx, acl=view.tokens(), most=_NEAREST) if near else {}
    if closeness:
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
    view: View, asked: Question, wanted: int
) -> tuple[dict[int, Hit], dict[int, tuple[Hit, Shown]]]:
    """The best by their words that may be told: more is read until enough of it may be."""
    query = Query(asked.words, view.tokens())
    few = search.find_among_few(view.tx, query, limit=wanted)
    if few is not None:
        return _shown(view, few)
    # Whoever sees this much sees most of it: the rule alone is faster than the tokens first.
    hits = search.find(view.tx, Query(asked.words), limit=wanted)
    found, decisions = _shown(view, hits)
    limit, narrowed = wanted, False
    while len(found) < wanted // 2 and len(hits) == limit:
        limit = limit * 4 if narrowed else limit
        narrowed = True
        hits = search.find(view.tx, query, limit=limit)
        found, decisions = _shown(view, hits)
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
    for hit in search.by_seq(view.tx, [seq for seq in closeness if seq not in found]):
        decision = view.decide_hit(hit)
        if isinstance(decision, Shown):
            found[hit.seq] = hit
            decisions[hit.seq] = (hit, decision)


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
        decode.decode(hit.record).record.subjects if hit.kind == "memory" else (),
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
    past = _past(view, (decisions[seq][0] for seq, _ in order))
    # What is no longer true must not crowd out what is.
    order = sorted(order, key=lambda one: decisions[one[0]][0].id in past)
    first = [decisions[seq][0] for seq, _ in order[:limit]]
    items = soil.several(view.tx, [hit.id for hit in first if hit.kind == "message"])
    for seq, score in order[: limit * 3]:
        hit, decision = decisions[seq]
        # Past the end only what a message taught is still looked for.
        if len(told) == limit and hit.kind == "message":
            continue
        one = _recalled(view, hit, decision, score=score, item=items.get(hit.id))
        one = replace(one, is_past=True) if one and one.id in past else one
        key = (one.item or one.id) if one else ""
        before = told.get(key)
        if one and before is None and len(told) < limit:
            told[key] = one
        elif one and before and before.kind == "message" and one.kind != "message":
            told[key] = replace(one, score=before.score)
    return list(told.values())


def _past(view: View, hits: Iterable[Hit]) -> set[str]:
    """Messages whose facts were all replaced by something this audience may be told."""
    messages = [hit.id for hit in hits if hit.kind == "message"]
    replaced = memories.replaced_in(view.tx, messages)
    old = search.several(view.tx, [memory for each in replaced.values() for memory in each])
    standing = {id_ for id_, hit in old.items() if isinstance(view.decide_hit(hit), Shown)}
    return {item for item, facts in replaced.items() if standing.isdisjoint(facts)}


def _recalled(
    view: View, hit: Hit, decision: Shown, *, score: float, item: Item | None
) -> Recalled | None:
    tx = view.tx
    if hit.kind == "memory":
        return of_memory(tx, memories.get(tx, hit.id), score=score, because=decision.because)
    try:
        message = content_of(item or soil.get(tx, hit.id))
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
        sensitivity=decode.decode(hit.record).record.sensitivity,
        score=round(score, 4),
        quote=message.description,
        item=hit.id,
        chat=ChatId(hit.chat) if hit.chat else None,
        because=decision.because,
        groups=_named(view, message.groups) or (REAL,),
    )


def _named(view: View, groups: tuple[str, ...]) -> tuple[str, ...]:
    """The groups that have a name: what is a persona's alone has none."""
    own = view.audience.persona if view.audience else None
    return tuple(group for group in groups if group != own)


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
        groups=memory.groups,
        in_doubt=memory.doubt is not None,
    )


def _text_of(tx: Tx, hit: Hit) -> str:
    if hit.kind == "memory":
        memory = memories.get(tx, hit.id)
        return memory.quote.text if memory.quote else memory.content
    message = content_of(soil.get(tx, hit.id))
    return message.description if isinstance(message, Message) else ""
