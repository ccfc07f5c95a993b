"""Follow references: what a text refers to, how it reads, and what refers to something."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, assert_never

from msgspec import Struct

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.history import followed, path
from kithkin.artifacts.model import Artifact, Became, Changed, Gone, Still
from kithkin.canonical import sha256
from kithkin.conversations import store as conversations
from kithkin.conversations.model import Log, Resolved
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.language.model import (
    AmbiguousRef,
    ArtifactLineRef,
    DanglingRef,
    FragmentMention,
    FragmentRef,
    ItemMention,
    ItemRef,
    LineMention,
    LinkMention,
    LogRef,
    Mention,
    Ref,
    Rendered,
)
from kithkin.language.reference_scanner import Known, preview, readable, scan
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, Edge, End
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.fragment_ids import fragment_id, is_fragment_id
from kithkin.soil.model import Item

Follow = Callable[[str, int], Became | None]


class Backlink(Struct, frozen=True):
    """Something that refers to what was asked about."""

    source: str
    kind: str
    words: str
    """How the source begins."""
    line: int | None = None
    """The line it means, where it stands now."""
    became: Became | None = None


def parse(db: Database, project: str, text: str) -> list[Resolved]:
    """Every reference in a text and what it leads to."""
    with db.snapshot() as tx:
        return resolved(tx, project, text)


def resolve(db: Database, project: str, said: str) -> Resolved:
    """What one reference leads to; one that leads nowhere says why."""
    given = said.strip()
    with db.snapshot() as tx:
        # Whatever looks like a reference is taken for one: the answer says if nothing is there.
        loose = Known(label=lambda _: True, thing=lambda _: True)
        found = scan(given, loose)
        if len(found) != 1 or found[0].raw != given:
            raise InvalidInput(
                f"{said[:80]!r} is no reference: write ^a7f, goals_doc:15, goals_doc:15@c4f2a1b, "
                "[words](entity_1), @item_1 or item_1#^a7f."
            )
        return Resolved(found[0], _resolve(tx, project, found[0], None))


def render(text: str, found: Iterable[Resolved]) -> Rendered:
    """A text as people read it."""
    return readable(text, [(one.mention, one.ref) for one in found])


def resolved(tx: Tx, project: str, text: str, *, seq: int | None = None) -> list[Resolved]:
    """The references in a text that was written when the ledger was so long; now, without."""
    found = scan(text, known(tx, project))
    return [Resolved(mention, _resolve(tx, project, mention, seq)) for mention in found]


def known(tx: Tx, project: str) -> Known:
    """What can be referred to in a project."""
    return Known(
        label=lambda label: artifacts.named(tx, project, label) is not None,
        fragment=lambda fragment: (
            bool(conversations.fragments_called(tx, project, fragment))
            or _line_called(tx, project, fragment) is not None
        ),
        thing=lambda uuid: soil.exists(tx, uuid) or core.exists(tx, uuid),
    )


def index(tx: Tx, project: str, item: Item, text: str, *, by: By) -> list[Resolved]:
    """Note what a text mentions. The text stays the truth; the relations are inferred from it."""
    found = resolved(tx, project, text)
    ends: dict[End, list[Resolved]] = {}
    for one in found:
        end = _end(one.ref)
        if end and end.id != item.uuid:
            ends.setdefault(end, []).append(one)
    for end, mentions in ends.items():
        relations.relate(
            tx,
            KINDS["mentions"],
            source=End(item.uuid, "item"),
            target=end,
            by=by,
            metadata=_metadata(mentions),
        )
    return found


def fragment_text(tx: Tx, project: str, fragment: str) -> str:
    """The words of a fragment, or of a line that has its id; several different ones are asked."""
    found = _fragment(tx, project, FragmentMention(fragment, (0, len(fragment)), fragment))
    match found:
        case FragmentRef(content=content) | ArtifactLineRef(content=content):
            return content
        case AmbiguousRef(candidates):
            several = ", ".join(
                f"{one.message_uuid}#{one.id} ({one.preview})" for one in candidates
            )
            raise Refused(f"{fragment} may be any of {several}. Give the text of the one you mean.")
        case _:
            raise NotFound(f"There is no fragment {fragment} in this project. Give its text.")


def fragment_end(tx: Tx, project: str, said: str) -> End:
    """The fragment that somebody names as `^a7f` or `item_1#^a7f`, as the end of a relation."""
    item, _, fragment = said.rpartition("#")
    if not is_fragment_id(fragment):
        raise InvalidInput(f"{said!r} names no fragment: write ^a7f, or item_1#^a7f.")
    ref = _fragment(tx, project, FragmentMention(said, (0, len(said)), fragment, item or None))
    if isinstance(ref, FragmentRef):
        return End(f"{ref.message_uuid}#{ref.id}", "fragment")
    if isinstance(ref, AmbiguousRef):
        several = ", ".join(f"{one.message_uuid}#{one.id}" for one in ref.candidates)
        raise Refused(f"{said} may be any of {several}. Give the whole one.")
    raise NotFound(f"There is no fragment {said} in this project's conversations.")


def backlinks(db: Database, project: str, said: str) -> list[Backlink]:
    """What refers to a line, an artifact, a fragment, an item or a branch."""
    with db.snapshot() as tx:
        found = scan(said, known(tx, project))
        mention = found[0] if found and found[0].raw == said.strip() else None
        if isinstance(mention, LineMention):
            return _to_line(tx, project, mention)
        if isinstance(mention, FragmentMention):
            target = fragment_end(tx, project, said.strip().removeprefix("@")).id
        else:
            target = _target(tx, project, said.strip().removeprefix("@"))
        return [_backlink(tx, edge) for edge in _edges_to(tx, target)]


def gist(tx: Tx, log: Log, *, sees: Callable[[Item], bool] = lambda _: True) -> str:
    """A branch in a few words: its summary, how it begins, or what it takes up again."""
    if log.summary:
        return preview(log.summary.content)
    for uuid in conversations.items_of(tx, log.uuid):
        item = soil.get(tx, uuid)
        if item.type == "Message" and item.data is not None and sees(item):
            pieces = conversations.fragments_of(item)
            return preview(pieces[0].content if pieces else fields_of(item)["description"])
    before = conversations.get_log(tx, log.continues).summary if log.continues else None
    return preview(before.content) if before else f"branch {log.number}"


def follower(tx: Tx, artifact: Artifact) -> Follow:
    """Says what became of a line since a commit; None when the head does not come from it."""
    known_commits = cache(lambda: {one.commit: one for one in commits.all_of(tx, artifact.uuid)})

    def became(commit: str, line: int) -> Became | None:
        if commit == artifact.head:
            return Still(line)
        steps = path(known_commits(), old=commit, new=artifact.head)
        if steps is None:
            return None
        text_at = partial(commits.text_at, tx, artifact.uuid)
        return followed(line, steps, known_commits(), text_at)

    return became


def _resolve(tx: Tx, project: str, mention: Mention, seq: int | None) -> Ref:
    match mention:
        case FragmentMention():
            return _fragment(tx, project, mention)
        case LineMention():
            return _line(tx, project, mention, seq)
        case LinkMention(uuid=uuid) | ItemMention(uuid=uuid):
            return _thing(tx, uuid)
        case _:
            assert_never(mention)


def _fragment(tx: Tx, project: str, mention: FragmentMention) -> Ref:
    places = (
        _places_in(tx, mention.item, mention.id)
        if mention.item
        else conversations.fragments_called(tx, project, mention.id)
    )
    refs = [_fragment_ref(soil.get(tx, item), place, mention) for item, place in places]
    told = {ref.sha256: ref for ref in reversed(refs) if ref}
    if len(told) == 1:
        return next(iter(told.values()))
    if told:
        return AmbiguousRef(tuple(told.values())[::-1])
    line = None if mention.item else _line_called(tx, project, mention.id)
    return line or DanglingRef(f"{mention.raw} is in no message that can be read.")


def _places_in(tx: Tx, item: str, fragment: str) -> list[tuple[str, int]]:
    if not soil.exists(tx, item):
        return []
    pieces = conversations.fragments_of(soil.get(tx, item))
    return [(item, place) for place, piece in enumerate(pieces) if piece.id == fragment]


def _fragment_ref(item: Item, place: int, mention: FragmentMention) -> FragmentRef | None:
    pieces = conversations.fragments_of(item)
    if place >= len(pieces):
        return None
    ends = [at for at, piece in enumerate(pieces) if piece.id == mention.last and at >= place]
    words = " ".join(piece.content for piece in pieces[place : (ends[0] if ends else place) + 1])
    return FragmentRef(
        id=mention.id,
        preview=preview(words),
        message_uuid=item.uuid,
        position=place,
        sha256=sha256(words),
        content=words,
        last=mention.last if ends else None,
    )


def _line_called(tx: Tx, project: str, fragment: str) -> ArtifactLineRef | None:
    """A line of the project's artifacts that has this id: lines of no message have one too."""
    for artifact in artifacts.in_project(tx, project):
        text = commits.text_at(tx, artifact.uuid, artifact.head)
        for number, line in enumerate(text.lines, start=1):
            if fragment_id(line) == fragment:
                return ArtifactLineRef(
                    artifact.uuid, artifact.label, number, line, artifact.head, now=number
                )
    return None


def _line_ids(tx: Tx, project: str) -> frozenset[str]:
    return frozenset(
        fragment_id(line)
        for artifact in artifacts.in_project(tx, project)
        for line in commits.text_at(tx, artifact.uuid, artifact.head).lines
    )


def _line(tx: Tx, project: str, mention: LineMention, seq: int | None) -> Ref:
    artifact = artifacts.named(tx, project, mention.label)
    if artifact is None:
        return DanglingRef(f"There is no artifact {mention.label} in this project.")
    try:
        commit = _commit_meant(tx, artifact, mention, seq)
    except Refused as error:
        return DanglingRef(str(error))
    lines = commits.text_at(tx, artifact.uuid, commit).lines
    if mention.last > len(lines):
        return DanglingRef(f"{mention.label} has {len(lines)} lines at {commit[:7]}.")
    return _line_ref(tx, artifact, mention, commit, lines)


def _commit_meant(tx: Tx, artifact: Artifact, mention: LineMention, seq: int | None) -> str:
    if mention.commit:
        return commits.find(tx, artifact, mention.commit).commit
    return artifact.head if seq is None else commits.head_at(tx, artifact, seq)


def _line_ref(
    tx: Tx, artifact: Artifact, mention: LineMention, commit: str, lines: Sequence[str]
) -> ArtifactLineRef:
    since = follower(tx, artifact)(commit, mention.line)
    return ArtifactLineRef(
        uuid=artifact.uuid,
        label=artifact.label,
        line=mention.line,
        content="\n".join(lines[mention.line - 1 : mention.last]),
        commit=commit,
        last=mention.last if mention.last > mention.line else None,
        now=since.line if isinstance(since, Still | Changed) else None,
        became=_in_words(since),
        by=since.commit if isinstance(since, Changed | Gone) else None,
    )


def _in_words(since: Became | None) -> str:
    match since:
        case Still():
            return "unchanged"
        case Changed():
            return "changed"
        case Gone():
            return "removed"
        case None:
            return "on another side"


def _thing(tx: Tx, uuid: str) -> Ref:
    if soil.exists(tx, uuid):
        item = soil.get(tx, uuid)
        return ItemRef(uuid, item.type, _words(item))
    if not core.exists(tx, uuid):
        return DanglingRef(f"There is nothing with the id {uuid}.")
    entity = core.get(tx, uuid)
    if entity.type == conversations.LOG and entity.data is not None:
        return LogRef(uuid, gist(tx, conversations.get_log(tx, uuid)))
    name = (entity.data or {}).get("name") or (entity.data or {}).get("label") or entity.type
    return ItemRef(uuid, entity.type, preview(str(name)))


def _words(item: Item) -> str:
    if item.data is None:
        return "(erased)"
    fields = fields_of(item)
    names = ("title", "description", "context", "operation", "event_type", "label", "ops")
    return preview(str(next((fields[name] for name in names if fields.get(name)), item.type)))


def _end(ref: Ref) -> End | None:
    match ref:
        case FragmentRef():
            return End(f"{ref.message_uuid}#{ref.id}", "fragment")
        case ArtifactLineRef():
            return End(ref.uuid, "artifact")
        case LogRef():
            return End(ref.uuid, "entity")
        case ItemRef():
            return End(ref.uuid, "item" if ref.item_type[:1].isupper() else "entity")
        case AmbiguousRef() | DanglingRef():
            return None
        case _:
            assert_never(ref)


def _metadata(mentions: Iterable[Resolved]) -> dict[str, Any]:
    found = list(mentions)
    lines = [
        {"line": one.ref.line, "last": one.ref.last or one.ref.line, "commit": one.ref.commit}
        for one in found
        if isinstance(one.ref, ArtifactLineRef)
    ]
    spans = [list(one.mention.span) for one in found]
    return {"inferred": True, "spans": spans, **({"lines": lines} if lines else {})}


def _target(tx: Tx, project: str, said: str) -> str:
    artifact = artifacts.named(tx, project, said)
    if artifact:
        return artifact.uuid
    if soil.exists(tx, said) or core.exists(tx, said):
        return said
    raise NotFound(f"{said!r} names no line, artifact, fragment, item or branch of this project.")


def _edges_to(tx: Tx, target: str) -> list[Edge]:
    """Who refers to something, in the order they did."""
    found = [
        edge
        for edge in relations.around(tx, target)
        if edge.target.id == target and edge.kind in ("mentions", "derived_from")
    ]
    return sorted(found, key=lambda edge: _place(tx, edge.source.id))


def _place(tx: Tx, uuid: str) -> int:
    return soil.get(tx, uuid).seq if soil.exists(tx, uuid) else 0


def _to_line(tx: Tx, project: str, mention: LineMention) -> list[Backlink]:
    artifact = artifacts.named(tx, project, mention.label)
    if artifact is None:
        return []
    became = follower(tx, artifact)
    asked = _standing_at(tx, artifact, mention, became)
    found = []
    for edge in _edges_to(tx, artifact.uuid):
        for line in (edge.metadata or {}).get("lines", ()):
            for number in range(line["line"], line["last"] + 1):
                since = became(line["commit"], number)
                if isinstance(since, Still | Changed) and since.line in asked:
                    found.append(_backlink(tx, edge, line=since.line, since=since))
    return found


def _standing_at(tx: Tx, artifact: Artifact, mention: LineMention, became: Follow) -> set[int]:
    """Where the lines that are asked about stand at the head."""
    lines = range(mention.line, mention.last + 1)
    if mention.commit is None:
        return set(lines)
    commit = commits.find(tx, artifact, mention.commit).commit
    since = (became(commit, line) for line in lines)
    return {one.line for one in since if isinstance(one, Still | Changed)}


def _backlink(
    tx: Tx, edge: Edge, *, line: int | None = None, since: Became | None = None
) -> Backlink:
    source = edge.source.id
    words = _words(soil.get(tx, source)) if soil.exists(tx, source) else source
    return Backlink(source, edge.kind, words, line=line, became=since)
