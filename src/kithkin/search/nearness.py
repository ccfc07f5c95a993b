"""Nearness in meaning: vectors of a model, compared one by one. numpy is loaded only here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kithkin.db import Tx
from kithkin.ports import Embedder
from kithkin.search import store

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.float32]]


def packed(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The vectors of texts, each of length 1, as they are stored."""
    if not texts:
        return []
    return [row.tobytes() for row in _unit(embedder.embed(texts))]


class Question:
    """A question as a model reads it."""

    def __init__(self, embedder: Embedder, text: str) -> None:
        self._model = embedder.name
        self._vector = _unit(embedder.embed([text]))[0]

    def closest(self, tx: Tx) -> dict[int, float]:
        """How near each document is that the model has read, by its place."""
        import numpy as np  # noqa: PLC0415 - an extra: words alone need no numpy

        rows = store.vectors(tx, self._model, after=0)
        if not rows:
            return {}
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float32)
        near = matrix.reshape(len(rows), -1) @ self._vector
        return {seq: float(score) for (seq, _), score in zip(rows, near, strict=True)}


def _unit(vectors: Sequence[Sequence[float]]) -> "Matrix":
    import numpy as np  # noqa: PLC0415 - the same

    matrix = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Matrix = (matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return unit
