"""Two files trade names in one step, where the system can do that."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

_HERE: Final = -100
_EXCHANGE: Final = 2


def exchange(one: Path, other: Path) -> bool:
    """Let two files trade names at once; False, and nothing is done, where that cannot be had."""
    call = _renameat2()
    if call is None:
        return False
    done: int = call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    return done == 0


@cache
def _renameat2() -> Any:
    # Linux has it since 3.15 and its C library since 2.28; others, and some file systems, do not.
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
