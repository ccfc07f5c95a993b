"""References are found where people mean them, and nowhere else."""

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given

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
)
from kithkin.language.reference_scanner import Known, parse_references, preview, raw, readable, scan

LABELS = {"goals_doc", "arch-diagram", "constraints", "README", "ratio", "étude", "api", "v2"}
FRAGMENTS = {"^k3m", "^a7f", "^b2e", "^m8n", "^p4q", "^1abc", "^123"}
THINGS = {"item_1", "item_fedcba98-7654-3210-fedc-ba9876543210", "tc_001", "uuid_m1"}
EACH_KIND = "^k3m, goals_doc:15@c4f2a1b, [old](uuid_abc), @item_1"
KNOWN = Known(label=LABELS.__contains__, fragment=FRAGMENTS.__contains__, thing=THINGS.__contains__)

REAL_WORLD: list[tuple[str, list[str]]] = [
    # What the specification itself writes.
    ("Use PostgreSQL instead - ^k3m shows SQLite won't scale", ["^k3m"]),
    ("Update goals_doc:15 to reflect new storage decision", ["goals_doc:15"]),
    ("See [previous exploration](uuid_abc) for context", ["[previous exploration](uuid_abc)"]),
    ("goals_doc:15@c4f2a1b was better", ["goals_doc:15@c4f2a1b"]),
    ("As said in item_1#^a7f, quick access matters", ["item_1#^a7f"]),
    ("item_1#^a7f:^b2e is the whole argument", ["item_1#^a7f:^b2e"]),
    ("Triggered by @item_1.", ["@item_1"]),
    (
        "@item_fedcba98-7654-3210-fedc-ba9876543210 started it",
        ["@item_fedcba98-7654-3210-fedc-ba9876543210"],
    ),
    ("The call @tc_001 failed, see @uuid_m1", ["@tc_001", "@uuid_m1"]),
    # Where sentences put them.
    ("^k3m", ["^k3m"]),
    ("^k3m.", ["^k3m"]),
    ("(^k3m)", ["^k3m"]),
    ("^k3m, ^a7f and ^b2e", ["^k3m", "^a7f", "^b2e"]),
    ("^k3m's point stands", ["^k3m"]),
    ("Is it ^k3m?", ["^k3m"]),
    ("“^k3m” says it", ["^k3m"]),
    ("**^k3m** is the key", ["^k3m"]),
    ("^1abc has four characters", ["^1abc"]),
    ("goals_doc:15.", ["goals_doc:15"]),
    ("goals_doc:15, goals_doc:16; goals_doc:17!", ["goals_doc:15", "goals_doc:16", "goals_doc:17"]),
    ("(goals_doc:15)", ["goals_doc:15"]),
    ('"goals_doc:15"', ["goals_doc:15"]),
    ("**goals_doc:15** is wrong", ["goals_doc:15"]),
    ("goals_doc:15: this line is wrong", ["goals_doc:15"]),
    ("goals_doc:15-20 should go", ["goals_doc:15-20"]),
    ("goals_doc:15-20@c4f2a1b should go", ["goals_doc:15-20@c4f2a1b"]),
    ("arch-diagram:3 contradicts constraints:12", ["arch-diagram:3", "constraints:12"]),
    ("étude:4 is in French", ["étude:4"]),
    ("[goals_doc:15]", ["goals_doc:15"]),
    ("> goals_doc:15 quoted", ["goals_doc:15"]),
    ("- goals_doc:15", ["goals_doc:15"]),
    ("goals_doc:15\ngoals_doc:16", ["goals_doc:15", "goals_doc:16"]),
    ("goals_doc:15…", ["goals_doc:15"]),
    ("from goals_doc:1 to goals_doc:999999999", ["goals_doc:1", "goals_doc:999999999"]),
    ("README:1 says hello", ["README:1"]),
    ("ask @item_1, then @tc_001!", ["@item_1", "@tc_001"]),
    ("(@item_1)", ["@item_1"]),
    ("@item_1#^a7f is the one", ["@item_1#^a7f"]),
    ("see [](uuid_abc)", ["[](uuid_abc)"]),
    ("see [goals_doc:15](uuid_abc)", ["[goals_doc:15](uuid_abc)"]),
    ("see [a](uuid_1) and [b](entity_2-3)", ["[a](uuid_1)", "[b](entity_2-3)"]),
    ("[the message](item_1) said so", ["[the message](item_1)"]),
    ("[link](https://x.org) beside ^k3m", ["^k3m"]),
    ("https://x.org and goals_doc:15", ["goals_doc:15"]),
    ("`code` then goals_doc:15", ["goals_doc:15"]),
    ("See https://x.org/a?b=goals_doc:3, then ^k3m.", ["^k3m"]),
    # Times.
    ("Let's meet at 10:30", []),
    ("10:30-11:15 is free", []),
    ("The train leaves 23:59:59", []),
    ("2026-01-15T10:00:00+00:00", []),
    ("12:00am", []),
    ("at 9:05 or 9:15?", []),
    ("12:30@work", []),
    # Ports and hosts.
    ("localhost:8080 is taken", []),
    ("Listening on 0.0.0.0:5432", []),
    ("127.0.0.1:3000", []),
    ("[::1]:8080", []),
    ("db.example.com:5432", []),
    ("redis://cache:6379/0", []),
    ("http://localhost:8080/api:3", []),
    ("ssh -p 22 host:22", []),
    ("docker run -p 80:8080 nginx:1", []),
    ("proxy:3128 refused", []),
    # E-mail addresses, handles, decorators.
    ("bob@x.com", []),
    ("Mail bob@item_1.com", []),
    ("write to goals_doc:15@example.com", []),
    ("first.last+tag@sub.example.co.uk", []),
    ("@alice can you look?", []),
    ("@sksembhi and @notzeeg", []),
    ("cc @team-backend", []),
    ("@dataclass", []),
    ("@pytest.mark.parametrize", []),
    ("npm i @types/node", []),
    ("user@item_1", []),
    ("@item_1@mastodon.social", []),
    ("@item_10 is somebody else", []),
    ("meet @ 10:30", []),
    ("git@github.com:kith/kin.git", []),
    ("scp me@host:22", []),
    # Powers and carets.
    ("2^16 is 65536", []),
    ("2^123", []),
    ("x^k3m", []),
    ("10^100", []),
    ("e^a7f", []),
    ("O(n^2)", []),
    ("(a+b)^123", []),
    ("^_^", []),
    ("^^ this", []),
    ("^this", []),
    ("^ this", []),
    ("^THIS", []),
    ("^lol", []),
    ("HEAD^", []),
    ("HEAD^^k3m", []),
    ("git log ^main", []),
    ("[^k3m]: a footnote", []),
    ("as shown[^k3m]", []),
    ("[^a7f]", []),
    ("^k3m^b2e", []),
    ("^k3mx", []),
    ("^k3m_", []),
    ("$^123$", []),
    ("x]^k3m", []),
    (r"\^k3m", []),
    ("C^k3m", []),
    ("m^123/s", []),
    ("^k3m-like", []),
    ("^GSPC fell", []),
    # Ratios, scores, chapters and verses.
    ("a ratio of 3:1", []),
    ("won 3:2", []),
    ("16:9 screens", []),
    ("John 3:16", []),
    ("1:1 meeting", []),
    ("1:10000 scale", []),
    ("odds 5:2 on", []),
    ("ratio:0.5", []),
    ("ratio:3:1", []),
    ("ratio:50%", []),
    ("ratio:1.5", []),
    ("ratio:007", []),
    ("ratio:0", []),
    ("ratio: 15", []),
    ("ratio :15", []),
    ("ratio:-15", []),
    ("ratio:15px", []),
    ("ratio:1,000", []),
    ("ratio:20°", []),
    ("ratio:20-10", []),
    ("ratio:15th", []),
    ("v2:0", []),
    # Addresses on the web.
    ("https://example.com/goals_doc:15", []),
    ("https://example.com/^k3m", []),
    ("https://example.com/@item_1", []),
    ("http://goals_doc:15/", []),
    ("www.example.com/goals_doc:15", []),
    ("ftp://goals_doc:21", []),
    ("mailto:goals_doc:15@x.org", []),
    ("<https://x.org/goals_doc:15>", []),
    ("[docs](https://x.org/goals_doc:15)", []),
    ('[docs](https://x.org/goals_doc:15 "^k3m/")', []),
    ("https://en.wikipedia.org/wiki/Caret_(goals_doc:15)", []),
    ("file:///home/me/goals_doc:15", []),
    ("x.org/goals_doc:15", []),
    # Code.
    ("`goals_doc:15`", []),
    ("`^k3m`", []),
    ("``a ` goals_doc:15``", []),
    ("```\ngoals_doc:15\n^k3m\n```", []),
    ("```python\nx = a^k3m  # goals_doc:15\n```", []),
    ("~~~\n@item_1\n~~~", []),
    ("```\nnever closed goals_doc:15", []),
    ("`@item_1` is written so", []),
    ("grep '^k3mx' file", []),
    ("main.py:15", []),
    ("src/main.py:15:3: error", []),
    ("goals_doc.md:15", []),
    ("src/goals_doc:15", []),
    ("./goals_doc:15", []),
    (r"C:\goals_doc:15", []),
    ("my-goals_doc:15", []),
    ("goals_doc-old:15", []),
    ("xgoals_doc:15", []),
    ("goals_docs:15", []),
    ("goals_doc::15", []),
    ("goals_doc:15:3", []),
    ("goals_doc:x", []),
    ("goals_doc:15@xyz", []),
    ("goals_doc:15@c4f2a1bg", []),
    ("goals_doc:15#L3", []),
    ("std::goals_doc:15", []),
    ("$goals_doc:15", []),
    ("?q=goals_doc:15", []),
    ('{"goals_doc":15}', []),
    ("goals_doc[15]", []),
    ("z-index:10", []),
    ("nginx:1", []),
    ("sha256:123", []),
    ("item_1#L3", []),
    ("item_2#^a7f", []),
    ("item_1#^toolong", []),
    ("color: #123456", []),
    ("issue #123", []),
    # Markdown that is not ours.
    ("[text](relative/path.md)", []),
    ("[text](#anchor)", []),
    ("[text](mailto:bob@x.com)", []),
    ("![image](uuid_abc)", []),
    (r"\[text](uuid_abc)", []),
    ("[text] (uuid_abc)", []),
    ("[text](uuid_)", []),
    ("[text](uuid_a b)", []),
    ("[a [nested] b](other_1)", []),
    ("[x][uuid_abc]", []),
    ("| a:15 | b:16 |", []),
    ("- [ ] 10:30 call bob@x.com", []),
    ("Emoji :100: and :+1:", []),
    ("C4F2A1B", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), REAL_WORLD)
def test_real_world_text_gives_its_references_and_no_other(text: str, expected: list[str]) -> None:
    found = scan(text, KNOWN)
    assert [mention.raw for mention in found] == expected
    assert all(text[slice(*mention.span)] == mention.raw for mention in found)


def test_there_are_enough_lines_of_real_world_text() -> None:
    assert len({text for text, _ in REAL_WORLD}) >= 150


def test_the_four_kinds_of_reference() -> None:
    assert parse_references(EACH_KIND, labels={"goals_doc"}) == [
        FragmentMention("^k3m", (0, 4), "^k3m"),
        LineMention("goals_doc:15@c4f2a1b", (6, 26), "goals_doc", 15, 15, "c4f2a1b"),
        LinkMention("[old](uuid_abc)", (28, 43), "old", "uuid_abc"),
        ItemMention("@item_1", (45, 52), "item_1"),
    ]


def test_a_label_counts_only_if_it_exists() -> None:
    assert parse_references("goals_doc:15") == []
    assert len(parse_references("goals_doc:15", labels=["goals_doc"])) == 1


def fragment(content: str, uuid: str = "item_1") -> FragmentRef:
    return FragmentRef("^k3m", preview(content), uuid, 0, "0" * 64, content)


def lines(mention: Mention) -> Ref:
    match mention:
        case FragmentMention():
            return fragment("scalability analysis")
        case LineMention(label=label, line=line, last=last):
            return ArtifactLineRef(
                "entity_1", label, line, "x", "c4f2a1b" * 9, last if last > line else None
            )
        case LinkMention(uuid=uuid):
            return LogRef(uuid, "what was found out")
        case ItemMention(uuid=uuid):
            return ItemRef(uuid, "Note", "called the plumber")


def test_reference_metadata_has_the_specifications_names() -> None:
    told = [msgspec.to_builtins(lines(mention)) for mention in scan(EACH_KIND, KNOWN)]
    expected = [
        ("fragment", {"id", "preview", "message_uuid"}),
        ("artifact_line", {"uuid", "label", "line", "content"}),
        ("log", {"uuid", "summary_or_first_fragment"}),
        ("item", {"uuid", "_type", "preview"}),
    ]
    assert [one["type"] for one in told] == [kind for kind, _ in expected]
    assert all(names <= set(one) for one, (_, names) in zip(told, expected, strict=True))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "Use PostgreSQL instead - ^k3m shows SQLite won't scale",
            "Use PostgreSQL instead - [scalability analysis] shows SQLite won't scale",
        ),
        (
            "Update goals_doc:15 to reflect new storage decision",
            "Update [goals_doc line 15] to reflect new storage decision",
        ),
        (
            "See [previous exploration](uuid_abc) for context",
            "See [previous exploration] for context",
        ),
        ("See [](uuid_abc)", "See [what was found out]"),
        ("goals_doc:15@c4f2a1b", "[goals_doc line 15 at c4f2a1b]"),
        ("goals_doc:15-20", "[goals_doc lines 15 to 20]"),
        ("Because of @item_1", "Because of [called the plumber]"),
    ],
)
def test_users_see_what_a_reference_means(written: str, read: str) -> None:
    found = [(mention, lines(mention)) for mention in scan(written, KNOWN)]
    rendered = readable(written, found)
    assert rendered.text == read
    assert raw(rendered) == written


def test_what_is_ambiguous_or_leads_nowhere_stays_as_written() -> None:
    (mention,) = scan("see ^k3m", KNOWN)
    many = AmbiguousRef((fragment("one"), fragment("two", "item_2")))
    assert readable("see ^k3m", [(mention, many)]).text == "see ^k3m"
    assert readable("see ^k3m", [(mention, DanglingRef("gone"))]).text == "see ^k3m"


PARTS = st.sampled_from(
    ["^k3m", "goals_doc:15", "[x](uuid_1)", "@item_1", " ", "\n", "`", "a", "https://", ".", "^",
     "[", "](", ")", "#^a7f", ":", "-", "15", "```", "日本", "\u2028"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=12).map("".join))
def test_rendering_goes_there_and_back_whatever_is_written(text: str) -> None:
    found = scan(text, KNOWN)
    ends = [span for mention in found for span in mention.span]
    assert ends == sorted(ends)
    rendered = readable(text, [(mention, lines(mention)) for mention in found])
    assert raw(rendered) == text


@given(st.text())
def test_no_text_breaks_the_scanner(text: str) -> None:
    found = scan(text, Known(label=lambda _: True, thing=lambda _: True))
    assert all(text[slice(*mention.span)] == mention.raw for mention in found)


def test_a_preview_is_a_few_words_on_one_line() -> None:
    assert preview("short\nand\x07sweet") == "short and sweet"
    assert preview("word " * 40).endswith("word…")
    assert len(preview("x" * 500)) <= 50
