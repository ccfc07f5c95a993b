"""The folder of an embedded realm and who may read it."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kithkin.errors import InvalidInput, NotFound, StorageFull, StorageReadOnly

FILE = "kithkin.db"


def database_file(folder: Path, *, create: bool) -> Path:
    """The realm's file, made readable by its owner alone when it is made."""
    file = folder / FILE
    if file.exists():
        return file
    if not create:
        raise NotFound(f"There is no realm in {folder}. `kithkin init` makes one.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except PermissionError as error:
        raise StorageReadOnly(
            f"{folder} cannot be written to. Choose another folder with --home."
        ) from error
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageReadOnly(
            f"{folder} is a file, not a folder. Choose another with --home."
        ) from error
    except OSError as error:
        raise storage_error(error, folder) from error
    return file


def set_aside(folder: Path) -> None:
    """Take a damaged file out of the way, under a name that says so; nothing is deleted."""
    for end in ("", "-wal", "-shm"):
        file = folder / f"{FILE}{end}"
        if file.exists():
            file.replace(folder / f"{FILE}.damaged{end}")


@contextmanager
def secured(file: Path) -> Iterator[Path]:
    """A file beside `file` to write, readable by its owner alone, that takes its name when done."""
    if file.exists():
        raise InvalidInput(f"{file} exists already. Choose another name, or remove it.")
    partial = file.with_name(f"{file.name}.partial")
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600))
    except OSError as error:
        raise storage_error(error, file.parent) from error
    try:
        yield partial
        _sync(partial)
        partial.replace(file)
        _sync(file.parent)
    finally:
        partial.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def storage_error(error: OSError, folder: Path) -> StorageFull | StorageReadOnly:
    """What the system's refusal to write into `folder` means to whoever called."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull(f"There is no space left for {folder}.")
    return StorageReadOnly(f"{folder} cannot be written to: {error.strerror}.")
