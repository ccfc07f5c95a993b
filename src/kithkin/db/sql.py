"""One parameter style in the stores, translated once per statement for psycopg."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from kithkin.db.transactions import Dialect

EACH: Final[Mapping[Dialect, str]] = {
    "sqlite": "SELECT value FROM json_each(:each)",
    "postgres": "SELECT jsonb_array_elements_text(CAST(:each AS jsonb))",
}
"""A sub-select of the texts in a JSON array given as `:each`: how many there are varies."""

# A quoted text is left alone, and so is the second colon of a PostgreSQL cast.
_TOKEN = re.compile(r"'(?:[^']|'')*'|(?<!:):([a-z_][a-z0-9_]*)|%")


@lru_cache(maxsize=1024)
def for_psycopg(sql: str) -> str:
    """`:name` becomes `%(name)s`, and a bare percent sign is doubled."""
    return _TOKEN.sub(_translate, sql)


def _translate(found: re.Match[str]) -> str:
    if found[1]:
        return f"%({found[1]})s"
    return found[0].replace("%", "%%")
