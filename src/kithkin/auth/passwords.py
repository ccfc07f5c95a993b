"""The owner's password: what is good enough, and how it is kept."""

from typing import Any, Final

from kithkin.errors import InvalidInput

SHORTEST: Final = 10
LONGEST: Final = 1000


def require_good(password: str) -> str:
    """A password of at least ten characters, whatever they are."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(
            f"A password has at least {SHORTEST} characters: a few words are easy to keep in mind."
        )
    return password


def hashed(password: str) -> str:
    """What is kept of a password (Argon2id)."""
    made: str = _hasher().hash(password)
    return made


def matches(kept: str, password: str) -> bool:
    """Whether this is the password."""
    # An extra of the server: whoever never serves need not have it.
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415

    try:
        _hasher().verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
    return True


def _hasher() -> Any:
    from argon2 import PasswordHasher  # noqa: PLC0415 - see above

    return PasswordHasher()
