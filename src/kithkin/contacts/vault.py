"""The vault: secrets sealed with AES-GCM, in an ordinary table; items hold only a secret's id."""

import secrets
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct

from kithkin.contacts.vault_keys import Key, Keyring
from kithkin.db import Tx
from kithkin.errors import NotFound, StorageDamaged
from kithkin.ids import SecretId

MASK: Final = "••••••••"
_NONCE: Final = 12


class Secret(Struct, frozen=True):
    """A secret as anybody may see it: its name, and that there is one."""

    id: SecretId
    name: str
    set_at: str
    value: str = MASK


def put(tx: Tx, ring: Keyring, name: str, value: str, *, now: str) -> SecretId:
    """Seal a secret under a name; one of that name is replaced and keeps its id."""
    row = tx.execute("SELECT id FROM secret WHERE name = :name", {"name": name}).fetchone()
    secret = SecretId(row[0] if row else f"secret_{uuid4()}")
    tx.execute(
        "INSERT INTO secret (id, name, key_id, nonce, sealed, set_at)"
        " VALUES (:id, :name, :key_id, :nonce, :sealed, :now) ON CONFLICT (id) DO UPDATE SET"
        " key_id = excluded.key_id, nonce = excluded.nonce, sealed = excluded.sealed,"
        " set_at = excluded.set_at",
        {"id": secret, "name": name, "now": now, **_seal(ring.current(), secret, value)},
    )
    return secret


def find(tx: Tx, name: str) -> Secret | None:
    """The secret of a name, masked."""
    row = tx.execute(
        "SELECT id, name, set_at FROM secret WHERE name = :name", {"name": name}
    ).fetchone()
    return Secret(*row) if row else None


def listed(tx: Tx) -> list[Secret]:
    """Every secret, masked."""
    rows = tx.execute("SELECT id, name, set_at FROM secret ORDER BY name", {})
    return [Secret(*row) for row in rows.fetchall()]


def reveal(tx: Tx, ring: Keyring, secret: str) -> str:
    """What a secret is. Whoever calls this has checked who asks, and records it."""
    row = tx.execute(
        "SELECT key_id, nonce, sealed FROM secret WHERE id = :id", {"id": secret}
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no secret {secret}.")
    return _open(ring.named(row[0]), secret, bytes(row[1]), bytes(row[2]))


def drop(tx: Tx, secret: str) -> None:
    """Destroy a secret."""
    tx.execute("DELETE FROM secret WHERE id = :id", {"id": secret})


def seal_again(tx: Tx, ring: Keyring) -> int:
    """Seal every secret with the current key; how many there were."""
    rows = list(_all(tx))
    for secret, key_id, nonce, sealed in rows:
        value = _open(ring.named(key_id), secret, nonce, sealed)
        tx.execute(
            "UPDATE secret SET key_id = :key_id, nonce = :nonce, sealed = :sealed WHERE id = :id",
            {"id": secret, **_seal(ring.current(), secret, value)},
        )
    return len(rows)


def keys_in_use(tx: Tx) -> set[str]:
    """The ids of the keys that seal something."""
    return {row[0] for row in tx.execute("SELECT DISTINCT key_id FROM secret", {})}


def _all(tx: Tx) -> Iterator[tuple[str, str, bytes, bytes]]:
    rows = tx.execute("SELECT id, key_id, nonce, sealed FROM secret ORDER BY id", {})
    for secret, key_id, nonce, sealed in rows.fetchall():
        yield secret, key_id, bytes(nonce), bytes(sealed)


def _seal(key: Key, secret: str, value: str) -> dict[str, Any]:
    nonce = secrets.token_bytes(_NONCE)
    sealed = _cipher(key).encrypt(nonce, value.encode(), secret.encode())
    return {"key_id": key.id, "nonce": nonce, "sealed": sealed}


def _open(key: Key, secret: str, nonce: bytes, sealed: bytes) -> str:
    # The library takes 30 ms to load: only for whoever has a secret.
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415

    try:
        plain: bytes = _cipher(key).decrypt(nonce, sealed, secret.encode())
    except InvalidTag as error:
        raise StorageDamaged(f"The secret {secret} was altered: set it again.") from error
    return plain.decode()


def _cipher(key: Key) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - see above

    return AESGCM(key.raw)
