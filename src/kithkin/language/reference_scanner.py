"""Find references in what people write, show them as people read them, and go back."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, assert_never

from msgspec import Struct

from kithkin.language.model import (
    AmbiguousRef,
    ArtifactLineRef,
    DanglingRef,
    FragmentMention,
    FragmentRef,
    ItemMention,
    ItemRef,
    LineMention,
    LinkMention,
    LogRef,
    Mention,
    Ref,
    Rendered,
)
from kithkin.language.spans import not_prose, touches
from kithkin.soil.fragment_ids import is_fragment_id

# What may not stand right before or after a reference: it would be a part of something else.
_FREE: Final = r"(?<![\w.\\/@:#$%&=?+~^-])"
_DONE: Final = r"(?![\w@#^%°/\\=~])(?![.,:-][0-9A-Za-z_^])"
_ID: Final = r"\^[0-9a-z]{3,4}"
_NUMBER: Final = r"[1-9][0-9]{0,8}"
_UUID: Final = r"[A-Za-z0-9](?:[\w-]*\w)?"

_LINK: Final = re.compile(rf"(?<![!\\\]])\[(?P<text>[^\[\]\n]*)\]\((?P<uuid>[a-z]+_{_UUID})\)")
_ANCHOR: Final = re.compile(
    rf"(?<![\w.\\/:#$%&=?+~^-])@?(?P<item>{_UUID})#(?P<id>{_ID})(?::(?P<last>{_ID}))?{_DONE}"
)
_LINE: Final = re.compile(
    rf"{_FREE}(?P<label>[^\W\d_][\w-]*):(?P<line>{_NUMBER})(?:-(?P<last>{_NUMBER}))?"
    rf"(?:@(?P<commit>[0-9a-f]{{4,64}}))?{_DONE}"
)
_FRAGMENT: Final = re.compile(
    rf"(?<![\w.\\/@#$^)\]\[{{}}|-])(?P<id>{_ID})(?![\w@#^%/\\$+\]])(?!-\w)"
)
_ITEM: Final = re.compile(rf"{_FREE}(?<!\[)@(?P<uuid>{_UUID}){_DONE}")
_LINKED: Final = ("uuid_", "entity_", "item_")


def _looks_like_an_id(uuid: str) -> bool:
    return uuid.startswith(_LINKED)


class Known(Struct, frozen=True):
    """What there is to refer to. A label counts only if it exists; so does a name after `@`."""

    label: Callable[[str], bool] = lambda _: False
    fragment: Callable[[str], bool] = is_fragment_id
    thing: Callable[[str], bool] = _looks_like_an_id


def parse_references(content: str, *, labels: Collection[str] = ()) -> list[Mention]:
    """Every reference in a text, by the labels that exist."""
    return scan(content, Known(label=labels.__contains__))


def scan(text: str, known: Known) -> list[Mention]:
    """Every reference in a text, in order: the longest first, none within another.

    Code and addresses on the web are not looked into.
    """
    skipped = not_prose(text)
    found = sorted(_candidates(text, known), key=lambda one: (one.span[0], -one.span[1]))
    mentions: list[Mention] = []
    for mention in found:
        if not touches(mention.span, skipped) and (
            not mentions or mention.span[0] >= mentions[-1].span[1]
        ):
            mentions.append(mention)
    return mentions


def readable(text: str, refs: Iterable[tuple[Mention, Ref]]) -> Rendered:
    """A text with each reference as people read it; what leads nowhere stays as it is written."""
    out: list[str] = []
    links: list[tuple[int, int, str]] = []
    at, length = 0, 0
    for mention, ref in refs:
        shown = shown_as(mention, ref)
        before = text[at : mention.span[0]]
        out += (before, shown)
        links.append((length + len(before), length + len(before) + len(shown), mention.raw))
        length += len(before) + len(shown)
        at = mention.span[1]
    return Rendered("".join((*out, text[at:])), tuple(links))


def raw(rendered: Rendered) -> str:
    """The text as it was written, with its references."""
    out: list[str] = []
    at = 0
    for start, end, written in rendered.links:
        out += (rendered.text[at:start], written)
        at = end
    return "".join((*out, rendered.text[at:]))


def shown_as(mention: Mention, ref: Ref) -> str:
    """One reference as people read it."""
    if isinstance(mention, LinkMention) and mention.text.strip():
        return f"[{mention.text}]"
    match ref:
        case FragmentRef(preview=words) | LogRef(summary_or_first_fragment=words):
            return f"[{words}]"
        case ItemRef(preview=words):
            return f"[{words}]"
        case ArtifactLineRef():
            lines = f"lines {ref.line} to {ref.last}" if ref.last else f"line {ref.line}"
            pinned = isinstance(mention, LineMention) and mention.commit
            return f"[{ref.label} {lines}{f' at {ref.commit[:7]}' if pinned else ''}]"
        case AmbiguousRef() | DanglingRef():
            return mention.raw
        case _:
            assert_never(ref)


def preview(text: str, *, most: int = 48) -> str:
    """The first words of a text, on one line."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(flat) <= most:
        return flat
    cut = flat[:most].rsplit(" ", 1)[0]
    return f"{cut.rstrip(' ,;:.-')}…"


def _candidates(text: str, known: Known) -> Iterator[Mention]:
    yield from _links(text)
    yield from _anchors(text, known)
    yield from _lines(text, known)
    for found in _FRAGMENT.finditer(text):
        if is_fragment_id(found["id"]) and known.fragment(found["id"]):
            yield FragmentMention(found[0], found.span(), found["id"])
    for found in _ITEM.finditer(text):
        if known.thing(found["uuid"]):
            yield ItemMention(found[0], found.span(), found["uuid"])


def _links(text: str) -> Iterator[LinkMention]:
    for found in _LINK.finditer(text):
        if found["uuid"].startswith(_LINKED):
            yield LinkMention(found[0], found.span(), found["text"], found["uuid"])


def _anchors(text: str, known: Known) -> Iterator[FragmentMention]:
    for found in _ANCHOR.finditer(text):
        ids = [one for one in (found["id"], found["last"]) if one]
        if all(map(is_fragment_id, ids)) and known.thing(found["item"]):
            yield FragmentMention(found[0], found.span(), found["id"], found["item"], found["last"])


def _lines(text: str, known: Known) -> Iterator[LineMention]:
    for found in _LINE.finditer(text):
        line = int(found["line"])
        last = int(found["last"] or line)
        if last >= line and known.label(found["label"]):
            span, commit = found.span(), found["commit"]
            yield LineMention(found[0], span, found["label"], line, last, commit)
