"""The inboxes: an ordinary queue in the same transactions, in order, until acknowledged."""

from typing import Final
from uuid import uuid4

from kithkin.accounts.model import Agent, Waiting
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import AccountId, AgentId, ItemId, SpeakerKey

NOBODY: Final = ""
"""The agent of what is kept until the account has one."""


def post(
    tx: Tx,
    account: AccountId,
    agents: list[Agent],
    item: ItemId,
    *,
    sender: SpeakerKey | None,
    now: str,
) -> list[Waiting]:
    """Put an item into each agent's inbox; with no agent it is kept for the account."""
    receivers = [agent.id for agent in agents] or [AgentId(NOBODY)]
    return [_post(tx, account, one, item, sender=sender, now=now) for one in receivers]


def _post(
    tx: Tx, account: AccountId, agent: str, item: ItemId, *, sender: SpeakerKey | None, now: str
) -> Waiting:
    waiting = Waiting(
        id=f"inbox_{uuid4()}",
        account=account,
        agent=AgentId(agent) if agent else None,
        seq=_next(tx, account, agent),
        item=item,
        posted_at=now,
    )
    tx.execute(
        "INSERT INTO inbox (id, account, agent, seq, item, sender, posted_at)"
        " VALUES (:id, :account, :agent, :seq, :item, :sender, :at)",
        {
            "id": waiting.id,
            "account": account,
            "agent": agent,
            "seq": waiting.seq,
            "item": item,
            "sender": sender or "",
            "at": now,
        },
    )
    return waiting


def _next(tx: Tx, account: str, agent: str) -> int:
    row = tx.execute(
        "SELECT coalesce(max(seq), 0) + 1 FROM inbox WHERE account = :account AND agent = :agent",
        {"account": account, "agent": agent},
    ).fetchone()
    return int(row[0])


def waiting(tx: Tx, agent: Agent, *, after: int = 0, limit: int = 100) -> list[Waiting]:
    """What an agent has not acknowledged yet, in the order it came."""
    rows = tx.execute(
        "SELECT id, account, agent, seq, item, posted_at, acked_at FROM inbox"
        " WHERE agent = :agent AND acked_at IS NULL AND seq > :after ORDER BY seq LIMIT :limit",
        {"agent": agent.id, "after": after, "limit": limit},
    )
    return [Waiting(*row) for row in rows.fetchall()]


def kept(tx: Tx, account: str) -> int:
    """How much is kept for an account that has no agent of its own yet."""
    row = tx.execute(
        "SELECT count(*) FROM inbox WHERE account = :account AND agent = ''", {"account": account}
    ).fetchone()
    return int(row[0])


def hand_over(tx: Tx, agent: Agent) -> None:
    """Give a new agent what was kept until there was one."""
    rows = tx.execute(
        "SELECT id FROM inbox WHERE account = :account AND agent = '' ORDER BY seq",
        {"account": agent.account},
    ).fetchall()
    for (uuid,) in rows:
        tx.execute(
            "UPDATE inbox SET agent = :agent, seq = :seq WHERE id = :id",
            {"agent": agent.id, "seq": _next(tx, agent.account, agent.id), "id": uuid},
        )


def acknowledge(tx: Tx, agent: Agent, uuid: str, *, now: str) -> None:
    """Remember that an agent has dealt with something. Saying so twice changes nothing."""
    done = tx.execute(
        "UPDATE inbox SET acked_at = coalesce(acked_at, :now) WHERE id = :id AND agent = :agent",
        {"now": now, "id": uuid, "agent": agent.id},
    )
    if not done.rowcount:
        raise NotFound(f"{uuid} is not in the inbox of {agent.name}. `kithkin inbox` shows it.")


def was_delivered(tx: Tx, account: str, item: str) -> bool:
    """Whether an item came into an inbox of the account."""
    row = tx.execute(
        "SELECT 1 FROM inbox WHERE account = :account AND item = :item LIMIT 1",
        {"account": account, "item": item},
    ).fetchone()
    return row is not None


def wrote_to(tx: Tx, agent: Agent, sender: SpeakerKey) -> bool:
    """Whether a speaker's message came into the agent's inbox."""
    row = tx.execute(
        "SELECT 1 FROM inbox WHERE agent = :agent AND sender = :sender LIMIT 1",
        {"agent": agent.id, "sender": sender},
    ).fetchone()
    return row is not None


def came_in(tx: Tx, item: str) -> bool:
    """Whether an item was delivered to anybody: what an agent writes itself never is."""
    row = tx.execute("SELECT 1 FROM inbox WHERE item = :item LIMIT 1", {"item": item}).fetchone()
    return row is not None


def forget_sender(tx: Tx, sender: SpeakerKey) -> None:
    """Leave no address behind of who wrote."""
    tx.execute("UPDATE inbox SET sender = '' WHERE sender = :sender", {"sender": sender})
