"""Accounts' tables: accounts and agents are entities, found by nametag, person and connector."""

from typing import Any, Final

import msgspec

from kithkin.accounts.model import Account, Agent
from kithkin.accounts.nametags import checked_nametag
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import AccountId, AgentId, new_entity_id

ACCOUNT: Final = "account"
AGENT: Final = "agent"


def new_account_id() -> AccountId:
    """A fresh id for an account."""
    return AccountId(new_entity_id())


def new_agent_id() -> AgentId:
    """A fresh id for an agent."""
    return AgentId(new_entity_id())


def get(tx: Tx, account: str) -> Account:
    """The account of that id."""
    return msgspec.convert(_fields(tx, account, ACCOUNT), Account)


def is_there(tx: Tx, account: str) -> bool:
    """Whether an account is there, and not erased."""
    row = tx.execute("SELECT 1 FROM account_lookup WHERE account = :a", {"a": account}).fetchone()
    return row is not None


def named(tx: Tx, nametag: str) -> Account:
    """The account that has a nametag, or had it."""
    row = tx.execute(
        "SELECT account FROM nametag WHERE tag = :tag", {"tag": checked_nametag(nametag)}
    ).fetchone()
    if row is None:
        raise NotFound(f"Nobody here has the nametag {nametag}.")
    return get(tx, row[0])


def is_taken(tx: Tx, tag: str) -> bool:
    """Whether somebody has a nametag, or had it."""
    return tx.execute("SELECT 1 FROM nametag WHERE tag = :t", {"t": tag}).fetchone() is not None


def of_person(tx: Tx, person: str) -> Account | None:
    """The account whose self-person this is."""
    row = tx.execute(
        "SELECT account FROM account_lookup WHERE person = :person", {"person": person}
    ).fetchone()
    return get(tx, row[0]) if row else None


def of_key(tx: Tx, connector: str, key: str) -> Account | None:
    """The account a connector knows by a key."""
    row = tx.execute(
        "SELECT account FROM account_key WHERE connector = :connector AND key = :key",
        {"connector": connector, "key": key},
    ).fetchone()
    return get(tx, row[0]) if row else None


def listed(tx: Tx) -> list[Account]:
    """Every account, oldest first."""
    rows = tx.execute(
        "SELECT e.uuid FROM account_lookup a JOIN entity e ON e.uuid = a.account"
        " ORDER BY e.created_at, e.uuid",
        {},
    ).fetchall()
    return [get(tx, row[0]) for row in rows]


def save(tx: Tx, account: Account, *, by: By) -> Account:
    """The account as it is now."""
    _save(tx, ACCOUNT, account, by=by)
    return account


def get_agent(tx: Tx, agent: str) -> Agent:
    """The agent of that id."""
    return msgspec.convert(_fields(tx, agent, AGENT), Agent)


def agents_of(tx: Tx, account: str, *, kind: str | None = None) -> list[Agent]:
    """The agents that act for an account, oldest first."""
    rows = tx.execute(
        "SELECT e.uuid FROM agent_lookup a JOIN entity e ON e.uuid = a.agent"
        " WHERE a.account = :account AND (CAST(:kind AS TEXT) IS NULL OR a.kind = :kind)"
        " ORDER BY e.created_at, e.uuid",
        {"account": account, "kind": kind},
    ).fetchall()
    return [get_agent(tx, row[0]) for row in rows]


def save_agent(tx: Tx, agent: Agent, *, by: By) -> Agent:
    """The agent as it is now."""
    _save(tx, AGENT, agent, by=by)
    return agent


def _save(tx: Tx, type_name: str, value: Account | Agent, *, by: By) -> None:
    data = msgspec.to_builtins(value)
    del data["id"]
    core.save(tx, type_name, value.id, data, by=by)


def _fields(tx: Tx, uuid: str, type_name: str) -> dict[str, Any]:
    entity = core.get(tx, uuid) if core.exists(tx, uuid) else None
    if entity is None or entity.type != type_name:
        raise NotFound(f"There is no {type_name} {uuid}.")
    return {**core.require_data(entity), "id": uuid}


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        for delete in (
            "DELETE FROM account_lookup WHERE account = :account",
            "DELETE FROM nametag WHERE account = :account",
            "DELETE FROM account_key WHERE account = :account",
        ):
            tx.execute(delete, {"account": after.uuid})
    if after.data is None:
        return
    account = msgspec.convert({**after.data, "id": after.uuid}, Account)
    tx.execute(
        "INSERT INTO account_lookup (account, person) VALUES (:account, :person)",
        {"account": account.id, "person": account.person},
    )
    tx.executemany(
        "INSERT INTO nametag (tag, account) VALUES (:tag, :account)",
        [
            {"tag": tag, "account": account.id}
            for tag in (account.nametag, *account.former_nametags)
        ],
    )
    tx.executemany(
        "INSERT INTO account_key (connector, key, account) VALUES (:connector, :key, :account)",
        [{"connector": c, "key": key, "account": account.id} for c, key in account.keys],
    )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM account_key", {})
    tx.execute("DELETE FROM nametag", {})
    tx.execute("DELETE FROM account_lookup", {})


def _project_agent(tx: Tx, before: Entity | None, after: Entity) -> None:
    if after.data is None:
        tx.execute("DELETE FROM agent_lookup WHERE agent = :agent", {"agent": after.uuid})
    elif before is None:
        tx.execute(
            "INSERT INTO agent_lookup (agent, account, name, kind)"
            " VALUES (:agent, :account, :name, :kind)",
            {
                "agent": after.uuid,
                "account": after.data["account"],
                "name": after.data["name"],
                "kind": after.data["kind"],
            },
        )


def _clear_agents(tx: Tx) -> None:
    tx.execute("DELETE FROM agent_lookup", {})


lookup_rows.register(
    ACCOUNT, lookup_rows.Projection(commands="`kithkin account`", project=_project, clear=_clear)
)
lookup_rows.register(
    AGENT,
    lookup_rows.Projection(
        commands="`kithkin agents`", project=_project_agent, clear=_clear_agents
    ),
)
