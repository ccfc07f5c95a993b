"""A person as one line of `people.jsonl`, and every line ever written as a person."""

import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from kithkin.canonical import require_text
from kithkin.clock import moment
from kithkin.errors import InvalidInput
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.model import AliasEntry, Person, RelationshipClaim

VERSION: Final = 1
LONGEST_LINE: Final = 1_000_000
"""In characters. A person has no megabyte of names; a line that long is another file's."""
LONGEST_ID: Final = 200

_TELEGRAM: Final = "telegram:"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OLD: Final = frozenset({"owner_user_id", "relationship", "relation"})
_NUL: Final = "\\u0000"
"""As JSON writes it: only a line with these characters can hold one."""
_RIGHT: Final = {
    "id": 'text, such as "person-456"',
    "version": str(VERSION),
    "created_by": 'who made it, such as "123456789", or null',
    "name": 'a name, such as "Sarah"',
    "relationships": 'a list, such as [{"relationship": "wife", "stated_by": "123456789"}]',
    "aliases": 'a list, such as [{"value": "my wife", "added_by": "123456789"}] or ["bobby"]',
    "merged_into": "the id of another person, or null",
    "created_at": 'a time, such as "2026-01-15T10:00:00+00:00"',
    "updated_at": 'a time, such as "2026-01-15T10:00:00+00:00"',
    "metadata": 'an object, such as {"colour": "blue"}, or null',
    "groups": 'a list of names, such as ["family"]',
    "relationship": 'a term, such as "friend"',
    "relation": 'a term, such as "friend"',
}

Entry = TypeVar("Entry")
_Moment = Annotated[datetime, Meta(tz=True)]


class _Claim(Struct, forbid_unknown_fields=True, gc=False):
    relationship: str
    stated_by: str | None = None
    created_at: _Moment | None = None


class _Alias(Struct, forbid_unknown_fields=True, gc=False):
    value: str
    added_by: str | None = None
    created_at: _Moment | None = None


class _Record(Struct, forbid_unknown_fields=True):
    """The schema of today. What does not fit it may still fit one of yesterday."""

    id: str
    name: str
    created_at: _Moment
    updated_at: _Moment
    version: Annotated[int, Meta(ge=0, le=VERSION)] = VERSION
    created_by: str | None = None
    relationships: tuple[_Claim, ...] = ()
    aliases: tuple[_Alias, ...] = ()
    merged_into: str | None = None
    metadata: dict[str, Any] | None = None
    groups: tuple[str, ...] = ()


_decoder: Final = msgspec.json.Decoder(_Record)
_encoder: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def line_of(person: Person) -> str:
    """The person as one line of JSON, without its newline, under the specification's keys.

    What `read_line` would refuse is refused here, so that every line written can be read.
    A speaker key that is a bare number is no key: it would be read as Telegram's.
    """
    fields = _fields(_checked(person))
    try:
        line = require_text(_encoder.encode(fields), what=f"Person {person.id!r}")
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(
            f"Person {person.id!r} cannot be written as JSON: {error}; metadata may hold text, "
            "finite numbers, true, false, null, lists and objects."
        ) from error
    if _NUL in line:
        _refuse_nul(fields)
    return _bounded(line)


def read_line(text: str, *, now: datetime) -> Person:
    """The person a line describes, in the schema of today or an older one.

    Of older ones: `owner_user_id` is `created_by`, aliases may be plain strings, `relationship`
    or `relation` is a claim by nobody known, a missing time is `now`, and a time without a zone
    is UTC. A key that no schema knows is kept in `metadata`, unless `metadata` has one of that
    name, which then stays. Of two equal aliases or claims the first counts.
    """
    try:
        record = _record(_bounded(text), now=now)
        return _checked(_person(record))
    except OverflowError as error:
        raise InvalidInput(
            "A time is too near the beginning or the end of the calendar; "
            f"write {_RIGHT['created_at']}."
        ) from error


def _fields(person: Person) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": person.id,
        "version": VERSION,
        "created_by": _written_key(person.created_by),
        "name": person.name,
        "relationships": [
            {
                "relationship": claim.relationship,
                "stated_by": _written_key(claim.stated_by),
                "created_at": _written_time(claim.created_at),
            }
            for claim in person.relationships
        ],
        "aliases": [
            {
                "value": alias.value,
                "added_by": _written_key(alias.added_by),
                "created_at": _written_time(alias.created_at),
            }
            for alias in person.aliases
        ],
        "merged_into": person.merged_into,
        "created_at": _written_time(person.created_at),
        "updated_at": _written_time(person.updated_at),
        "metadata": None if person.metadata is None else dict(person.metadata),
    }
    if person.groups:
        fields["groups"] = list(person.groups)
    return fields


def _written_key(key: SpeakerKey | None) -> str | None:
    if key is None:
        return None
    number = key.removeprefix(_TELEGRAM)
    return number if number != key and _is_number(number) else key


def _written_time(when: datetime | None) -> str | None:
    if when is None:
        return None
    if when.tzinfo is None:
        raise InvalidInput(f"{when.isoformat()} has no time zone; add one, such as +00:00.")
    return _utc(when).isoformat()


def _person(record: _Record) -> Person:
    claims = [
        RelationshipClaim(claim.relationship, _read_key(claim.stated_by), _utc(claim.created_at))
        for claim in record.relationships
    ]
    aliases = [
        AliasEntry(alias.value, _read_key(alias.added_by), _utc(alias.created_at))
        for alias in record.aliases
    ]
    return Person(
        id=PersonId(record.id),
        name=record.name,
        created_by=_read_key(record.created_by),
        created_at=_utc(record.created_at),
        updated_at=_utc(record.updated_at),
        relationships=_firsts(claims, [(c.relationship, c.stated_by) for c in claims]),
        aliases=_firsts(aliases, [(a.value.casefold(), a.added_by) for a in aliases]),
        merged_into=None if record.merged_into is None else PersonId(record.merged_into),
        metadata=record.metadata,
        groups=tuple(dict.fromkeys(record.groups)) if record.groups else (),
    )


@lru_cache(maxsize=4096)  # The same few speak of everybody.
def _read_key(text: str | None) -> SpeakerKey | None:
    if text is None or not text.strip():
        return None
    return SpeakerKey(_TELEGRAM + text if _is_number(text) else text)


def _is_number(text: str) -> bool:
    return text.isdigit() and text.isascii()


Time = TypeVar("Time", datetime, datetime | None)


def _utc(when: Time) -> Time:
    return when if when is None or when.tzinfo is UTC else when.astimezone(UTC)


def _firsts(entries: list[Entry], keys: Sequence[Hashable]) -> tuple[Entry, ...]:
    if len(set(keys)) == len(keys):
        return tuple(entries)
    first: dict[Hashable, Entry] = {}
    for key, entry in zip(keys, entries, strict=True):
        first.setdefault(key, entry)
    return tuple(first.values())


def _checked(person: Person) -> Person:
    _require_id(person.id, what="id")
    if person.merged_into is not None:
        _require_id(person.merged_into, what="merged_into")
    _require_words(person.name, what="name")
    for claim in person.relationships:
        _require_words(claim.relationship, what="relationships")
    for alias in person.aliases:
        _require_words(alias.value, what="aliases")
    return person


def _require_id(text: str, *, what: str) -> None:
    _require_words(text, what=what)
    if _CONTROL.search(text):
        raise InvalidInput(f"{what} holds a control character; write {_RIGHT[what]}.")
    if len(text) > LONGEST_ID:
        raise InvalidInput(f"{what} has {len(text)} characters; write one of at most {LONGEST_ID}.")


def _require_words(text: str, *, what: str) -> None:
    if not text or text.isspace():
        raise InvalidInput(f"{what} is blank or holds a blank; write {_RIGHT[what]}.")


def _bounded(line: str) -> str:
    if len(line) > LONGEST_LINE:
        raise InvalidInput(
            f"The line has {len(line)} characters; a person has at most {LONGEST_LINE}. "
            "Is this file one person per line?"
        )
    return line


def _record(text: str, *, now: datetime) -> _Record:
    if _NUL not in text:
        try:
            return _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            pass  # An older schema, or a mistake: the slow way knows which.
    fields = _object(text)
    _refuse_nul(fields)
    try:
        return msgspec.convert(_of_today(fields, now=now), _Record)
    except msgspec.ValidationError as error:
        raise InvalidInput(_explained(error)) from error


def _object(text: str) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(require_text(text, what="The line"))
    except (msgspec.DecodeError, RecursionError) as error:
        halves = "; write whole characters, not halves of a pair" if "\\ud" in text.lower() else ""
        raise InvalidInput(
            f"The line is not JSON that can be read: {error}{halves}. "
            'Write one object per line, such as {"id": "person-456", "name": "Sarah"}.'
        ) from error
    if not isinstance(fields, dict):
        raise InvalidInput(
            f"The line is JSON, but a {type(fields).__name__} and not an object; "
            'write {"id": "person-456", "name": "Sarah"}.'
        )
    return fields


def _of_today(fields: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """The fields of any schema under the keys of this one. What has the wrong type stays wrong."""
    said = {key: value for key, value in fields.items() if value is not None}
    _require_ours(said)
    today = {key: said[key] for key in _Record.__struct_fields__ if key in said}
    today["created_by"] = _as_key(said.get("created_by", said.get("owner_user_id")))
    for name in ("created_at", "updated_at"):
        today[name] = _as_time(said.get(name, now), what=name)
    today["aliases"] = _entries(said, "aliases", value="value", who="added_by")
    claims = _entries(said, "relationships", value="relationship", who="stated_by")
    today["relationships"] = _with_old_claims(claims, said)
    today["metadata"] = _with_unknown_keys(fields)
    return today


def _require_ours(said: Mapping[str, Any]) -> None:
    version = said.get("version")
    if isinstance(version, int) and version > VERSION:
        raise InvalidInput(
            f"The line has version {version}; this Kithkin reads {VERSION}. Use a newer one."
        )
    for name in ("id", "name"):
        if name not in said:
            raise InvalidInput(f"The line has no {name}; add {_RIGHT[name]}.")


def _entries(said: Mapping[str, Any], name: str, *, value: str, who: str) -> Any:
    entries = said.get(name, [])
    if not isinstance(entries, list):
        return entries
    return [_entry(entry, value=value, who=who, of=name) for entry in entries]


def _entry(entry: Any, *, value: str, who: str, of: str) -> Any:
    if isinstance(entry, str):
        return {value: entry}
    if not isinstance(entry, dict):
        return entry
    fields = {**entry, who: _as_key(entry.get(who))}
    if entry.get("created_at") is not None:
        fields["created_at"] = _as_time(entry["created_at"], what=f"created_at in {of}")
    return fields


def _with_old_claims(claims: Any, said: Mapping[str, Any]) -> Any:
    """An old `relationship` beside new claims often repeats one of them: then it adds nothing."""
    if not isinstance(claims, list):
        return claims
    stated = [claim.get("relationship") for claim in claims if isinstance(claim, dict)]
    for name in ("relationship", "relation"):
        term = said.get(name, "")
        if not isinstance(term, str):
            raise InvalidInput(f"{name} is not text; write {_RIGHT[name]}.")
        if term.strip() and term not in stated:
            claims = [*claims, {"relationship": term}]
            stated.append(term)
    return claims


def _with_unknown_keys(fields: Mapping[str, Any]) -> Any:
    metadata = fields.get("metadata")
    known = _OLD.union(_Record.__struct_fields__)
    unknown = {key: value for key, value in fields.items() if key not in known}
    if not unknown or not isinstance(metadata, dict | None):
        return metadata
    return {**unknown, **(metadata or {})}


def _as_key(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _as_time(value: Any, *, what: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return moment(value)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from error


def _refuse_nul(value: Any) -> None:
    for text in _texts(value):
        require_text(text, what="The person")


def _texts(value: Any) -> Iterable[str]:
    left = [value]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case dict() as fields:
                left += [*fields, *fields.values()]
            case list() | tuple() as values:
                left += values
            case _:
                pass


def _explained(error: msgspec.ValidationError) -> str:
    """The refusal by its field: "aliases[0].value: expected `str`, got `int`; write …"."""
    what, _, where = str(error).partition(" - at `$.")
    where = where.rstrip("`")
    right = _RIGHT.get(re.split(r"[.\[]", where)[0], "it as the specification has it")
    return f"{where}: {what[0].lower()}{what[1:]}; write {right}."
