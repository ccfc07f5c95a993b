"""Nearness in meaning: vectors of a model, compared one by one. numpy is loaded only here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kithkin.db import Tx
from kithkin.ports import Embedder
from kithkin.search import vectors

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.float32]]

_BATCH: Final = 500


def packed(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The vectors of texts, each of length 1, as they are stored."""
    if not texts:
        return []
    return [row.tobytes() for row in _unit(embedder.embed(texts))]


def hand_over(tx: Tx) -> int:
    """Let the server read some vectors in its own type, if it can; how many it was."""
    import numpy as np  # noqa: PLC0415 - an extra: words alone need no numpy

    if not vectors.are_compared_here(tx, make=True):
        return 0
    rows = vectors.waiting(tx, limit=_BATCH)
    vectors.hand_over(
        tx,
        [(seq, model, np.frombuffer(raw, dtype=np.float32).tolist()) for seq, model, raw in rows],
    )
    return len(rows)


class Question:
    """A question as a model reads it."""

    def __init__(self, embedder: Embedder, text: str) -> None:
        self._model = embedder.name
        self._vector = _unit(embedder.embed([text]))[0]

    def closest(self, tx: Tx, *, acl: Sequence[str] | None, most: int) -> dict[int, float]:
        """How near the nearest documents are that tokens open, by their places."""
        if acl is not None and not acl:
            return {}
        found: list[tuple[int, float]] = []
        compared = vectors.are_compared_here(tx)
        if compared:
            asked = self._vector.tolist()
            found = vectors.nearest(tx, self._model, asked, acl=acl, most=most)
        found += self._compared(vectors.of_model(tx, self._model, acl=acl, waiting=compared))
        return dict(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most])

    def _compared(self, rows: Sequence[tuple[int, bytes]]) -> list[tuple[int, float]]:
        import numpy as np  # noqa: PLC0415 - the same

        if not rows:
            return []
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float32)
        near = matrix.reshape(len(rows), -1) @ self._vector
        return [(seq, float(score)) for (seq, _), score in zip(rows, near, strict=True)]


def _unit(rows: Sequence[Sequence[float]]) -> "Matrix":
    import numpy as np  # noqa: PLC0415 - the same

    matrix = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Matrix = (matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return unit
