"""The language of line operations, as the specification writes it."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kithkin.artifacts.model import Add, Edit, Move, Remove, Replace, Text
from kithkin.artifacts.ops import (
    MOST_LINES,
    apply,
    composed,
    content_of,
    inverted,
    parse,
    printed,
    read_text,
    staged,
)
from kithkin.errors import InvalidInput
from kithkin.soil.fragment_ids import fragment_id, is_fragment_id
from tests.artifacts.builders import content, edits, line, op, worded


def changed(text: str, ops: str, **texts: str) -> str:
    found = {f"^{name}": content for name, content in texts.items()}
    before = read_text(text)
    return content_of(apply(before, staged(before, parse(ops), text_of=found.__getitem__)))


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ("+15:^a7f", Add(15, "^a7f")),
        ("-23", Remove(23)),
        ("~18:^b2e→^c3d", Replace(18, "^b2e", "^c3d")),
        ("~18:^b2e->^c3d", Replace(18, "^b2e", "^c3d")),
        (">12@30", Move(12, 30)),
    ],
)
def test_the_four_operations_are_add_remove_replace_and_move(written: str, meaning: object) -> None:
    assert parse(written) == (meaning,)


def test_the_specifications_full_delta_example() -> None:
    before = ["one", "two", worded("^a7f"), "four", "five"]
    text = "".join(f"{line}\n" for line in before)
    ops = "+4:^f9e -5 ~3:^a7f→^k3m"
    after = changed(text, ops, f9e=worded("^f9e"), k3m=worded("^k3m"))
    assert after.splitlines() == ["one", "two", worded("^k3m"), worded("^f9e"), "five"]
    assert printed(parse(ops)) == ops


def test_ops_are_applied_in_the_order_written_each_to_the_current_text() -> None:
    assert changed("a\nb\nc\n", "-1 -1") == "c\n"
    assert changed("a\nb\nc\n", ">1@3 -1") == "c\na\n"
    assert changed("a\n", "+1:^000 +1:^001", **{"000": "x", "001": "y"}) == "y\nx\na\n"


def test_a_moved_line_ends_at_its_target() -> None:
    assert changed("1\n2\n3\n4\n5\n", ">2@4") == "1\n3\n4\n2\n5\n"
    assert changed("1\n2\n3\n4\n5\n", ">4@2") == "1\n4\n2\n3\n5\n"
    assert changed("1\n2\n3\n", ">2@2") == "1\n2\n3\n"


@pytest.mark.parametrize(
    ("ops", "said"),
    [
        ("-1 -1 ~1:^b2e→^c3d", f"op 3, `~1:^b2e→^c3d`: line 1 holds {fragment_id('c')}"),
        ("-1 -9", "op 2, `-9`: the text has 2 lines; name one of 1 to 2"),
        ("+5:^c3d", "op 1, `+5:^c3d`: the text has 3 lines; name one of 1 to 4"),
        (">1@4", "op 1, `>1@4`: the text has 3 lines"),
        ("-1 -1 -1 -1", "op 4, `-1`: the text has 0 lines; add one first"),
        ("-1 hello", "op 2, `hello`: this is no operation; write `+15:^a7f`"),
        ("-0", "op 1, `-0`"),
        ("+01:^a7f", "op 1, `+01:^a7f`"),
        ("-", "op 1, `-`"),
        ("+1:^toolong", "no operation"),
        ("+1:^zzzz", r"\^zzzz cannot be a fragment's id"),
        ("~1:^a7f^b2e", "no operation"),
        ("-99999999999999999999999999", "no operation"),
        ("-\uff11", "no operation"),
    ],
)
def test_every_error_says_which_op_and_what_is_wrong(ops: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("^", r"\^").replace("+", r"\+")
                       if "\\" not in said else said):  # fmt: skip
        changed("a\nb\nc\n", ops, c3d="new")


def test_a_fragment_of_several_lines_is_not_put_on_one() -> None:
    with pytest.raises(InvalidInput, match="several lines"):
        changed("", "+1:^a7f", a7f="two\nlines")


def test_all_or_nothing() -> None:
    before = read_text("a\nb\n")
    with pytest.raises(InvalidInput):
        apply(before, Edit((Remove(1), Remove(9))))
    assert before == Text(("a", "b"))


@given(st.lists(op, max_size=10))
def test_what_is_printed_is_parsed_back(ops: list[Add | Remove | Replace | Move]) -> None:
    assert parse(printed(ops)) == tuple(ops)
    assert printed(parse(printed(ops))) == printed(ops)


@given(content)
def test_no_byte_of_a_content_is_lost_as_lines(text: str) -> None:
    assert content_of(read_text(text)) == text


@given(st.data(), content)
def test_what_is_inverted_is_taken_back(data: st.DataObject, text: str) -> None:
    before = read_text(text)
    edit = data.draw(edits(before))
    after = apply(before, edit)
    assert apply(after, inverted(edit)) == before
    assert inverted(inverted(edit)) == edit


@given(st.data(), content)
def test_a_composed_edit_does_what_both_do(data: st.DataObject, text: str) -> None:
    before = read_text(text)
    first = data.draw(edits(before))
    middle = apply(before, first)
    second = data.draw(edits(middle))
    assert apply(before, composed(first, second)) == apply(middle, second)
    assert inverted(composed(first, second)) == composed(inverted(second), inverted(first))


@given(line)
def test_an_id_is_three_or_four_characters_of_base_36(text: str) -> None:
    assert is_fragment_id(fragment_id(text))
    assert 4 <= len(fragment_id(text)) <= 5


@pytest.mark.parametrize(
    "text", ["^this", "^abc!", "^ab", "abc", "^ABC", "^0123", "^2000", "^\uff1123"]
)
def test_what_two_bytes_cannot_give_is_no_id(text: str) -> None:
    assert not is_fragment_id(text)


def test_ids_are_the_specifications_own() -> None:
    def generate_fragment_id(content: str) -> str:
        import hashlib  # noqa: PLC0415 - as the specification writes it

        hash_int = int.from_bytes(hashlib.sha256(content.encode()).digest()[:2], "big")
        chars = "0123456789abcdefghijklmnopqrstuvwxyz"
        result = ""
        while hash_int > 0:
            result = chars[hash_int % 36] + result
            hash_int //= 36
        return f"^{result.zfill(3)}"

    for number in range(2000):
        assert fragment_id(f"text {number}") == generate_fragment_id(f"text {number}")


def test_a_huge_text_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="Split it"):
        read_text("x\n" * (MOST_LINES + 1))
