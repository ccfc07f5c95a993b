"""Every error Kithkin raises on purpose.

    KithkinError
    ├── Refused                  understood, and not done; the message says what to do next
    │   ├── InvalidInput         the request itself is wrong
    │   │   └── TooLarge         it is more than is taken at once
    │   ├── NotFound             it names something that is not here
    │   ├── StaleEdit            somebody else changed it first
    │   ├── AlreadyRelated       a unique relation has its place taken
    │   ├── WouldLoop            a cause cannot be its own effect
    │   ├── UndoRefused          too late, undone already, or not a thing that is undone
    │   ├── NotAllowed           somebody else decides this
    │   │   └── NotKnown         nobody known asks: a token or a login is missing
    │   ├── TryLater             too soon; it says from when it will be done
    │   ├── TooSlow              the request did not arrive in time
    │   ├── InProgress           the same request is being done just now
    │   ├── OutcomeUnknown       nobody can say whether the same request was done
    │   ├── Lapsed               the question expired, was answered, or its ground has shifted
    │   └── Erased               its content was erased; only its hashes are left
    ├── DeliveryFailed           a channel did not take a message
    ├── ModelUnavailable         a language model gave no usable answer; rules go on without it
    └── StorageError             the database cannot serve
        ├── StorageBusy          others held the realm for too long
        ├── StorageFull          no space left
        ├── StorageReadOnly      no permission to write
        ├── StorageDamaged       the file is not a sound database
        ├── StorageTooNew        made by a newer Kithkin
        ├── StorageUnreachable   no server answers; nothing was changed
        ├── CommitUncertain      the connection died while committing
        └── StorageRefused       a constraint or trigger of the database said no

An expected answer, such as two people of one name, is a return value and not in this tree.
"""

from datetime import datetime, timedelta
from typing import Any, ClassVar


class KithkinError(Exception):
    """The root: catch this to catch everything Kithkin raises on purpose."""

    code: ClassVar[str] = "error"

    @property
    def details(self) -> dict[str, Any]:
        """What a program needs to know beyond the message."""
        return {}


class Refused(KithkinError):
    """The request was understood and was not carried out. Nothing changed."""

    code = "refused"


class InvalidInput(Refused):
    """The request itself is wrong: the message names the part and what would be right."""

    code = "invalid_input"


class TooLarge(InvalidInput):
    """The request is more than is taken at once; the message says how much is."""

    code = "too_large"


class NotFound(Refused):
    """The request names something that is not here."""

    code = "not_found"


class StaleEdit(Refused):
    """The entity changed since the caller read it. Read it again and decide afresh."""

    code = "stale_edit"

    def __init__(
        self,
        *,
        current_hash: str,
        current_version: int,
        client_hash: str | None,
        client_version: int | None,
    ) -> None:
        self.current_hash = current_hash
        self.current_version = current_version
        self.client_hash = client_hash
        self.client_version = client_version
        super().__init__(
            f"Entity was modified by another client: it is at version {current_version} "
            f"({current_hash[:12]}), your edit is based on {(client_hash or '?')[:12]}. "
            "Read it again and repeat the edit."
        )

    @property
    def details(self) -> dict[str, Any]:
        """Both sides of the conflict, under the specification's names."""
        return {
            "current_hash": self.current_hash,
            "current_version": self.current_version,
            "client_hash": self.client_hash,
            "client_version": self.client_version,
        }


class AlreadyRelated(Refused):
    """A unique relation has its place taken; the message names the relation that holds it."""

    code = "already_related"


class WouldLoop(Refused):
    """A chain of causes would lead back to itself."""

    code = "would_loop"


class UndoRefused(Refused):
    """The item cannot be undone: too late, undone already, or of a kind that is changed instead."""

    code = "undo_refused"


class NotAllowed(Refused):
    """Whoever acts may not do this; the message says who decides."""

    code = "not_allowed"


class NotKnown(NotAllowed):
    """Whoever asks has not said who they are, or not so that it can be believed."""

    code = "not_known"


class TryLater(Refused):
    """Too soon, or too often. The same request is heard from the moment it names."""

    code = "try_later"

    def __init__(self, why: str, *, at: str) -> None:
        self.at = at
        # Rounded up: whoever comes back at the second they read is heard.
        said = datetime.fromisoformat(at) + timedelta(microseconds=999_999)
        super().__init__(f"{why}: try again later, at {said:%Y-%m-%d %H:%M:%S} UTC.")

    @property
    def details(self) -> dict[str, Any]:
        """The moment from which it will be done."""
        return {"try_again_at": self.at}


class TooSlow(Refused):
    """The request did not arrive in time. Nothing was done; send it again."""

    code = "too_slow"


class InProgress(Refused):
    """The same request, under the same key, is being done just now: ask again in a moment."""

    code = "in_progress"


class OutcomeUnknown(Refused):
    """The same request was begun and nobody can say what came of it: look before repeating it."""

    code = "outcome_unknown"


class Lapsed(Refused):
    """The question can no longer be answered so: too late, answered, or its ground has shifted."""

    code = "lapsed"


class Erased(Refused):
    """The content was erased on purpose and cannot be read or built upon."""

    code = "erased"


class DeliveryFailed(KithkinError):
    """A channel did not take a message. One that may take it later says so."""

    code = "delivery_failed"

    def __init__(self, message: str, *, retryable: bool) -> None:
        self.retryable = retryable
        super().__init__(message)


class ModelUnavailable(KithkinError):
    """A language model cannot be reached, took too long, or answered nothing usable."""

    code = "model_unavailable"


class StorageError(KithkinError):
    """The database cannot serve. What was acknowledged before is safe."""

    code = "storage"


class StorageBusy(StorageError):
    """Other writers held the realm for longer than the timeout. Nothing changed; try again."""

    code = "storage_busy"


class StorageFull(StorageError):
    """There is no space left. The last committed state is intact; free some and try again."""

    code = "storage_full"


class StorageReadOnly(StorageError):
    """The store cannot be written to by this user."""

    code = "storage_read_only"


class StorageDamaged(StorageError):
    """The file is not a sound database. Restore a backup."""

    code = "storage_damaged"


class StorageTooNew(StorageError):
    """The store was made by a newer Kithkin than this one."""

    code = "storage_too_new"


class StorageUnreachable(StorageError):
    """No database server answers. Nothing was changed."""

    code = "storage_unreachable"


class CommitUncertain(StorageError):
    """The connection died during the commit: read back before trying again."""

    code = "commit_uncertain"


class StorageRefused(StorageError):
    """A constraint or trigger in the database said no. Nothing changed."""

    code = "storage_refused"


def by_code() -> dict[str, type[KithkinError]]:
    """Every error of the tree by its stable code."""

    def below(kind: type[KithkinError]) -> list[type[KithkinError]]:
        return [kind, *(one for child in kind.__subclasses__() for one in below(child))]

    return {kind.code: kind for kind in below(KithkinError)}
