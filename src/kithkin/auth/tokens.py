"""The secrets that programs and browsers show: random, and kept only as hashes."""

import hashlib
import secrets
from typing import Final

MARK: Final = "kith_"
_BYTES: Final = 32
_SHOWN: Final = 11


def new_secret() -> str:
    """A fresh secret of 256 random bits: nothing to guess, so a plain hash is enough."""
    return MARK + secrets.token_urlsafe(_BYTES)


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def prefix_of(secret: str) -> str:
    """How a secret begins, for people to tell them apart."""
    return secret[:_SHOWN]
