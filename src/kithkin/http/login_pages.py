"""The few pages of the login: plain, whole in themselves, nothing fetched from anywhere."""

import base64
import hashlib
from collections.abc import Callable
from html import escape
from typing import Final

from kithkin.http.requests import Answer, Asked

Answering = Callable[[Asked], Answer]
Shown = Callable[[str], Answer]

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:12vh auto;padding:0 1rem;"
    "color:#222;background:#fff}label{display:block;margin:.8rem 0}"
    "input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem}"
    "button{font:inherit;padding:.5rem 1rem}[role=alert]{color:#a00}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}[role=alert]{color:#f88}}"
)
# The code stands behind the # of the link, which browsers never send: no log can hold it.
_SCRIPT: Final = (
    "document.forms[0].code.value=location.hash.slice(1);"
    "history.replaceState(null,'',location.pathname)"
)
_WELCOME: Final = """
<h1>Welcome</h1>
<p>This realm is yours. Choose a password: a few words are easy to keep in mind.</p>
<form method="post" action="/welcome">
<label>Code of the link <input name="code" required autocomplete="off"></label>
<label>Password <input name="password" type="password" required minlength="10"
 autocomplete="new-password"></label>
<label>Once more <input name="again" type="password" required minlength="10"
 autocomplete="new-password"></label>
<button>Set the password</button>
</form>
"""
_LOGIN: Final = """
<h1>Log in</h1>
<form method="post" action="/login">
<label>Password <input name="password" type="password" required autofocus
 autocomplete="current-password"></label>
<button>Log in</button>
</form>
"""
_HOME: Final = """
<h1>Kithkin</h1>
<p>You are logged in as the owner of this realm.</p>
<p><a href="/docs">What can be asked here</a></p>
<form method="post" action="/logout">
<input type="hidden" name="csrf" value="{csrf}"><button>Log out</button>
</form>
"""


def welcome(trouble: str = "") -> Answer:
    """Where the password is set."""
    return page("Welcome", _WELCOME, trouble=trouble, script=_SCRIPT)


def login(trouble: str = "") -> Answer:
    """Where the owner logs in."""
    return page("Log in", _LOGIN, trouble=trouble)


def home(csrf: str) -> Answer:
    """Where the owner arrives."""
    return page("Kithkin", _HOME.format(csrf=escape(csrf)))


def page(title: str, body: str, *, trouble: str = "", script: str = "") -> Answer:
    """A page that loads nothing and runs only what it is made with."""
    alert = f'<p role="alert">{escape(trouble)}</p>' if trouble else ""
    run = f"<script>{script}</script>" if script else ""
    html = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style>{alert}{body}{run}</html>"
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(_STYLE)}'; form-action 'self'; "
        f"base-uri 'none'; frame-ancestors 'none'; script-src {_hashed(script)}"
    )
    headers = {"Content-Security-Policy": policy}
    return Answer(200, html.encode(), headers, "text/html; charset=utf-8")


def _hashed(script: str) -> str:
    return f"'{_hash(script)}'" if script else "'none'"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
