"""Post to a web address, signed, so that the receiver knows who sent it and that it is whole."""

import hashlib
import hmac
import http.client
import urllib.error
import urllib.request
from typing import Any, Final

from kithkin.errors import DeliveryFailed, InvalidInput

_SECONDS: Final = 20
_TRY_AGAIN: Final = (408, 425, 429)
_MOST_READ: Final = 65536


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is signed for one address is not taken to another."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Never."""


_opener: Final = urllib.request.build_opener(_NoRedirect)


def require_web_address(url: str) -> str:
    """An address that something can be posted to."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(f"{url!r} is no web address: it begins with https:// or http://.")
    return url


def post_signed(url: str, body: bytes, *, key: str, secret: str | None) -> bytes:
    """Post a JSON body and return the answer. The same key again is the same message."""
    request = urllib.request.Request(  # noqa: S310 - http or https, checked where it was set
        url, data=body, headers=_headers(body, key, secret), method="POST"
    )
    try:
        with _opener.open(request, timeout=_SECONDS) as answer:
            read: bytes = answer.read(_MOST_READ)
            return read
    except urllib.error.HTTPError as error:
        error.close()
        again = error.code in _TRY_AGAIN or error.code >= 500  # noqa: PLR2004 - theirs to mend
        raise DeliveryFailed(f"{url} said {error.code}.", retryable=again) from error
    except (OSError, http.client.HTTPException) as error:
        raise DeliveryFailed(f"{url}: {error!r}.", retryable=True) from error


def signature(body: bytes, secret: str) -> str:
    """What the receiver compares: the body's HMAC under the secret both know."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


def _headers(body: bytes, key: str, secret: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    if secret:
        headers["X-Kithkin-Signature"] = signature(body, secret)
    return headers
