"""Personas' tables: each persona an entity, found by its names; exactly one is the steward."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import PersonaId, new_entity_id
from kithkin.personas.model import Persona

PERSONA: Final = "persona"


def new_id() -> PersonaId:
    """A fresh id for a persona."""
    return PersonaId(new_entity_id())


def key_of(name: str) -> str:
    """How a name is looked up: without regard to case or spacing."""
    return " ".join(name.split()).casefold()


def get(tx: Tx, persona: str) -> Persona:
    """The persona of that id."""
    entity = core.get(tx, persona) if core.exists(tx, persona) else None
    if entity is None or entity.type != PERSONA:
        raise NotFound(f"There is no persona {persona}. `kithkin persona list` lists them.")
    return _persona(entity)


def named(tx: Tx, name: str) -> Persona:
    """The persona that has a name, an alias or an id."""
    found = find(tx, name)
    return get(tx, found or name)


def find(tx: Tx, name: str) -> PersonaId | None:
    """The id of the persona that has a name or an alias."""
    row = tx.execute(
        "SELECT persona FROM persona_name WHERE key = :key", {"key": key_of(name)}
    ).fetchone()
    return PersonaId(row[0]) if row else None


def steward(tx: Tx) -> Persona | None:
    """The one that sees all groups; None in a realm that was not seeded."""
    row = tx.execute("SELECT persona FROM persona_lookup WHERE steward = 1", {}).fetchone()
    return get(tx, row[0]) if row else None


def has_steward(tx: Tx) -> bool:
    """Whether a realm has been given its steward."""
    row = tx.execute("SELECT 1 FROM persona_lookup WHERE steward = 1", {}).fetchone()
    return row is not None


def everyone(tx: Tx) -> list[Persona]:
    """Every persona, archived ones too, oldest first."""
    return [_persona(one) for one in core.of_type(tx, PERSONA) if one.data is not None]


def save(tx: Tx, persona: Persona, *, by: By) -> Persona:
    """The persona as it is now."""
    data: dict[str, Any] = msgspec.to_builtins(persona)
    del data["id"]
    core.save(tx, PERSONA, persona.id, data, by=by)
    return persona


def _persona(entity: Entity) -> Persona:
    return msgspec.convert({**core.require_data(entity), "id": entity.uuid}, Persona)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        named_by = {"persona": after.uuid}
        tx.execute("DELETE FROM persona_lookup WHERE persona = :persona", named_by)
        tx.execute("DELETE FROM persona_name WHERE persona = :persona", named_by)
    if after.data is None:
        return
    persona = _persona(after)
    tx.execute(
        "INSERT INTO persona_lookup (persona, steward, archived)"
        " VALUES (:persona, :steward, :archived)",
        {
            "persona": persona.id,
            "steward": int(persona.steward),
            "archived": int(persona.archived),
        },
    )
    tx.executemany(
        "INSERT INTO persona_name (key, persona) VALUES (:key, :persona)",
        [{"key": key, "persona": persona.id} for key in _keys(persona)],
    )


def _keys(persona: Persona) -> Iterable[str]:
    return dict.fromkeys(map(key_of, (persona.name, *persona.aliases)))


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM persona_name", {})
    tx.execute("DELETE FROM persona_lookup", {})


lookup_rows.register(
    PERSONA, lookup_rows.Projection(commands="`kithkin persona`", project=_project, clear=_clear)
)
