"""How a person looks: to a program, and to a reader."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.people.model import Person, Resolution


def wire(person: "Person") -> dict[str, Any]:
    """A person under the specification's field names."""
    import json

    from kithkin.people.jsonl import line_of

    told: dict[str, Any] = json.loads(line_of(person))
    return {**told, "relationship": person.relationship}


def told(found: "Resolution") -> dict[str, Any]:
    """A resolution, for a program to read."""
    from kithkin.people.model import Ambiguous, Found

    person = wire(found.person) if isinstance(found, Found) else None
    candidates = found.candidates if isinstance(found, Ambiguous) else ()
    return {
        "status": type(found).__name__.lower(),
        "person": person,
        "candidates": [wire(one) for one in candidates],
        "reason": found.reason,
        "evidence": getattr(found, "evidence", ()),
    }


def tell(person: "Person") -> None:
    """A person with who said what."""
    from kithkin.cli import tables as look

    claims = [
        f"{c.relationship} (says {c.stated_by or 'nobody known'})" for c in person.relationships
    ]
    aliases = [f"{a.value} (by {a.added_by or 'nobody known'})" for a in person.aliases]
    look.fields_table(
        {
            "id": person.id,
            "name": person.name,
            "is": "\n".join(claims),
            "also called": "\n".join(aliases),
            **({"merged into": person.merged_into} if person.merged_into else {}),
            "changed": look.ago(person.updated_at.isoformat()),
        }
    )


def tell_all(found: "list[Person]") -> None:
    """People, a line each."""
    from kithkin.cli import tables as look

    if not found:
        look.say("Nobody.")
        return
    look.table(
        "id",
        "name",
        "is",
        "also called",
        rows=(
            (
                look.short(p.id),
                p.name,
                look.shorten(", ".join(dict.fromkeys(c.relationship for c in p.relationships))),
                look.shorten(", ".join(a.value for a in p.aliases)),
            )
            for p in found
        ),
    )


def tell_resolution(found: "Resolution") -> None:
    """Who is meant and why, or who may be."""
    from kithkin.cli import tables as look
    from kithkin.people.model import Ambiguous, Found

    look.say(found.reason)
    if isinstance(found, Found):
        tell(found.person)
    elif isinstance(found, Ambiguous):
        tell_all(list(found.candidates))


def resolved(kin: "Kithkin", text: str, speaker: str | None) -> "Resolution":
    """Who is meant, by a speaker or by nobody in particular."""
    if speaker:
        return kin.people.find_for_speaker(text, speaker)
    return kin.people.find(text)


def one(kin: "Kithkin", who: str, speaker: str | None = None) -> str:
    """The id of a person named by id, by the start of one, or by a name that is the only one."""
    from kithkin.errors import NotFound, Refused
    from kithkin.people.model import Ambiguous, Found

    found = resolved(kin, who, speaker)
    if isinstance(found, Found):
        return found.person.id
    try:
        return kin.full_id(who)
    except NotFound:
        pass
    if isinstance(found, Ambiguous):
        names = ", ".join(f"{one.name} ({one.id})" for one in found.candidates[:5])
        raise Refused(f"{who!r} may be any of {names}. Give the id.")
    raise NotFound(f"Nobody known is called {who!r}. `kithkin people list` lists everybody.")
