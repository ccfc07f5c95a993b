"""Commits' tables: each an item, found by its hash; snapshots bound every replay."""

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from kithkin.artifacts.history import SHORT, commit_of, require_prefix
from kithkin.artifacts.model import EMPTY, Artifact, Commit, Draft, Edit, Text
from kithkin.artifacts.ops import apply_in_place, content_of, parse, printed, read_text
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Tx
from kithkin.errors import Erased, InvalidInput, NotFound
from kithkin.soil import store as soil
from kithkin.soil.model import ArtifactDelta, Item

DISTANCE: Final = 128
"""A snapshot stands after so many commits at the most: no version takes a longer replay."""
_OPS_A_COMMIT: Final = 16
"""So many ops take about as long to replay as reading a commit does."""


class Delta(msgspec.Struct, frozen=True):
    """An edit as it is written down."""

    ops: str = ""
    references: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unfinished: tuple[bool, bool] = (False, False)
    actor: str | None = None
    reason: str | None = None
    aside: bool = False

    def edit(self) -> Edit:
        """What it says, read."""
        return Edit(parse(self.ops), self.added, self.removed, self.unfinished)


class _Header(msgspec.Struct, frozen=True):
    artifact_uuid: str
    commit: str
    parent: str | tuple[str, ...] | None = None

    def parents(self) -> tuple[str, ...]:
        if self.parent is None:
            return ()
        return (self.parent,) if isinstance(self.parent, str) else self.parent


_delta = msgspec.json.Decoder(Delta)
_header = msgspec.json.Decoder(_Header)


def add(tx: Tx, artifact: Artifact, draft: Draft, *, by: By) -> Commit:
    """Append a commit. The head is moved by whoever decides that."""
    name = commit_of(draft.after, draft.parents)
    if _row(tx, artifact.uuid, name):
        raise InvalidInput(f"{artifact.label} has the commit {name[:SHORT]} already.")
    edit, parents = draft.edit, draft.parents
    delta = ArtifactDelta(
        artifact_uuid=artifact.uuid,
        commit=name,
        ops=printed(edit.ops),
        parent=(parents[0] if len(parents) == 1 else parents) if parents else None,
        references=draft.references,
        added=edit.added,
        removed=edit.removed,
        unfinished=edit.unfinished if any(edit.unfinished) else None,
        actor=by.actor,
        reason=by.reason,
        aside=draft.aside,
    )
    item = soil.append(tx, delta, now=by.now, canonical_at=draft.at)
    if _insert_commit(tx, item) == 0:
        _keep_snapshot(tx, artifact.uuid, name, draft.after)
    return _commit((name, item.uuid, item.seq, item.canonical_at, item.header, item.data))


def find(tx: Tx, artifact: Artifact, start: str) -> Commit:
    """The one commit of a document that begins so."""
    given = require_prefix(start)
    rows = tx.execute(
        "SELECT hash FROM artifact_commit WHERE artifact = :artifact AND hash >= :start"
        " AND hash < :end ORDER BY hash LIMIT 2",
        {"artifact": artifact.uuid, "start": given, "end": f"{given}g"},
    ).fetchall()
    if not rows:
        raise NotFound(
            f"{artifact.label} has no commit {start}. `kithkin artifact log {artifact.label}` "
            "lists them."
        )
    if len(rows) > 1:
        raise InvalidInput(f"{start} begins several commits of {artifact.label}; give more of it.")
    return get(tx, artifact.uuid, rows[0][0])


def get(tx: Tx, artifact: str, name: str) -> Commit:
    """A commit by its whole name."""
    row = tx.execute(
        "SELECT c.hash, c.item, c.seq, i.canonical_at, i.header, i.data FROM artifact_commit c"
        " JOIN item i ON i.uuid = c.item WHERE c.artifact = :artifact AND c.hash = :hash",
        {"artifact": artifact, "hash": name},
    ).fetchone()
    if row is None:
        raise NotFound(f"{artifact} has no commit {name}.")
    return _commit(row)


def all_of(tx: Tx, artifact: str) -> list[Commit]:
    """Every commit of a document, oldest first."""
    rows = tx.execute(
        "SELECT c.hash, c.item, c.seq, i.canonical_at, i.header, i.data FROM artifact_commit c"
        " JOIN item i ON i.uuid = c.item WHERE c.artifact = :artifact ORDER BY c.seq",
        {"artifact": artifact},
    )
    return [_commit(row) for row in rows]


def items_of(tx: Tx, artifact: str) -> list[str]:
    """The items that record a document's commits, in order."""
    rows = tx.execute(
        "SELECT item FROM artifact_commit WHERE artifact = :artifact ORDER BY seq",
        {"artifact": artifact},
    )
    return [row[0] for row in rows]


def head_at(tx: Tx, artifact: Artifact, seq: int) -> str:
    """The head when the ledger was so long."""
    row = tx.execute(
        "SELECT hash FROM artifact_commit WHERE artifact = :artifact AND seq <= :seq"
        " AND aside = 0 ORDER BY seq DESC LIMIT 1",
        {"artifact": artifact.uuid, "seq": seq},
    ).fetchone()
    return row[0] if row else EMPTY


def depth_of(tx: Tx, artifact: Artifact) -> int:
    """How many commits lead to the head, by first parents."""
    row = _row(tx, artifact.uuid, artifact.head)
    return row[0] if row else 0


def text_at(tx: Tx, artifact: str, name: str) -> Text:
    """The text at a commit: the nearest snapshot, and the commits since."""
    if name == EMPTY:
        return Text()
    chain = tx.execute(_CHAIN, {"artifact": artifact, "hash": name})
    rows = chain.fetchall()
    if not rows:
        raise NotFound(f"{artifact} has no commit {name}.")
    first, parent, _ = rows[-1]
    start = snapshot(tx, artifact, first)
    if start is None:
        start = text_at(tx, artifact, parent or EMPTY)
    else:
        rows = rows[:-1]
    return _replayed(start, [_readable(name, data) for name, _, data in reversed(rows)])


_CHAIN: Final = """
WITH RECURSIVE chain (hash, parent, item, depth, replay) AS (
  SELECT hash, parent, item, depth, replay FROM artifact_commit
  WHERE artifact = :artifact AND hash = :hash
  UNION ALL
  SELECT c.hash, c.parent, c.item, c.depth, c.replay FROM chain
  JOIN artifact_commit c ON c.artifact = :artifact AND c.hash = chain.parent
  WHERE chain.replay > 0
)
SELECT chain.hash, chain.parent, i.data FROM chain JOIN item i ON i.uuid = chain.item
ORDER BY chain.depth DESC
"""


def _readable(name: str, data: str | None) -> Delta:
    if data is None:
        raise Erased(f"The commit {name[:SHORT]} was erased; what it wrote cannot be shown.")
    return _delta.decode(data)


def _replayed(start: Text, deltas: Sequence[Delta]) -> Text:
    lines = list(start.lines)
    for delta in deltas:
        apply_in_place(lines, delta.edit())
    return Text(tuple(lines), deltas[-1].unfinished[1] if deltas else start.unfinished)


def snapshots(tx: Tx, artifact: str) -> Iterator[tuple[str, Text]]:
    """The commits that have a snapshot, and the texts."""
    rows = tx.execute(
        "SELECT hash, content FROM artifact_snapshot WHERE artifact = :artifact ORDER BY hash",
        {"artifact": artifact},
    )
    for name, content in rows.fetchall():
        yield name, read_text(zlib.decompress(content).decode())


def snapshot(tx: Tx, artifact: str, name: str) -> Text | None:
    """The snapshot at a commit, if there is one."""
    row = tx.execute(
        "SELECT content FROM artifact_snapshot WHERE artifact = :artifact AND hash = :hash",
        {"artifact": artifact, "hash": name},
    ).fetchone()
    return read_text(zlib.decompress(row[0]).decode()) if row else None


def _keep_snapshot(tx: Tx, artifact: str, name: str, text: Text) -> None:
    tx.execute(
        "INSERT INTO artifact_snapshot (artifact, hash, content) VALUES (:artifact, :hash, :text)",
        {"artifact": artifact, "hash": name, "text": zlib.compress(content_of(text).encode(), 1)},
    )


def _row(tx: Tx, artifact: str, name: str) -> tuple[int, int] | None:
    """How many commits lead to one by first parents, and how much is replayed to show it."""
    row: tuple[int, int] | None = tx.execute(
        "SELECT depth, replay FROM artifact_commit WHERE artifact = :artifact AND hash = :hash",
        {"artifact": artifact, "hash": name},
    ).fetchone()
    return row


def _insert_commit(tx: Tx, item: Item) -> int:
    """The look-up row of a commit; how much is replayed to show it, 0 when it gets a snapshot."""
    header = _header.decode(item.header)
    delta = _delta.decode(item.data or "{}")
    first = header.parents()[0] if header.parents() else None
    depth, replay = (_row(tx, header.artifact_uuid, first) if first else None) or (0, 0)
    replay += 1 + delta.ops.count(" ") // _OPS_A_COMMIT
    kept = replay if replay < DISTANCE else 0
    tx.execute(
        "INSERT INTO artifact_commit (artifact, hash, parent, item, seq, depth, replay, aside)"
        " VALUES (:artifact, :hash, :parent, :item, :seq, :depth, :replay, :aside)",
        {
            "artifact": header.artifact_uuid,
            "hash": header.commit,
            "parent": first,
            "item": item.uuid,
            "seq": item.seq,
            "depth": depth + 1,
            "replay": kept,
            "aside": int(delta.aside),
        },
    )
    return kept


def _restore_commit(tx: Tx, item: Item) -> None:
    header = _header.decode(item.header)
    erased = not core.exists(tx, header.artifact_uuid) or item.data is None
    if erased:
        return
    if _insert_commit(tx, item) == 0:
        text = text_at(tx, header.artifact_uuid, header.commit)
        _keep_snapshot(tx, header.artifact_uuid, header.commit, text)


def forget(tx: Tx, artifact: str) -> None:
    """Drop the rows and snapshots of a document that is erased."""
    tx.execute("DELETE FROM artifact_commit WHERE artifact = :artifact", {"artifact": artifact})
    tx.execute("DELETE FROM artifact_snapshot WHERE artifact = :artifact", {"artifact": artifact})


def _clear_commits(tx: Tx) -> None:
    tx.execute("DELETE FROM artifact_commit", {})
    tx.execute("DELETE FROM artifact_snapshot", {})


lookup_rows.register_items(
    ArtifactDelta.__name__,
    lookup_rows.ItemProjection(restore=_restore_commit, clear=_clear_commits),
)


def _commit(row: tuple[Any, ...]) -> Commit:
    name, item, seq, at, header, data = row
    delta = _delta.decode(data) if data is not None else Delta()
    return Commit(
        commit=name,
        parents=_header.decode(header).parents(),
        item=item,
        seq=seq,
        edit=delta.edit(),
        at=at,
        actor=delta.actor,
        reason=delta.reason,
        references=delta.references,
        aside=delta.aside,
    )
