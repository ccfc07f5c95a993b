"""Whose something is that nobody said: work, questions, accounts and what programs did.

The disclosure rule takes it for that person's private word. What belongs to nobody is shown to
nobody but the owner's own eyes.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kithkin.accounts import store as accounts
from kithkin.contacts import store as contacts
from kithkin.core import store as core
from kithkin.core.model import Entity
from kithkin.db import Tx
from kithkin.ids import PersonId
from kithkin.people import store as people
from kithkin.questions import store as questions

_AGENT: Final = "agent:"
_ACCOUNTS: Final = ("from", "to")
"""Where an event between two accounts names them."""


def of_item(tx: Tx, fields: Mapping[str, Any]) -> frozenset[PersonId]:
    """Whose an item is: of the two accounts it is between, or of whom its program acts for."""
    payload = fields.get("payload") or {}
    named = [payload[name] for name in _ACCOUNTS if accounts.is_there(tx, payload.get(name, ""))]
    if named:
        return frozenset(accounts.get(tx, one).person for one in named)
    return _behind(tx, fields.get("caller") or fields.get("actor") or payload.get("actor") or "")


def of_entity(tx: Tx, uuid: str, type_name: str) -> frozenset[PersonId]:
    """Whose an entity is; the owner's, unless its kind says otherwise."""
    of_kind = _KINDS.get(type_name)
    if of_kind is None:
        return _owner(tx)
    entity = core.get(tx, uuid)
    return frozenset(of_kind(tx, entity)) if entity.data is not None else frozenset()


def _behind(tx: Tx, actor: str) -> frozenset[PersonId]:
    """Whom a program acts for: nobody, once it was forgotten with its account."""
    agent = actor.removeprefix(_AGENT)
    if actor == agent or not core.exists(tx, agent):
        return _owner(tx)
    if core.get(tx, agent).data is None:
        return frozenset()
    return frozenset([accounts.get(tx, accounts.get_agent(tx, agent).account).person])


def _owner(tx: Tx) -> frozenset[PersonId]:
    owner = contacts.owner(tx)
    return frozenset([owner.person]) if owner else frozenset()


def _question(tx: Tx, entity: Entity) -> Iterator[PersonId]:
    question = questions.get(tx, entity.uuid)
    # A doubt, or a question of a play, holds words that nobody else may use: it is only asked.
    if question.kind != "doubt" and not question.details.get("group"):
        yield from [question.audience] if question.audience else _owner(tx)


def _account(tx: Tx, entity: Entity) -> Iterator[PersonId]:
    yield accounts.get(tx, entity.uuid).person


def _agent(tx: Tx, entity: Entity) -> Iterator[PersonId]:
    yield accounts.get(tx, accounts.get_agent(tx, entity.uuid).account).person


def _nobody(_tx: Tx, _entity: Entity) -> Iterator[PersonId]:
    yield from ()


_KINDS: Final[dict[str, Callable[[Tx, Entity], Iterator[PersonId]]]] = {
    questions.QUESTION: _question,
    accounts.ACCOUNT: _account,
    accounts.AGENT: _agent,
    # It holds two records whole, with what everybody calls them.
    people.MERGE: _nobody,
}


def register_as_nobodys(type_name: str) -> None:
    """Say that entities of a type are shown to nobody but the owner's own eyes."""
    _KINDS[type_name] = _nobody
