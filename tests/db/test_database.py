"""What every store may rely on, on both databases."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kithkin.db import Database, schema
from kithkin.db.schema import migrate
from kithkin.db.sqlite import SqliteEngine
from kithkin.errors import (
    InvalidInput,
    NotFound,
    StorageBusy,
    StorageDamaged,
    StorageError,
    StorageFull,
    StorageReadOnly,
    StorageRefused,
    StorageTooNew,
    StorageUnreachable,
)

Place = tuple[str, str]
PUT = "INSERT INTO subscriber (name, cursor) VALUES (:name, 1)"


def names(db: Database) -> list[str]:
    with db.snapshot() as tx:
        return [row[0] for row in tx.execute("SELECT name FROM subscriber ORDER BY name", {})]


def test_a_transaction_that_raises_leaves_nothing(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction() as tx:
        tx.execute(PUT, {"name": "a"})
        raise ZeroDivisionError
    assert names(db) == []


def test_a_nested_transaction_is_part_of_the_outer_one(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction() as outer:
        outer.execute(PUT, {"name": "a"})
        with db.transaction() as inner:
            inner.execute(PUT, {"name": "b"})
        raise ZeroDivisionError
    assert names(db) == []


def test_a_failed_nested_transaction_can_be_caught(db: Database) -> None:
    with db.transaction() as outer:
        outer.execute(PUT, {"name": "a"})
        with pytest.raises(StorageRefused), db.transaction() as inner:
            inner.execute(PUT, {"name": "b"})
            inner.execute(PUT, {"name": "a"})
        outer.execute(PUT, {"name": "c"})
    assert names(db) == ["a", "c"]


def test_a_snapshot_inside_a_transaction_sees_its_writes(db: Database) -> None:
    with db.transaction() as tx:
        tx.execute(PUT, {"name": "a"})
        assert names(db) == ["a"]


def test_a_transaction_inside_a_snapshot_is_a_mistake_said_at_once(db: Database) -> None:
    with db.snapshot(), pytest.raises(RuntimeError, match="outside"), db.transaction():
        pass


def test_a_snapshot_does_not_see_what_others_commit_meanwhile(place: Place, db: Database) -> None:
    with Database.open(place[0], realm=place[1]) as other, db.snapshot() as tx:
        before = tx.execute("SELECT count(*) FROM subscriber", {}).fetchone()[0]
        with other.transaction() as writing:
            writing.execute(PUT, {"name": "a"})
        assert tx.execute("SELECT count(*) FROM subscriber", {}).fetchone()[0] == before
    assert names(db) == ["a"]


def test_a_snapshot_cannot_write(db: Database) -> None:
    if db.dialect == "sqlite":
        pytest.skip("SQLite upgrades a reader; stores are given a Tx that says it only reads")
    with pytest.raises(StorageReadOnly), db.snapshot() as tx:
        tx.execute(PUT, {"name": "a"})


def test_a_writer_waits_for_another_and_then_gives_up_in_words(place: Place) -> None:
    with (
        Database.open(place[0], realm=place[1]) as first,
        Database.open(place[0], realm=place[1], busy_seconds=0.2) as second,
    ):
        with first.transaction(), pytest.raises(StorageBusy, match="try again"):
            second.transaction().__enter__()
        with second.transaction() as tx:
            tx.execute(PUT, {"name": "later"})
        assert names(first) == ["later"]


def test_threads_each_have_their_own_transaction(db: Database) -> None:
    def write(number: int) -> None:
        with db.transaction() as tx:
            tx.execute(PUT, {"name": f"{number:02}"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    assert names(db) == [f"{number:02}" for number in range(40)]


def test_a_constraint_of_the_database_is_a_refusal(db: Database) -> None:
    with pytest.raises(StorageRefused, match="nothing changed"), db.transaction() as tx:
        tx.execute("UPDATE ledger_head SET id = 2", {})


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM item",
        "UPDATE item SET data = 'x'",
        "UPDATE item SET realized_at = '2020'",
        "UPDATE item SET data = NULL, salt = NULL, erased_at = 'now', header = '{}'",
        "UPDATE item SET erased_at = 'now'",
    ],
)
def test_the_database_itself_refuses_to_change_soil(db: Database, statement: str) -> None:
    with db.transaction() as tx:
        tx.execute(
            "INSERT INTO item (seq, uuid, _type, realized_at, canonical_at, header, data, salt,"
            " payload_hash, hash) VALUES (1, 'item_1', 'Note', 'a', 'a', '{\"x\":1}', '{}', 's',"
            " 'p', 'h')",
            {},
        )
    with pytest.raises(StorageRefused), db.transaction() as tx:
        tx.execute(statement, {})


def test_replacing_a_row_does_not_slip_past_the_triggers(tmp_path: Path) -> None:
    with Database.open(tmp_path) as db:
        row = (
            "(seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash, hash)"
            " VALUES (1, 'item_1', 'Note', 'a', 'a', '{}', '{}', 's', 'p', 'h')"
        )
        with db.transaction() as tx:
            tx.execute(f"INSERT INTO item {row}", {})
        with pytest.raises(StorageRefused), db.transaction() as tx:
            tx.execute(f"INSERT OR REPLACE INTO item {row}", {})


def test_a_realm_goes_from_nothing_to_head_to_nothing_to_head(db: Database) -> None:
    assert db.engine.revision() == schema.HEAD
    migrate(db.engine, "base")
    assert db.engine.revision() is None
    migrate(db.engine, schema.HEAD)
    with db.transaction() as tx:
        tx.execute(PUT, {"name": "a"})
    assert names(db) == ["a"]


def test_a_realm_with_data_goes_down_and_up_again(db: Database) -> None:
    with db.transaction() as tx:
        tx.execute(PUT, {"name": "a"})
    migrate(db.engine, "base")
    migrate(db.engine, schema.HEAD)
    assert names(db) == []


def test_a_realm_made_by_a_newer_version_is_refused_in_words(place: Place) -> None:
    with Database.open(place[0], realm=place[1]) as db, db.transaction() as tx:
        tx.execute("UPDATE alembic_version SET version_num = '9999'", {})
    with pytest.raises(StorageTooNew, match=r"newer Kithkin.*Upgrade"):
        Database.open(place[0], realm=place[1])


def test_a_realm_that_is_not_there_is_not_made_when_it_should_not_be(place: Place) -> None:
    with pytest.raises(NotFound, match="kithkin init"):
        Database.open(place[0], realm=place[1], create=False)


def test_processes_that_start_at_once_make_one_realm(place: Place) -> None:
    script = (
        "import sys; from kithkin.db import Database\n"
        "with Database.open(sys.argv[1], realm=sys.argv[2]) as db, db.transaction() as tx:\n"
        "    tx.execute('INSERT INTO subscriber (name, cursor) VALUES (:n, 1)', {'n': sys.argv[3]})"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script, *place, str(number)]) for number in range(6)
    ]
    assert [process.wait(60) for process in started] == [0] * 6
    with Database.open(place[0], realm=place[1]) as db:
        assert names(db) == [str(number) for number in range(6)]


def test_files_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "realm"
    with Database.open(folder) as db, db.transaction() as tx:
        tx.execute(PUT, {"name": "a"})
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == {"kithkin.db": 0o600, "kithkin.db-wal": 0o600, "kithkin.db-shm": 0o600}


def test_the_connection_of_a_dead_thread_is_closed(tmp_path: Path) -> None:
    def handles() -> int:
        links = [link for link in Path("/proc/self/fd").iterdir() if link.exists()]
        return sum("kithkin.db" in str(link.readlink()) for link in links)

    with Database.open(tmp_path) as db:
        counts = []
        for _ in range(10):
            thread = threading.Thread(target=names, args=(db,))
            thread.start()
            thread.join()
            counts.append(handles())
        # The first leaves one handle for the next to take: closing it would drop others' locks.
        assert len(set(counts)) == 1
    assert handles() == 0


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "kithkin.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StorageDamaged, match="kithkin restore"):
        Database.open(tmp_path)


def test_a_folder_that_is_a_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(StorageReadOnly, match="--home"):
        Database.open(tmp_path / "taken")


def test_a_full_disk_is_said_and_the_last_commit_stays(tmp_path: Path) -> None:
    # A limit on the size of files makes the real write fail where a full disk would.
    script = (
        "import resource, signal, sys; from kithkin.db import Database\n"
        "from kithkin.errors import StorageFull\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "db = Database.open(sys.argv[1])\n"
        "with db.transaction() as tx:\n"
        "    tx.execute(\"INSERT INTO subscriber VALUES ('kept', 1)\", {})\n"
        "size = 2_000_000\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "try:\n"
        "    with db.transaction() as tx:\n"
        "        for n in range(20000):\n"
        "            tx.execute('INSERT INTO subscriber VALUES (:n, 1)',"
        " {'n': 'x' * 300 + str(n)})\n"
        "except StorageFull as error:\n"
        "    print(error); sys.exit(7)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 7, ended.stderr
    assert "intact" in ended.stdout
    with Database.open(tmp_path) as db:
        assert names(db) == ["kept"]


def test_when_sqlite_says_full_we_say_full(tmp_path: Path) -> None:
    with Database.open(tmp_path) as db:
        assert isinstance(db.engine, SqliteEngine)
        db.engine.connection().execute("PRAGMA max_page_count = 50")
        with pytest.raises(StorageFull), db.transaction() as tx:
            for number in range(10_000):
                tx.execute(PUT, {"name": "x" * 100 + str(number)})
        assert names(db) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to read-only folders all the same")
def test_a_read_only_folder_is_refused_in_words(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageReadOnly, match="--home"):
        Database.open(tmp_path / "realm")


def test_a_read_only_file_is_refused_in_words_and_keeps_its_state(tmp_path: Path) -> None:
    with Database.open(tmp_path) as db:
        with db.transaction() as tx:
            tx.execute(PUT, {"name": "kept"})
        assert isinstance(db.engine, SqliteEngine)
        db.engine.connection().execute("PRAGMA query_only = ON")
        with pytest.raises(StorageReadOnly, match="permissions"), db.transaction() as tx:
            tx.execute(PUT, {"name": "lost"})
        assert names(db) == ["kept"]


def test_a_server_that_does_not_answer_is_said_to_be_unreachable() -> None:
    with pytest.raises(StorageUnreachable, match="--db"):
        Database.open("postgresql://nobody@127.0.0.1:1/none", busy_seconds=1.0)


@pytest.mark.parametrize("realm", ["", "Public", "public", "pg_x", "a-b", 'x"; DROP', "1a"])
def test_a_realm_needs_a_plain_name(realm: str) -> None:
    with pytest.raises(InvalidInput, match="realm"):
        Database.open("postgresql://nobody@127.0.0.1:1/none", realm=realm)


def test_the_limit_on_file_size_is_not_left_behind() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_an_up_to_date_realm_opens_without_alembic(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    script = (
        "import sys; from kithkin.db import Database; Database.open(sys.argv[1]).close()\n"
        "sys.exit('alembic' in sys.modules or 'sqlalchemy' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False).returncode == 0
    )


def test_the_list_of_tables_is_complete(tmp_path: Path) -> None:
    with Database.open(tmp_path), sqlite3.connect(tmp_path / "kithkin.db") as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        found = {
            row[0]
            for row in rows
            if row[0] != "alembic_version" and not row[0].startswith(schema.WORD_INDEX)
        }
    assert found == set(schema.TABLES)


def test_the_list_of_revisions_is_complete() -> None:
    files = Path(schema.__file__).parent.glob("migrations/versions/*.py")
    assert tuple(sorted(file.name[:4] for file in files)) == schema.REVISIONS


def test_an_address_that_is_no_database_is_refused_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="neither a folder nor a postgresql"):
        Database.open("mysql://localhost/agents")
    assert list(tmp_path.iterdir()) == []


def test_postgresql_without_its_driver_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "kithkin.db.postgres", None)
    with pytest.raises(StorageError, match=r"kithkin\[postgres\]"):
        Database.open("postgresql://localhost/agents")


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 650])
def test_many_rows_are_written_each_once(db: Database, count: int) -> None:
    with db.transaction() as tx:
        tx.execute("CREATE TABLE many (place INTEGER NOT NULL, word TEXT)", {})
        tx.insert_many("many", ("word", "place"), ((f"w{n}", n) for n in range(count)))
        rows = tx.execute("SELECT place, word FROM many ORDER BY place", {}).fetchall()
    assert [tuple(row) for row in rows] == [(n, f"w{n}") for n in range(count)]
