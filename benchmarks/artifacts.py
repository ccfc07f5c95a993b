"""How fast artifacts are, side by side with git doing the same commits in the same run.

An edit is a durable commit of a small change to a long text. How it grows: the same edit on the
same text after few and after many commits. `show` is a version from any place of the history.

    python benchmarks/artifacts.py [--lines 10000] [--commits 10000] [--folder ON_A_REAL_DISK]
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.artifacts import commits
from kithkin.artifacts.ops import content_of

SAMPLE = 150
GIT = 100


class Text:
    """A long text that changes a little each time."""

    def __init__(self, lines: int) -> None:
        self._chance = random.Random(lines)
        self._lines = [f"{number}: {self._words()}" for number in range(lines)]

    def _words(self) -> str:
        return " ".join(self._chance.choices("goals users search fast small store".split(), k=7))  # noqa: SIM905 - words

    def changed(self) -> str:
        at = self._chance.randrange(len(self._lines))
        match self._chance.randrange(3):
            case 0:
                self._lines.insert(at, f"new: {self._words()}")
            case 1:
                self._lines.pop(at)
            case _:
                self._lines[at] = f"changed: {self._words()}"
        return str(self)

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)


def timed(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def grow(kin: Kithkin, text: Text, commits_wanted: int) -> list[float]:
    """The time of each of so many edits, and a word on the way."""
    times = []
    for number in range(commits_wanted):
        content = text.changed()
        times.append(timed(lambda content=content: kin.artifacts.edit("doc", content)))  # type: ignore[misc]  # bound at once
        if number and number % 1000 == 0:
            print(f"  … {number:,} commits", file=sys.stderr)
    return times


class Git:
    """The same with git: write the file, add it, commit it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self("init", "-q", "-b", "main", ".")
        self("config", "user.name", "Bench")
        self("config", "user.email", "bench@example.com")
        self("config", "gc.auto", "0")

    def __call__(self, *words: str) -> bytes:
        given = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", *words],  # noqa: S607 - whichever there is
            cwd=self._folder,
            env={**os.environ, **given},
            check=True,
            capture_output=True,
        ).stdout

    def commit(self, content: str) -> None:
        (self._folder / "doc.txt").write_text(content)
        self("add", "doc.txt")
        self("commit", "-qm", "change")


def editing(kin: Kithkin, git: Git, text: Text, wanted: int) -> bool:
    """An edit after few commits and after many; git's commit beside it."""
    kin.artifacts.create("doc", str(text))
    git.commit(str(text))
    times = grow(kin, text, wanted)
    few, many = statistics.median(times[:SAMPLE]), statistics.median(times[-SAMPLE:])
    mine, theirs = [], []
    for _ in range(GIT):
        content = text.changed()
        mine.append(timed(lambda content=content: kin.artifacts.edit("doc", content)))  # type: ignore[misc]  # bound at once
        theirs.append(timed(lambda content=content: git.commit(content)))  # type: ignore[misc]  # the same
    base = statistics.median(theirs)
    now = statistics.median(mine)
    print(f"edit, first {SAMPLE:9,}  p50 {few * 1e3:6.2f} ms")
    print(f"edit, last {SAMPLE:10,}  p50 {many * 1e3:6.2f} ms   {many / few:.2f}x after {wanted:,}")
    print(f"edit beside git        p50 {now * 1e3:6.2f} ms")
    print(f"git add + commit       p50 {base * 1e3:6.2f} ms   {base / now:.1f}x an edit")
    return told("cost of an edit flat (≤ 1.5x)", many <= 1.5 * few) and told(
        "an edit no slower than git's commit", now <= base
    )


def showing(kin: Kithkin, git: Git) -> bool:
    """A version from anywhere in the history, and the head."""
    log = kin.artifacts.log("doc")
    chance = random.Random(1)
    picked = [chance.choice(log).commit for _ in range(SAMPLE)]
    times = [timed(lambda one=one: kin.artifacts.show(f"doc@{one}")) for one in picked]  # type: ignore[misc]  # bound at once
    names = git("log", "--format=%H").decode().split()
    theirs = [
        timed(lambda one=one: git("show", f"{one}:doc.txt"))  # type: ignore[misc]  # bound at once
        for one in chance.choices(names, k=SAMPLE)
    ]
    worst, mid = statistics.quantiles(times, n=20)[-1], statistics.median(times)
    base = statistics.median(theirs)
    print(f"show any version       p50 {mid * 1e3:6.2f} ms   p95 {worst * 1e3:.2f} ms")
    print(f"git show any version   p50 {base * 1e3:6.2f} ms   {base / mid:.1f}x a show")
    return told(f"replay bounded by {commits.DISTANCE} commits (p95 ≤ 4x p50)", worst <= 4 * mid)


def looking(kin: Kithkin) -> None:
    """The long views: they read the whole history."""
    for name, job in (
        ("blame", lambda: kin.artifacts.blame("doc")),
        ("log", lambda: kin.artifacts.log("doc")),
        ("verify, every version", lambda: kin.artifacts.verify("doc")),
    ):
        print(f"{name:22} {timed(job) * 1e3:10.0f} ms")


def sizes(home: Path, repository: Path, text: Text) -> None:
    def total(folder: Path) -> float:
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6

    print(f"one version {len(str(text)) / 1e6:.2f} MB; realm {total(home):.1f} MB")
    print(f"git's {GIT} commits of it {total(repository / '.git'):.1f} MB (loose, not packed)")


def told(what: str, kept: bool) -> bool:  # noqa: FBT001 - a verdict
    """Say whether a threshold was kept."""
    print(f"{'ok  ' if kept else 'MISS'} {what}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="a folder on a disk with real fsync")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        home, text = Path(folder) / "realm", Text(asked.lines)
        git = Git(Path(folder) / "git")
        with Kithkin.open(home) as kin:
            kin.projects.create("Bench")
            kept = [editing(kin, git, text, asked.commits), showing(kin, git)]
            shown = kin.artifacts.show("doc")
            assert content_of(shown.text) == str(text)
            looking(kin)
        sizes(home, Path(folder) / "git", text)
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
