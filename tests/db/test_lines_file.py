"""A file of lines that people edit by hand while we write to it."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kithkin.db.file_swap import exchange as really_exchange
from kithkin.db.lines_file import Line, LinesFile
from kithkin.errors import StorageBusy, StorageFull, StorageReadOnly

BARE = b'{"id": "\xff\xfe"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.jsonl"


@pytest.fixture
def file(path: Path) -> LinesFile:
    """A file into which we wrote three lines."""
    file = LinesFile(path)
    with file.locked():
        assert file.rewrite(["one", "two", "three"])
    return file


def state_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.state")


def texts(lines: Iterable[Line]) -> list[str]:
    return [line.text for line in lines]


def tick() -> None:
    """Let the file system's clock move on, as it does before anybody has opened an editor."""
    time.sleep(0.02)


def test_what_we_wrote_is_untouched_known_and_intact(file: LinesFile) -> None:
    with file.locked():
        assert file.untouched()
        content = file.read()
    assert content.lines == (Line(1, b"one"), Line(2, b"two"), Line(3, b"three"))
    assert (content.known, content.intact, content.added) == (3, True, ())


def test_a_file_that_never_was_has_no_lines_and_is_not_known(path: Path) -> None:
    file = LinesFile(path)
    with file.locked():
        assert not file.untouched()
        assert file.read().lines == ()
        assert not file.read().intact
    assert not path.exists()


def test_an_absent_file_can_be_accepted_and_begun(path: Path) -> None:
    file = LinesFile(path)
    with file.locked():
        file.read()
        assert file.accept(stale=0)
        assert file.untouched()
        assert file.append(["one"], stale=0)
        assert file.untouched()
    assert path.read_text() == "one\n"


def test_appending_keeps_the_file_ours(file: LinesFile, path: Path) -> None:
    with file.locked():
        assert file.untouched()
        assert file.append(["four", "five"], stale=1)
        assert file.untouched()
        assert file.read().known == 5
    assert path.read_text() == "one\ntwo\nthree\nfour\nfive\n"
    assert file.stale == 1


def test_an_append_looks_at_the_file_if_nobody_has(file: LinesFile) -> None:
    with file.locked():
        assert file.append(["four"], stale=0)
        assert file.untouched()


def test_another_process_sees_at_a_glance_that_only_we_wrote(file: LinesFile, path: Path) -> None:
    other = LinesFile(path)
    assert other.untouched()
    with other.locked():
        assert other.append(["four"], stale=2)
    with file.locked():
        assert file.untouched()
        assert file.stale == 2
        assert file.append(["five"], stale=2)
        assert file.read().known == 5


def test_lines_appended_by_somebody_else_are_told_from_ours(file: LinesFile, path: Path) -> None:
    with path.open("a") as editor:
        editor.write("by hand\n")
    with file.locked():
        assert not file.untouched()
        content = file.read()
    assert (content.known, content.intact) == (3, True)
    assert content.added == (Line(4, b"by hand"),)


def test_accepted_lines_are_ours_from_then_on(file: LinesFile, path: Path) -> None:
    with path.open("a") as editor:
        editor.write("by hand\n")
    with file.locked():
        file.read()
        assert file.accept(stale=1)
        assert file.untouched()
        assert file.append(["five"], stale=1)
    fresh = LinesFile(path)
    with fresh.locked():
        assert fresh.untouched()
        assert fresh.read().known == 5


def test_reading_alone_accepts_nothing(file: LinesFile, path: Path) -> None:
    with path.open("a") as editor:
        editor.write("by hand\n")
    with file.locked():
        file.read()
        assert not file.untouched()
        assert file.read().known == 3


def test_an_edited_line_makes_everything_worth_comparing(file: LinesFile, path: Path) -> None:
    path.write_text("one\nTWO\nthree\n")
    with file.locked():
        content = file.read()
    assert (content.known, content.intact) == (0, False)
    assert texts(content.lines) == texts(content.added) == ["one", "TWO", "three"]


@pytest.mark.parametrize("left", ["one\ntwo\n", "one\ntwo\nthr", "", "two\nthree\n"])
def test_a_lost_line_or_tail_is_noticed(file: LinesFile, path: Path, left: str) -> None:
    path.write_text(left)
    with file.locked():
        assert not file.untouched()
        content = file.read()
    assert (content.known, content.intact) == (0, False)


def test_a_deleted_file_is_noticed_and_can_be_written_again(file: LinesFile, path: Path) -> None:
    path.unlink()
    with file.locked():
        assert not file.untouched()
        content = file.read()
        assert (content.lines, content.known, content.intact) == ((), 0, False)
        assert file.rewrite(["one", "two", "three"])
        assert file.untouched()


def test_nothing_is_appended_to_a_deleted_file_before_that_was_noticed(
    file: LinesFile, path: Path
) -> None:
    path.unlink()
    with file.locked():
        assert not file.append(["four"], stale=0)
        assert not file.untouched()
        assert not file.read().intact
        assert file.append(["four"], stale=0)
    assert path.read_text() == "four\n"


def test_a_file_replaced_by_an_editor_is_noticed_and_its_same_lines_known(
    file: LinesFile, path: Path
) -> None:
    found = path.stat()
    draft = path.with_name("draft")
    draft.write_bytes(path.read_bytes())
    os.utime(draft, ns=(found.st_atime_ns, found.st_mtime_ns))
    draft.replace(path)
    with file.locked():
        assert not file.untouched()
        content = file.read()
        assert (content.known, content.intact) == (3, True)
        assert file.accept(stale=0)
        assert file.untouched()


def test_an_edit_of_the_same_size_with_its_time_set_back_is_noticed(
    file: LinesFile, path: Path
) -> None:
    # Within one tick of the clock after our write it would not be: that is the limit.
    tick()
    found = path.stat()
    with path.open("r+b") as editor:
        editor.write(b"ONE")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (found.st_size, found.st_mtime_ns)
    with file.locked():
        assert not file.untouched()
        assert not file.read().intact


def test_a_line_cut_short_does_not_swallow_the_next(path: Path) -> None:
    path.write_text('one\n{"id": "tw')
    file = LinesFile(path)
    with file.locked():
        assert texts(file.read().lines) == ["one", '{"id": "tw']
        assert file.append(["three"], stale=0)
        assert file.read().known == 3
    assert path.read_text() == 'one\n{"id": "tw\nthree\n'


def test_an_accepted_file_without_a_last_newline_goes_on_on_a_new_line(path: Path) -> None:
    path.write_text("one\ntwo")
    file = LinesFile(path)
    with file.locked():
        file.read()
        assert file.accept(stale=0)
    with file.locked():
        assert file.append(["three"], stale=0)
        assert file.read().intact
    assert path.read_text() == "one\ntwo\nthree\n"


def test_only_a_newline_ends_a_line(path: Path) -> None:
    path.write_bytes("a\x0bb\u2028c\x85d\r\n\n e".encode())
    file = LinesFile(path)
    with file.locked():
        assert texts(file.read().lines) == ["a\x0bb\u2028c\x85d\r", "", " e"]


def test_bytes_that_are_no_text_are_shown_marked_and_kept(file: LinesFile, path: Path) -> None:
    with path.open("ab") as editor:
        editor.write(BARE + b"\n")
    with file.locked():
        *sound, broken = file.read().lines
        assert all(line.readable for line in sound)
        assert not broken.readable
        assert broken.text == '{"id": "\ufffd\ufffd"}'
        assert file.rewrite([*(line.text for line in sound), broken.raw])
        assert file.read().intact
    assert path.read_bytes() == b"one\ntwo\nthree\n" + BARE + b"\n"


def test_the_mark_some_editors_put_first_is_no_part_of_the_first_line(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfone\ntwo\n")
    file = LinesFile(path)
    with file.locked():
        assert texts(file.read().lines) == ["one", "two"]
        assert file.accept(stale=0)
        assert file.append(["three"], stale=0)
        assert file.read().known == 3


@pytest.mark.parametrize(
    "torn", [b"", b"{", b"[]", b'{"look":{},"lines":-2,"stale":0,"digest":""}', b"\xff" * 512]
)
def test_a_torn_state_file_costs_a_comparison_and_nothing_else(
    file: LinesFile, path: Path, torn: bytes
) -> None:
    del file
    state_of(path).write_bytes(torn)
    file = LinesFile(path)
    with file.locked():
        assert not file.untouched()
        content = file.read()
        assert (texts(content.lines), content.intact) == (["one", "two", "three"], False)
        assert file.accept(stale=0)
    assert LinesFile(path).untouched()


def test_a_state_file_that_is_behind_knows_the_lines_it_knew(file: LinesFile, path: Path) -> None:
    before = state_of(path).read_bytes()
    with file.locked():
        file.append(["four"], stale=0)
    state_of(path).write_bytes(before)
    file = LinesFile(path)
    with file.locked():
        assert not file.untouched()
        content = file.read()
    assert (content.known, content.intact) == (3, True)
    assert texts(content.added) == ["four"]


def test_a_state_file_lost_while_we_run_is_not_needed(file: LinesFile, path: Path) -> None:
    state_of(path).unlink()
    with file.locked():
        assert file.untouched()
        assert file.read().known == 3
        assert file.append(["four"], stale=0)
    assert LinesFile(path).untouched()


def test_a_rewrite_refuses_to_overwrite_an_edit_it_has_not_seen(
    file: LinesFile, path: Path
) -> None:
    with file.locked():
        file.read()
        with path.open("a") as editor:
            editor.write("by hand\n")
        assert not file.rewrite(["one"])
        assert texts(file.read().added) == ["by hand"]
        assert file.rewrite(["one", "by hand"])
    assert path.read_text() == "one\nby hand\n"
    assert not path.with_name(f".{path.name}.partial").exists()


def test_a_rewrite_notices_an_edit_made_while_it_writes(file: LinesFile, path: Path) -> None:
    def lines() -> Iterable[str]:
        yield "one"
        path.write_text("by hand\n")

    with file.locked():
        assert file.untouched()
        assert not file.rewrite(lines())
    assert path.read_text() == "by hand\n"


def test_a_rewrite_without_a_look_keeps_what_others_wrote(file: LinesFile, path: Path) -> None:
    path.write_text("by hand\n")
    with file.locked():
        assert not file.rewrite(["one"])
    assert path.read_text() == "by hand\n"


def test_a_look_is_only_good_within_its_lock(file: LinesFile, path: Path) -> None:
    path.write_text("by hand\n")
    with file.locked():
        file.read()
    with file.locked():
        assert not file.rewrite(["one"])
        assert not file.accept(stale=0)


def test_nothing_is_appended_after_an_edit_that_was_not_read(file: LinesFile, path: Path) -> None:
    with file.locked():
        assert file.untouched()
        with path.open("a") as editor:
            editor.write("by hand\n")
        assert not file.append(["four"], stale=0)
        assert texts(file.read().added) == ["by hand"]
        assert file.append(["four"], stale=0)
    assert path.read_text().endswith("by hand\nfour\n")


def test_an_append_in_the_same_instant_as_an_edit_loses_neither(
    file: LinesFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = LinesFile._look  # noqa: SLF001 - the instant between its look and its write

    def edited_right_after(self: LinesFile) -> object:
        seen = look(self)
        monkeypatch.setattr(LinesFile, "_look", look)
        with path.open("a") as editor:
            editor.write("by hand\n")
        return seen

    with file.locked():
        assert file.untouched()
        monkeypatch.setattr(LinesFile, "_look", edited_right_after)
        assert not file.append(["four"], stale=0)
        assert not file.untouched()
        assert texts(file.read().added) == ["by hand", "four"]


def test_everything_is_made_for_the_owner_alone(path: Path) -> None:
    file = LinesFile(path)
    with file.locked():
        file.read()
        file.append(["one"], stale=0)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == {
        "people.jsonl": 0o600,
        ".people.jsonl.lock": 0o600,
        ".people.jsonl.state": 0o600,
    }
    with file.locked():
        file.rewrite(["two"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_rewrite_keeps_the_mode_somebody_chose(file: LinesFile, path: Path) -> None:
    path.chmod(0o640)
    with file.locked():
        file.read()
        assert file.rewrite(["one"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    link = tmp_path / "people.jsonl"
    link.symlink_to(tmp_path / "notes" / "real.jsonl")
    file = LinesFile(link)
    with file.locked():
        file.read()
        assert file.append(["one"], stale=0)
        assert file.rewrite(["two"])
        assert file.untouched()
    assert link.is_symlink()
    assert (tmp_path / "notes" / "real.jsonl").read_text() == "two\n"


@pytest.mark.parametrize(
    ("lines", "stale", "wanted"),
    [
        (10, 0, False),
        (10, 1, True),
        (999, 1, True),
        (1_000, 1, False),
        (1_000, 249, False),
        (1_000, 250, True),
    ],
)
def test_a_small_file_is_kept_clean_and_a_large_one_three_quarters_so(
    path: Path, lines: int, stale: int, *, wanted: bool
) -> None:
    file = LinesFile(path)
    with file.locked():
        file.rewrite(map(str, range(lines)), stale=stale)
    assert file.wants_compaction() is wanted
    assert LinesFile(path).wants_compaction() is wanted


def test_a_line_is_one_line(file: LinesFile, path: Path) -> None:
    with file.locked():
        with pytest.raises(ValueError, match="makes it two"):
            file.append(["a\nb"], stale=0)
        with pytest.raises(ValueError, match="makes it two"):
            file.rewrite([b"a\nb"])
    assert path.read_text() == "one\ntwo\nthree\n"


def test_reading_and_writing_without_the_lock_is_a_mistake_said_at_once(file: LinesFile) -> None:
    for mistake in (
        file.read,
        lambda: file.append(["four"], stale=0),
        lambda: file.rewrite(["four"]),
    ):
        with pytest.raises(RuntimeError, match="inside locked"):
            mistake()
    with file.locked(), pytest.raises(RuntimeError, match="already"), file.locked():
        pass


def test_whoever_waits_too_long_is_told_so(file: LinesFile, path: Path) -> None:
    impatient = LinesFile(path, busy_seconds=0.05)
    with file.locked(), pytest.raises(StorageBusy, match="Try again"), impatient.locked():
        pass
    with impatient.locked():
        assert impatient.untouched()


def test_threads_that_share_a_file_or_not_take_turns(file: LinesFile, path: Path) -> None:
    inside: list[int] = []
    overlaps: list[int] = []
    start = threading.Barrier(4)

    def add(who: int) -> None:
        mine = file if who % 2 else LinesFile(path)
        start.wait()
        for each in range(25):
            with mine.locked():
                inside.append(who)
                overlaps.append(len(inside))
                assert mine.untouched()
                assert mine.append([f"{who}-{each}"], stale=0)
                inside.remove(who)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    assert set(overlaps) == {1}
    with file.locked():
        content = file.read()
    assert content.known == len(content.lines) == 3 + 100
    assert len(set(texts(content.lines))) == 103


WRITER = """
import sys
from pathlib import Path
from kithkin.db.file_swap import exchange as really_exchange
from kithkin.db.lines_file import LinesFile

file = LinesFile(Path(sys.argv[1]))
for each in range(200):
    with file.locked():
        if not file.untouched():
            file.read()
        assert file.append([f"{sys.argv[2]}-{each}"], stale=0)
"""


def test_two_processes_appending_lose_no_line(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("a", "b")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    lines = path.read_text().splitlines()
    assert sorted(lines) == sorted(f"{name}-{each}" for name in "ab" for each in range(200))
    file = LinesFile(path)
    with file.locked():
        assert file.untouched()
        assert file.read().known == 400


def test_a_process_that_dies_holding_the_lock_leaves_it_free(path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from kithkin.db.lines_file import LinesFile\n"
        "with LinesFile(Path(sys.argv[1])).locked(): os._exit(9)\n"
    )
    died = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert died.returncode == 9
    with LinesFile(path, busy_seconds=0).locked():
        pass


FILLER = """
import resource, sys
from pathlib import Path
from kithkin.db.file_swap import exchange as really_exchange
from kithkin.db.lines_file import LinesFile
from kithkin.errors import StorageError

file = LinesFile(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
for write in (
    lambda: file.append(["x" * 3_000], stale=0),
    lambda: file.rewrite(["y" * 1_500, "z" * 1_500]),
):
    with file.locked():
        file.read()
        try:
            write()
        except StorageError as error:
            print(type(error).__name__)
        assert file.read().known == 3
"""


def test_a_line_there_is_no_room_for_leaves_no_half_of_itself(file: LinesFile, path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FILLER, str(path)], check=True, capture_output=True, text=True
    )
    assert ran.stdout.split() == [StorageFull.__name__, StorageReadOnly.__name__]
    assert path.read_text() == "one\ntwo\nthree\n"
    with file.locked():
        assert file.read().known == 3
    assert not path.with_name(f".{path.name}.partial").exists()


def test_a_folder_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    file = LinesFile(tmp_path / "nowhere" / "people.jsonl")
    with pytest.raises(StorageReadOnly, match="nowhere"), file.locked():
        pass


def test_a_folder_in_the_place_of_the_file_is_said_plainly(path: Path) -> None:
    path.mkdir()
    file = LinesFile(path)
    with file.locked(), pytest.raises(StorageReadOnly, match="directory"):
        file.read()


@pytest.mark.parametrize("lines", [10, 20_000])
def test_a_glance_costs_microseconds_whatever_the_size(path: Path, lines: int) -> None:
    file = LinesFile(path)
    with file.locked():
        file.rewrite(map(str, range(lines)))
    times = []
    for _ in range(500):
        start = time.perf_counter()
        assert file.untouched()
        times.append(time.perf_counter() - start)
    assert sorted(times)[250] < 30e-6


def test_an_edit_in_the_very_instant_of_a_rewrite_gets_its_place_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines"
    path.write_text("ours\n")
    edits = ["their edit\n"]

    def exchange(one: Path, other: Path) -> bool:
        if edits:
            edited = tmp_path / "edited"
            edited.write_text(edits.pop())
            edited.replace(path)
        return really_exchange(one, other)

    monkeypatch.setattr("kithkin.db.lines_file.exchange", exchange)
    file = LinesFile(path)
    with file.locked():
        file.read()
        assert not file.rewrite(["ours, compacted"])
        assert path.read_text() == "their edit\n"
        file.read()
        assert file.rewrite(["both"])
    assert path.read_text() == "both\n"
    assert [one.name for one in tmp_path.iterdir() if "partial" in one.name] == []
