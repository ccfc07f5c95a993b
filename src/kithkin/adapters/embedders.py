"""Embedders: a folder of weights on this machine, or a server that speaks OpenAI's language."""

import json
import math
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kithkin.adapters.weights import Weights
from kithkin.errors import InvalidInput, ModelUnavailable

if TYPE_CHECKING:
    from kithkin.adapters.weights import Matrix

_SECONDS: Final = 30.0
_MATRIX: Final = 2
_TABLES: Final = (None, "model2vec")


class FolderEmbedder:
    """Weights on this machine: a sentence encoder of BERT's kind, or a vector for each token."""

    def __init__(self, folder: Path) -> None:
        self._weights = Weights(folder)
        self._is_encoder = _is_encoder(self._weights)
        self.name = f"folder:{self._weights.name}"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in order."""
        found: Sequence[Sequence[float]] = self._encode(texts).tolist()
        return found

    @cached_property
    def _encode(self) -> "Callable[[Sequence[str]], Matrix]":
        """What reads texts; the weights are loaded when the first text is read."""
        if self._is_encoder:
            from kithkin.adapters.encoder import Encoder  # noqa: PLC0415 - loads numpy, an extra

            return Encoder(self._weights).encode
        return partial(_averaged, _table(self._weights), self._weights.tokenizer())


class ServerEmbedder:
    """A model behind an OpenAI-compatible `/embeddings` endpoint."""

    def __init__(self, model: str, url: str, *, seconds: float = _SECONDS) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"{url!r} is no address of a server: begin it with https://.")
        self.name = f"server:{model}"
        self._model, self._url, self._seconds = model, url.rstrip("/"), seconds

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in order."""
        body = json.dumps({"model": self._model, "input": list(texts)}).encode()
        key = os.environ.get("OPENAI_API_KEY") or "none"
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            f"{self._url}/embeddings",
            data=body,
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as answer:  # noqa: S310 - the same
                data = json.load(answer)["data"]
        except (OSError, urllib.error.URLError, ValueError, KeyError) as error:
            raise ModelUnavailable(
                f"The embedding server at {self._url} gave no vectors: {error}. Check "
                "KITHKIN_EMBEDDER and KITHKIN_MODEL_URL."
            ) from error
        return [one["embedding"] for one in sorted(data, key=lambda one: one["index"])]


def _is_encoder(weights: Weights) -> bool:
    """Whether the weights are an encoder's that is run here, or a table's."""
    kind = weights.settings("config.json").get("model_type")
    if kind == "bert":
        return True
    layered = any(".layer." in name or "block." in name for name in weights.shapes)
    if layered or kind not in _TABLES:
        raise InvalidInput(
            f"A model of the kind {kind!r} is not run here: name a folder of BERT's kind or of "
            "static embeddings, or serve the model and set KITHKIN_MODEL_URL."
        )
    return False


def _table(weights: Weights) -> "Matrix":
    """The largest matrix among the tensors: a row for each token."""
    matrices = [name for name, shape in weights.shapes.items() if len(shape) == _MATRIX]
    if not matrices:
        raise InvalidInput("These weights hold no matrix of embeddings.")
    return weights.tensor(max(matrices, key=lambda name: math.prod(weights.shapes[name])))


def _averaged(table: "Matrix", tokenizer: Any, texts: Sequence[str]) -> "Matrix":
    """The mean of each text's tokens."""
    import numpy as np  # noqa: PLC0415 - an extra

    rows = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
    cut = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    for place, encoded in enumerate(cut):
        tokens = [token for token in encoded.ids if token < len(table)]
        if tokens:
            rows[place] = table[tokens].mean(axis=0)
    return rows
