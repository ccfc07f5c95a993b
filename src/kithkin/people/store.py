"""People's tables: each person an entity, found by name keys and by who calls them what."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.delta import present
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.errors import NotFound
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.directory import MOST_CANDIDATES
from kithkin.people.lookup_keys import connections, lookup_keys
from kithkin.people.merge import MergePlan
from kithkin.people.model import AliasEntry, Person, RelationshipClaim

PERSON: Final = "person"
MERGE: Final = "merge"
_RANKS: Final = {"name": 0, "alias": 1, "word": 2, "pair": 3, "sound": 4}
_FEW: Final = 4
_KeyRow = tuple[str, int, PersonId]
_LinkRow = tuple[PersonId, SpeakerKey, str]


class _Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person as its entity holds it. Its times are its own: a file may bring older ones."""

    name: str
    first_seen: datetime
    last_changed: datetime
    created_by: SpeakerKey | None = None
    relationships: tuple[RelationshipClaim, ...] = ()
    aliases: tuple[AliasEntry, ...] = ()
    merged_into: PersonId | None = None
    metadata: Mapping[str, Any] | None = None
    groups: tuple[str, ...] = ()


class Merge(msgspec.Struct, frozen=True):
    """What a merge did, kept so that it can be undone."""

    id: str
    plan: MergePlan
    before: Person
    """The secondary as it was."""
    addresses: tuple[tuple[str, str], ...]
    """The addresses that moved with it."""
    undone: bool = False


_stored = msgspec.json.Decoder(_Stored)


def get(tx: Tx, person: str) -> Person | None:
    """The record with this id, merged or not."""
    row = tx.execute(
        "SELECT uuid, data FROM entity WHERE uuid = :uuid AND type = 'person'", {"uuid": person}
    ).fetchone()
    return _person(*row) if row and row[1] is not None else None


def require(tx: Tx, person: str) -> Person:
    """The record with this id; it must be there."""
    found = get(tx, person)
    if found is None:
        raise NotFound(f"There is no person {person}. `kithkin people list` lists them.")
    return found


def add(tx: Tx, person: Person, *, by: By) -> Person:
    """A new person, under the id it comes with."""
    core.add(tx, PERSON, data_of(person), by=by, uuid=person.id)
    return person


def add_many(tx: Tx, persons: Iterable[Person], *, by: By) -> dict[str, str]:
    """Many new people at once, whose ids are not taken. Returns the hash of each record."""
    return core.add_many(tx, PERSON, ((person.id, data_of(person)) for person in persons), by=by)


def save(tx: Tx, person: Person, *, by: By) -> Person:
    """The person as it is now. Only a real difference is a change, and moves its time."""
    before = require(tx, person.id)
    if msgspec.structs.replace(person, updated_at=before.updated_at) == before:
        return before
    core.change(tx, core.get(tx, person.id), data_of(person), by=by)
    return person


def everyone(tx: Tx, *, merged: bool, after: str = "", batch: int = 2000) -> Iterator[Person]:
    """Every person in the order of their ids; records that were merged only when asked for."""
    last = after
    while rows := tx.execute(
        "SELECT uuid, data FROM entity WHERE type = 'person' AND uuid > :last"
        " AND data IS NOT NULL ORDER BY uuid LIMIT :limit",
        {"last": last, "limit": batch},
    ).fetchall():
        people = (_person(*row) for row in rows)
        yield from (person for person in people if merged or person.merged_into is None)
        last = rows[-1][0]


def marked(tx: Tx, mark: str) -> list[Person]:
    """Everybody, but merged records, whose metadata say that a mark is true."""
    rows = tx.execute(
        "SELECT uuid, data FROM entity WHERE type = 'person' AND data LIKE :mark ORDER BY uuid",
        {"mark": f'%"{mark}":true%'},
    )
    # The text may stand anywhere in a record: it only spares reading everybody.
    people = (_person(*row) for row in rows.fetchall())
    return [
        person
        for person in people
        if person.merged_into is None and (person.metadata or {}).get(mark) is True
    ]


def changed_from(tx: Tx, hashes: Mapping[str, str]) -> Iterator[Person]:
    """Everybody, merged records too, but those whose record still has the hash given for it."""
    rows = tx.execute(
        "SELECT uuid, data, hash FROM entity WHERE type = 'person' AND data IS NOT NULL"
        " ORDER BY uuid",
        {},
    )
    return (_person(uuid, data) for uuid, data, hash_ in rows if hashes.get(uuid) != hash_)


def named(
    tx: Tx, keys: Sequence[str], *, known_to: Collection[SpeakerKey] | None = None
) -> list[Person]:
    """People with a row under one of the keys, the best kinds first, up to a limit."""
    if known_to is not None:
        found = [row for speaker in known_to for row in _known(tx, keys, speaker)]
    elif len(keys) <= _FEW:
        found = [row for key in dict.fromkeys(keys) for row in _under(tx, key)]
    else:
        found = _under_any(tx, keys)
    return [_person(*row) for row in list(dict(found).items())[:MOST_CANDIDATES]]


def keys_in_use(tx: Tx, keys: Collection[str]) -> frozenset[str]:
    """Those of some keys that anybody has."""
    rows = tx.execute(
        f"SELECT key FROM person_key WHERE key IN ({EACH[tx.dialect]})",  # noqa: S608 - a constant
        {"each": msgspec.json.encode(list(keys)).decode()},
    )
    return frozenset(row[0] for row in rows)


def called(tx: Tx, terms: Collection[str], *, by: Collection[SpeakerKey]) -> list[Person]:
    """People whom these speakers call by one of the terms."""
    found = [row for speaker in by for term in terms for row in _called(tx, term, speaker)]
    return [_person(*row) for row in dict(found).items()]


def keep_merge(tx: Tx, merge: Merge, *, by: By) -> None:
    """Remember what a merge did, or that it was undone."""
    data = {
        "plan": msgspec.to_builtins(merge.plan),
        "before": msgspec.to_builtins(merge.before),
        "addresses": [list(address) for address in merge.addresses],
        "undone": merge.undone or None,
    }
    core.save(tx, MERGE, merge.id, data, by=by)


def get_merge(tx: Tx, merge_id: str) -> Merge:
    """A merge by its id."""
    entity = core.get(tx, merge_id)
    if entity.type != MERGE:
        raise NotFound(f"{merge_id} is no merge. `kithkin people history` lists them.")
    return msgspec.convert({"id": merge_id, **core.require_data(entity)}, Merge, strict=False)


def merges_of(tx: Tx, person: str) -> list[Merge]:
    """Every merge a person took part in, undone ones too."""
    rows = tx.execute(
        "SELECT merge_id FROM merge_lookup WHERE main = :person OR secondary = :person",
        {"person": person},
    )
    return [get_merge(tx, row[0]) for row in rows.fetchall()]


def data_of(person: Person) -> dict[str, Any]:
    """A person as its entity holds it."""
    fields = msgspec.to_builtins(
        _Stored(
            name=person.name,
            first_seen=person.created_at,
            last_changed=person.updated_at,
            created_by=person.created_by,
            relationships=person.relationships,
            aliases=person.aliases,
            merged_into=person.merged_into,
            metadata=person.metadata,
            groups=person.groups,
        )
    )
    return present(fields)


def person_from(uuid: str, data: Mapping[str, Any]) -> Person:
    """A person from the fields of its entity, as they are or once were."""
    return _made(uuid, msgspec.convert(data, _Stored))


def _person(uuid: str, data: str) -> Person:
    return _made(uuid, _stored.decode(data))


def _made(uuid: str, stored: _Stored) -> Person:
    return Person(
        id=PersonId(uuid),
        name=stored.name,
        created_by=stored.created_by,
        created_at=stored.first_seen,
        updated_at=stored.last_changed,
        relationships=stored.relationships,
        aliases=stored.aliases,
        merged_into=stored.merged_into,
        metadata=stored.metadata,
        groups=stored.groups,
    )


def _under(tx: Tx, key: str) -> list[Any]:
    return tx.execute(
        "SELECT e.uuid, e.data FROM person_key k JOIN entity e ON e.uuid = k.person"
        " WHERE k.key = :key ORDER BY k.rank LIMIT :limit",
        {"key": key, "limit": MOST_CANDIDATES},
    ).fetchall()


def _under_any(tx: Tx, keys: Sequence[str]) -> list[Any]:
    return tx.execute(
        "SELECT e.uuid, e.data FROM person_key k JOIN entity e ON e.uuid = k.person"  # noqa: S608 - a constant
        f" WHERE k.key IN ({EACH[tx.dialect]}) ORDER BY k.rank LIMIT :limit",
        {"each": msgspec.json.encode(keys).decode(), "limit": MOST_CANDIDATES},
    ).fetchall()


def _known(tx: Tx, keys: Sequence[str], speaker: SpeakerKey) -> list[Any]:
    return tx.execute(
        "SELECT e.uuid, e.data FROM person_key k JOIN entity e ON e.uuid = k.person"  # noqa: S608 - a constant
        f" WHERE k.key IN ({EACH[tx.dialect]})"
        " AND EXISTS (SELECT 1 FROM person_connection c"
        " WHERE c.person = k.person AND c.speaker = :speaker) ORDER BY k.rank LIMIT :limit",
        {
            "each": msgspec.json.encode(keys).decode(),
            "speaker": speaker,
            "limit": MOST_CANDIDATES,
        },
    ).fetchall()


def _called(tx: Tx, term: str, speaker: SpeakerKey) -> list[Any]:
    return tx.execute(
        "SELECT e.uuid, e.data FROM person_connection c JOIN entity e ON e.uuid = c.person"
        " WHERE c.speaker = :speaker AND c.term = :term LIMIT :limit",
        {"speaker": speaker, "term": term, "limit": MOST_CANDIDATES},
    ).fetchall()


def _rows(entity: Entity | None) -> tuple[set[_KeyRow], set[_LinkRow]]:
    if entity is None or entity.data is None:
        return set(), set()
    person = person_from(entity.uuid, entity.data)
    keys = {(key, _RANKS[kind], person.id) for key, kind in lookup_keys(person)}
    return keys, {(person.id, link.speaker, link.term) for link in connections(person)}


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    old_keys, old_links = _rows(before)
    new_keys, new_links = _rows(after)
    tx.executemany(
        "DELETE FROM person_key WHERE key = :key AND rank = :rank AND person = :person",
        map(_key_params, old_keys - new_keys),
    )
    tx.executemany(
        "DELETE FROM person_connection WHERE person = :person AND speaker = :speaker"
        " AND term = :term",
        map(_link_params, old_links - new_links),
    )
    _insert(tx, new_keys - old_keys, new_links - old_links)


def _project_new(tx: Tx, entities: Iterable[Entity]) -> None:
    keys: list[_KeyRow] = []
    links: list[_LinkRow] = []
    for entity in entities:
        named_by, called_by = _rows(entity)
        keys += named_by
        links += called_by
    # In the order of the tables: the pages fill up one after the other.
    keys.sort(key=itemgetter(0))
    links.sort(key=itemgetter(0))
    _insert(tx, keys, links)


def _insert(tx: Tx, keys: Iterable[_KeyRow], links: Iterable[_LinkRow]) -> None:
    tx.insert_many("person_key", ("key", "rank", "person"), keys)
    tx.insert_many("person_connection", ("person", "speaker", "term"), links)


def _key_params(row: _KeyRow) -> dict[str, Any]:
    return {"key": row[0], "rank": row[1], "person": row[2]}


def _link_params(row: _LinkRow) -> dict[str, Any]:
    return {"person": row[0], "speaker": row[1], "term": row[2]}


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM person_key", {})
    tx.execute("DELETE FROM person_connection", {})


def _project_merge(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM merge_lookup WHERE merge_id = :id", {"id": after.uuid})
    if after.data is not None:
        plan = after.data["plan"]
        tx.execute(
            "INSERT INTO merge_lookup (merge_id, main, secondary, undone)"
            " VALUES (:id, :main, :secondary, :undone)",
            {
                "id": after.uuid,
                "main": plan["primary"]["id"],
                "secondary": plan["secondary"]["id"],
                "undone": int(bool(after.data.get("undone"))),
            },
        )


def _clear_merges(tx: Tx) -> None:
    tx.execute("DELETE FROM merge_lookup", {})


lookup_rows.register(
    PERSON,
    lookup_rows.Projection(
        commands="`kithkin people`", project=_project, project_new=_project_new, clear=_clear
    ),
)
lookup_rows.register(
    MERGE,
    lookup_rows.Projection(
        commands="`kithkin people merge` and `kithkin people unmerge`",
        project=_project_merge,
        clear=_clear_merges,
    ),
)
