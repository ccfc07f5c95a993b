"""The reference as a page: what can be asked, in the methods' own words. Nothing is fetched."""

from collections.abc import Iterable
from html import escape
from inspect import cleandoc
from itertools import groupby

import msgspec

from kithkin.http.login_pages import page
from kithkin.http.requests import Answer
from kithkin.verb import Shape


def reference(shapes: Iterable[Shape]) -> Answer:
    """Every verb, by the part it belongs to."""
    parts = []
    for part, of_part in groupby(shapes, key=lambda shape: shape.verb.name.rpartition(".")[0]):
        parts.append(f"<h2>{escape(part or 'realm')}</h2>")
        parts += [_told(shape) for shape in of_part]
    return page("Kithkin: what can be asked", f"<h1>What can be asked</h1>{''.join(parts)}")


def _told(shape: Shape) -> str:
    verb = shape.verb
    words = escape(cleandoc(verb.does.__doc__ or ""))
    example = ""
    if verb.example:
        told = msgspec.json.format(msgspec.json.encode(verb.example), indent=2).decode()
        example = f"<pre>{escape(told)}</pre>"
    return (
        f"<h3><code>{escape(verb.route)}</code></h3>"
        f"<p>{words}</p><p><small>{escape(verb.authority)}</small></p>{example}"
    )
