"""A file of lines beside the database, that people and other programs may edit by hand.

How a change by others is told from what we wrote: a small state file holds the size, times and
inode the file had when we last wrote it, and a digest chained line by line. It is only a cache.
When it is missing, torn or behind, everything looks changed, and the caller compares contents.

What cannot be noticed: an edit that keeps the size and falls into the same tick of the file
system's clock (some milliseconds) as our own last write; and an edit between the last look at
the file and an append (some microseconds), or the rename of a rewrite where files cannot trade
names. Setting the time of modification back is noticed: the time of the last change to the inode
cannot be set.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta, Struct

from kithkin.db.file_swap import exchange
from kithkin.db.folder import storage_error
from kithkin.errors import StorageBusy, StorageError, StorageFull

_SMALL: Final = 1_000
"""Fewer lines than this are rewritten as soon as one of them is stale."""
_POLL_SECONDS: Final = 0.001
_SECTOR: Final = 512
_BOM: Final = b"\xef\xbb\xbf"
_NO_LINES: Final = bytes(32)


class Line(Struct, frozen=True, gc=False):
    """One line without its newline. Rewriting `raw` keeps it verbatim, whatever it holds."""

    number: int
    """As an editor counts: the first line is 1."""
    raw: bytes

    @property
    def text(self) -> str:
        """For reading and reporting; bytes that are not UTF-8 show as U+FFFD."""
        return self.raw.decode(errors="replace")

    @property
    def readable(self) -> bool:
        """Whether `text` is what stands there. When not, show it, but take nothing from it."""
        try:
            self.raw.decode()
        except UnicodeDecodeError:
            return False
        return True


class Content(Struct, frozen=True):
    """The file as it was read, and what of it is ours.

    `intact`: everything we last wrote stands there unchanged, as the first `known` lines;
    whatever follows was appended by somebody else. Not `intact`: a line of ours was edited,
    moved or removed, or the tail was lost, or nothing is known of what we wrote; then `known`
    is 0 and the caller compares every line with the database. An empty or missing file is read
    as no lines. Blank lines are lines.
    """

    lines: tuple[Line, ...]
    known: int
    intact: bool

    @property
    def added(self) -> tuple[Line, ...]:
        """The lines that are not known to be ours."""
        return self.lines[self.known :]


class _Look(Struct, frozen=True):
    """What a glance at a file tells without reading it. All zero: there is none."""

    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0

    @classmethod
    def of(cls, found: os.stat_result) -> Self:
        """The few of the system's answers that change when the file does."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


class _State(Struct, frozen=True):
    """A file's content in a few numbers: enough to recognise it and to go on from its end."""

    look: _Look
    lines: Annotated[int, Meta(ge=0)]
    stale: Annotated[int, Meta(ge=0)]
    digest: bytes

    def grown(self, lines: Iterable[bytes], *, look: _Look, stale: int) -> "_State":
        count, digest = self.lines, self.digest
        for line in lines:
            count, digest = count + 1, sha256(digest + line).digest()
        return _State(look, count, stale, digest)


_ABSENT: Final = _Look()
_NOTHING: Final = _State(_ABSENT, 0, 0, _NO_LINES)
_state_of: Final = msgspec.json.Decoder(_State)


class LinesFile:
    """A file of lines that others may change at any time, without asking.

    The way of a write: inside `locked()`, ask `untouched`; if not, `read`, bring the database and
    the file together, and `accept` (or `rewrite`); then `append`; `rewrite` if it is wanted.

    `read`, `accept`, `append` and `rewrite` are for use inside `locked()`. Outside, `untouched`
    may be asked as a hint: a yes holds, and a no is worth asking again inside.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 30.0) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._lock = path.with_name(f".{path.name}.lock")
        self._sidecar = path.with_name(f".{path.name}.state")
        self._holder: int | None = None
        self._written: _State | None = None
        """What we last wrote, as far as this process knows."""
        self._seen: _State | None = None
        """What stood there when this holder of the lock last looked."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other thread and process of ours away. An editor does not ask."""
        if self._holder == get_ident():
            raise RuntimeError(f"{self.path} is locked already, by the caller.")
        with _opened(self._lock, os.O_RDWR | os.O_CREAT) as handle:
            self._wait_for(handle)
            self._holder, self._seen = get_ident(), None
            try:
                yield
            finally:
                self._holder = None

    def untouched(self) -> bool:
        """Whether the file is as we last wrote it, judged at a glance, without reading it."""
        look = self._look()
        written = self._written
        if written is None or written.look != look:
            # Another process may have written since: then its state file says so.
            written = self._remembered()
            if written is None or written.look != look:
                return False
            self._written = written
        if self._holder == get_ident():
            self._seen = written
        return True

    def read(self) -> Content:
        """Every line, and how many of the first are exactly what we last wrote."""
        self._require_lock()
        # Looked at before reading: what changes meanwhile is a change after this look.
        look, raw = self._bytes()
        written = self._written = self._remembered() or self._written
        known = written.lines if written and written.lines <= len(raw) else 0
        ours = _NOTHING.grown(raw[:known], look=look, stale=written.stale if written else 0)
        self._seen = ours.grown(raw[known:], look=look, stale=ours.stale)
        intact = written is not None and (written.lines, written.digest) == (known, ours.digest)
        return Content(_lines(raw), known if intact else 0, intact)

    def accept(self, *, stale: int) -> bool:
        """Take the file as it was read for ours: the caller has made it true of the database.

        `stale` of its lines are of no more use. False if it has changed since it was read.
        """
        return self.append((), stale=stale)

    def append(self, lines: Sequence[str], *, stale: int) -> bool:
        """Write whole lines at the end, in one go, at a cost that does not grow with the file.

        `stale` of all the lines, these included, are of no more use. False says that somebody
        else has changed the file since it was last looked at inside this lock: read it again,
        for an edit of the same thing must not stand before our line. The lines stand there only
        if the edit fell into the instant of writing. Without such a look, one is taken.

        Nothing waits for the disk: the database is durable, and a lost tail is written again.
        """
        self._require_lock()
        if self._seen is None:
            self.untouched()
        raw = [_one_line(line) for line in lines]
        before = self._look()
        if self._seen is None or self._seen.look != before:
            self._seen = None
            return False
        after = self._extend(before, raw) if raw else before
        if after is None:
            self._seen = None
            return False
        self._remember(self._seen.grown(raw, look=after, stale=stale))
        return True

    def rewrite(self, lines: Iterable[bytes | str], *, stale: int = 0) -> bool:
        """Put these lines in the place of the file, whole and on disk, or not at all.

        False, and nothing is changed, if the file is not as it was last looked at inside this
        lock (`read`, or an `untouched` that said yes): somebody's work would be lost. Read again.
        """
        self._require_lock()
        if self._seen is None and not self.untouched() and self._look() != _ABSENT:
            return False
        # A link stays a link: what it points to is replaced.
        target = self.path.resolve()
        partial = target.with_name(f".{target.name}.partial")
        try:
            return self._replace(target, partial, [_one_line(line) for line in lines], stale=stale)
        except OSError as error:
            raise storage_error(error, target.parent) from error
        finally:
            with suppress(OSError):  # It took the file's name, or was never made.
                partial.unlink()

    @property
    def stale(self) -> int:
        """How many lines were of no more use when we last wrote, as of the last look."""
        return self._last.stale

    def wants_compaction(self) -> bool:
        """Whether so much of the file is stale that it is worth a rewrite."""
        lines, stale = self._last.lines, self._last.stale
        return stale > 0 and (lines < _SMALL or stale * 4 >= lines)

    @property
    def _last(self) -> _State:
        return self._written or self._remembered() or _NOTHING

    def _wait_for(self, handle: int) -> None:
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise StorageBusy(
                        f"Others held {self.path} for {self._busy_seconds:g} seconds. Try again."
                    ) from error
            except OSError as error:
                raise storage_error(error, self.path.parent) from error
            time.sleep(_POLL_SECONDS)

    def _require_lock(self) -> None:
        if self._holder != get_ident():
            raise RuntimeError(f"{self.path} is read and written inside locked().")

    def _look(self) -> _Look:
        try:
            return _Look.of(self.path.stat())
        except FileNotFoundError:
            return _ABSENT
        except OSError as error:
            raise storage_error(error, self.path.parent) from error

    def _bytes(self) -> tuple[_Look, list[bytes]]:
        try:
            with self.path.open("rb") as file:
                look = _Look.of(os.fstat(file.fileno()))
                raw = file.read().split(b"\n")
        except FileNotFoundError:
            return _ABSENT, []
        except OSError as error:
            raise storage_error(error, self.path.parent) from error
        return look, raw if raw[-1] else raw[:-1]

    def _extend(self, before: _Look, raw: Sequence[bytes]) -> _Look | None:
        """The file with these lines at its end; none if it is not `before` with only them."""
        data = b"\n".join([*raw, b""])
        with _opened(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND) as handle:
            try:
                size = os.fstat(handle).st_size
                if size and os.pread(handle, 1, size - 1) != b"\n":
                    # A line cut short must not swallow ours.
                    data = b"\n" + data
                _write_whole(handle, data)
            except OSError as error:
                raise storage_error(error, self.path.parent) from error
            after = _Look.of(os.fstat(handle))
        same = before == _ABSENT or before.inode == after.inode
        return after if same and after.size == before.size + len(data) else None

    def _replace(self, target: Path, partial: Path, lines: Sequence[bytes], *, stale: int) -> bool:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        with open(partial, "wb", opener=_private) as file:
            os.fchmod(file.fileno(), mode)
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
            seen = (self._seen or _NOTHING).look
            if self._look() != seen or not _take_place(partial, target, seen):
                return False
            look = _Look.of(os.fstat(file.fileno()))
        _sync(target.parent)
        self._remember(_NOTHING.grown(lines, look=look, stale=stale))
        return True

    def _remembered(self) -> _State | None:
        """The state file's word, or none if it is missing, torn or not to be read."""
        try:
            return _state_of.decode(self._sidecar.read_bytes())
        except (OSError, msgspec.DecodeError):
            return None

    def _remember(self, state: _State) -> None:
        self._written = self._seen = state
        # In place, in one sector: a rename costs twenty times the append it is about, and a torn
        # record only makes the next process read the file and compare, as does none at all.
        with (
            suppress(OSError, StorageError),
            _opened(self._sidecar, os.O_WRONLY | os.O_CREAT) as to,
        ):
            os.pwrite(to, msgspec.json.encode(state).ljust(_SECTOR), 0)


def _lines(raw: Sequence[bytes]) -> tuple[Line, ...]:
    lines = [Line(number, line) for number, line in enumerate(raw, start=1)]
    if raw and raw[0].startswith(_BOM):
        lines[0] = Line(1, raw[0].removeprefix(_BOM))
    return tuple(lines)


def _one_line(line: bytes | str) -> bytes:
    raw = line.encode() if isinstance(line, str) else line
    if b"\n" in raw:
        raise ValueError(f"A newline inside a line makes it two: {raw[:80]!r}.")
    return raw


def _write_whole(handle: int, data: bytes) -> None:
    """Write at the end, all or nothing."""
    before = os.fstat(handle).st_size
    written = os.write(handle, data)
    if written < len(data):
        if os.fstat(handle).st_size == before + written:
            os.ftruncate(handle, before)
        raise StorageFull("There is no space left for another line. Free some and try again.")


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        raise storage_error(error, path.parent) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _take_place(new: Path, target: Path, seen: _Look) -> bool:
    """Give the new file the target's name; False if somebody replaced the target just then."""
    if seen == _ABSENT or not exchange(new, target):
        new.replace(target)
        return True
    # Under the new file's name now stands what it took the place of.
    replaced = _Look.of(new.stat())
    if (replaced.inode, replaced.size, replaced.mtime_ns) == (seen.inode, seen.size, seen.mtime_ns):
        return True
    exchange(new, target)
    return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync(folder: Path) -> None:
    with _opened(folder, os.O_RDONLY) as handle:
        os.fsync(handle)
