"""Embedders: a folder of weights on this machine, or a server that speaks OpenAI's language."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kithkin.errors import InvalidInput, ModelUnavailable

_SECONDS: Final = 30.0
_HEADER: Final = 8
_MATRIX: Final = 2


class FolderEmbedder:
    """Static embeddings: a vector for each token (`*.safetensors`, `tokenizer*.json`), averaged."""

    def __init__(self, folder: Path) -> None:
        self.name = f"folder:{folder.resolve().name}"
        self._weights = _matrix(_one_file(folder, "*.safetensors"))
        self._tokenizer = _tokenizer(_one_file(folder, "*tokenizer*.json"))

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The mean of each text's tokens."""
        import numpy as np  # noqa: PLC0415 - an extra

        rows = []
        for encoded in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            ids = [i for i in encoded.ids if i < len(self._weights)]
            rows.append(self._weights[ids].mean(axis=0) if ids else np.zeros(len(self._weights[0])))
        return np.asarray(rows, dtype=np.float32).tolist()  # type: ignore[no-any-return] # floats


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


def _one_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.rglob(pattern))
    if not found:
        raise InvalidInput(f"{folder} holds no {pattern}: name a folder of static embeddings.")
    return found[0]


def _tokenizer(file: Path) -> Any:
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ModelUnavailable(
            "A folder of weights needs a tokenizer: `pip install 'kithkin[vectors]'`."
        ) from error
    return Tokenizer.from_file(str(file))


def _matrix(file: Path) -> Any:
    """The largest two-dimensional tensor of a file, as 32-bit numbers."""
    import numpy as np  # noqa: PLC0415 - an extra

    with file.open("rb") as source:
        length = int.from_bytes(source.read(_HEADER), "little")
        header = json.loads(source.read(length))
        named = (tensor for name, tensor in header.items() if name != "__metadata__")
        tensors = [tensor for tensor in named if len(tensor["shape"]) == _MATRIX]
        if not tensors:
            raise InvalidInput(f"{file} holds no matrix of embeddings.")
        best = max(tensors, key=lambda t: t["shape"][0] * t["shape"][1])
        start, end = best["data_offsets"]
        source.seek(_HEADER + length + start)
        kind = {"F32": np.float32, "F16": np.float16}.get(best["dtype"])
        if kind is None:
            raise InvalidInput(f"{file} holds {best['dtype']} numbers; F32 and F16 are read.")
        raw = np.frombuffer(source.read(end - start), dtype=kind)
    return raw.reshape(best["shape"]).astype(np.float32)
