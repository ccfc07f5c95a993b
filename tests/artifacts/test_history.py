"""Commits as in git: named by content and parents, merged three-way, followed line by line."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from kithkin.artifacts.diff import from_text
from kithkin.artifacts.history import (
    ancestors,
    commit_of,
    common_ancestor,
    followed,
    merged,
    origins,
    path,
    replayed,
    require_prefix,
)
from kithkin.artifacts.labels import Called, meant, require_label
from kithkin.artifacts.line_search import passages
from kithkin.artifacts.model import (
    Became,
    Changed,
    Clean,
    Commit,
    Conflict,
    Conflicted,
    Gone,
    Still,
    Text,
)
from kithkin.artifacts.ops import read_text
from kithkin.errors import InvalidInput
from tests.artifacts.builders import content


class History:
    """A document and every version of it."""

    def __init__(self) -> None:
        self.commits: dict[str, Commit] = {}
        self.texts: dict[str, Text] = {}

    def write(self, content: str, *parents: str) -> str:
        text = read_text(content)
        before = self.texts[parents[0]] if parents else Text()
        name = commit_of(text, parents)
        number = len(self.commits)
        edit = from_text(before, text)
        self.commits.setdefault(name, Commit(name, parents, f"item_{number}", number, edit, "now"))
        self.texts[name] = text
        return name

    def became(self, line: int, *, at: str, now: str) -> Became:
        steps = path(self.commits, old=at, new=now)
        assert steps is not None
        return followed(line, steps, self.commits, self.texts.__getitem__)

    def written_by(self, head: str) -> list[str]:
        return origins(list(self.commits.values()), head, self.texts.__getitem__)


def lines(*words: str) -> str:
    return "".join(f"{word}\n" for word in words)


def test_a_commit_covers_content_and_ordered_parents() -> None:
    text = read_text("a\n")
    names = {
        commit_of(text, ()),
        commit_of(text, ("1",)),
        commit_of(text, ("1", "2")),
        commit_of(text, ("2", "1")),
        commit_of(read_text("a"), ()),
        commit_of(read_text("b\n"), ()),
    }
    assert len(names) == 6
    assert commit_of(text, ("1",)) == commit_of(read_text("a\n"), ("1",))


@pytest.mark.parametrize("start", ["abc", "", "xyzw", "0" * 65, "c4f2 a1b"])
def test_a_commit_is_given_by_four_of_its_digits_or_more(start: str) -> None:
    assert require_prefix(" C4F2 ") == "c4f2"
    with pytest.raises(InvalidInput, match="no commit"):
        require_prefix(start)


def test_changes_of_different_lines_fit_together() -> None:
    base = read_text(lines("a", "b", "c", "d"))
    ours = read_text(lines("A", "b", "c", "d"))
    theirs = read_text(lines("a", "b", "c", "D", "e"))
    assert merged(base, ours, theirs) == Clean(read_text(lines("A", "b", "c", "D", "e")))


def test_neighbouring_lines_are_different_lines() -> None:
    base, ours, theirs = Text(("a", "b")), Text(("A", "b")), Text(("a", "B"))
    assert merged(base, ours, theirs) == Clean(Text(("A", "B")))


def test_changes_of_the_same_line_are_a_conflict_reported_as_such() -> None:
    base = read_text(lines("a", "b", "c"))
    ours, theirs = read_text(lines("a", "X", "c")), read_text(lines("a", "Y", "c"))
    expected = Conflict(line=2, base=("b",), ours=("X",), theirs=("Y",))
    assert merged(base, ours, theirs) == Conflicted((expected,))


def test_two_different_insertions_at_one_place_are_a_conflict() -> None:
    base = Text(("a", "z"))
    found = merged(base, Text(("a", "1", "z")), Text(("a", "2", "3", "z")))
    assert found == Conflicted((Conflict(2, (), ("1",), ("2", "3")),))


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    both = Text(("a", "B"))
    assert merged(Text(("a", "b")), both, both) == Clean(both)


@given(content, content)
def test_what_only_one_side_changed_is_taken(old: str, new: str) -> None:
    base, changed = read_text(old), read_text(new)
    assert merged(base, changed, base) == Clean(changed)
    assert merged(base, base, changed) == Clean(changed)
    assert merged(base, changed, changed) == Clean(changed)


@given(content, content, content)
def test_a_merge_does_not_depend_on_whose_side_is_whose(one: str, two: str, three: str) -> None:
    base, ours, theirs = map(read_text, (one, two, three))
    found, turned = merged(base, ours, theirs), merged(base, theirs, ours)
    if isinstance(found, Clean):
        assert turned == found
    else:
        assert isinstance(turned, Conflicted)
        assert [c.ours for c in turned.conflicts] == [c.theirs for c in found.conflicts]


def test_a_line_is_followed_through_later_edits() -> None:
    history = History()
    first = history.write(lines("a", "b", "c", "d", "e"))
    second = history.write(lines("new", "a", "b", "c", "d", "e"), first)
    third = history.write(lines("new", "a", "B", "c", "e", "d"), second)
    fourth = history.write(lines("new", "B", "c", "e", "d"), third)
    assert history.became(1, at=first, now=second) == Still(2)
    assert history.became(2, at=first, now=fourth) == Changed(2, third)
    assert history.became(3, at=first, now=fourth) == Still(3)
    assert history.became(4, at=first, now=fourth) == Still(5)
    assert history.became(1, at=first, now=fourth) == Gone(fourth)
    assert history.became(3, at=fourth, now=fourth) == Still(3)


def test_a_line_is_followed_through_a_merge_from_either_side() -> None:
    history = History()
    base = history.write(lines("a", "b", "c"))
    ours = history.write(lines("0", "a", "b", "c"), base)
    theirs = history.write(lines("a", "b", "c", "d"), base)
    joined = history.write(lines("0", "a", "b", "c", "d"), ours, theirs)
    assert history.became(4, at=theirs, now=joined) == Still(5)
    assert history.became(2, at=base, now=joined) == Still(3)
    assert path(history.commits, old=ours, new=theirs) is None


def test_each_line_is_the_work_of_the_commit_that_wrote_it() -> None:
    history = History()
    base = history.write(lines("a", "b", "c"))
    ours = history.write(lines("a", "B", "c"), base)
    theirs = history.write(lines("a", "b", "c", "d"), base)
    joined = history.write(lines("a", "B", "c", "d", "e"), ours, theirs)
    assert history.written_by(joined) == [base, ours, base, theirs, joined]
    assert history.written_by(ours) == [base, ours, base]


def test_the_common_ancestor_is_the_latest() -> None:
    history = History()
    root = history.write("a\n")
    fork = history.write("a\nb\n", root)
    ours, theirs = history.write("a\nb\nc\n", fork), history.write("x\na\nb\n", fork)
    assert common_ancestor(history.commits, ours, theirs) == fork
    assert ancestors(history.commits, ours) == {root, fork, ours}
    assert common_ancestor(history.commits, ours, history.write("elsewhere\n")) is None


@settings(max_examples=60)
@given(st.data())
def test_replaying_deltas_alone_gives_every_version_of_a_history_with_merges(
    data: st.DataObject,
) -> None:
    history = History()
    heads = [history.write(data.draw(content))]
    for _ in range(data.draw(st.integers(1, 10))):
        ours = data.draw(st.sampled_from(heads))
        theirs = data.draw(st.sampled_from(heads))
        base = common_ancestor(history.commits, ours, theirs)
        if ours == theirs or base is None:
            heads.append(history.write(data.draw(content), ours))
            continue
        found = merged(*(history.texts[one] for one in (base, ours, theirs)))
        if isinstance(found, Clean):
            after = "\n".join(found.text.lines)
            heads.append(history.write(after, ours, theirs))
    for commit, text in replayed(list(history.commits.values())):
        assert text == history.texts[commit.commit]
        assert commit_of(text, commit.parents) == commit.commit
    for head in heads:
        assert len(history.written_by(head)) == len(history.texts[head].lines)


@pytest.mark.parametrize("label", ["goals_doc", "a", "arch-diagram", "Ziele", "étude", "文書-2"])
def test_a_label_begins_with_a_letter_and_may_hold_dashes(label: str) -> None:
    assert require_label(f" {label} ") == label


@pytest.mark.parametrize(
    "label", ["", "1st", "_x", "-x", "a b", "a:b", "a/b", "a@b", "x" * 65, "^a"]
)
def test_other_words_are_no_labels(label: str) -> None:
    with pytest.raises(InvalidInput, match="letter"):
        require_label(label)


def test_the_current_label_wins_and_an_old_one_counts_only_if_unique() -> None:
    now, old, older = Called("1", current=True), Called("2", current=False), Called("3", False)
    assert meant([old, now, older]) == "1"
    assert meant([old]) == "2"
    assert meant([old, older]) is None
    assert meant([]) is None


def test_lines_are_ranked_by_the_words_they_share_with_the_query() -> None:
    text = [
        "# Goals",
        "Users sign in with a passkey.",
        "The authentication flow redirects twice.",
        "Errors of the authentication are logged.",
        "",
        "Search stays fast.",
        "Authenticated users see their own data.",
    ]
    best, *others = passages(text, "authentication flow")
    assert best.start <= 3 <= best.end
    assert any(one.start <= 7 <= one.end for one in [best, *others])
    assert not any(one.start <= 6 <= one.end for one in (best,))
    assert passages(["a", "We use PostgreSQL", "b"], "postgres")[0].score > 0
    assert passages(text, "zebra") == []
    assert passages([], "zebra") == []
    assert passages(text, "the of") == []
