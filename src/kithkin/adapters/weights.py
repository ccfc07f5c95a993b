"""A folder of weights as models are handed around: `*.safetensors`, `tokenizer.json`, settings."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kithkin.errors import InvalidInput, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.float32]]

_HEADER: Final = 8
_FINGERPRINTED: Final = 1_000_000
_NUMBERS: Final = {"F32": "<f4", "F16": "<f2"}


class Weights:
    """The files of one model."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tensors = _one_file(folder, "*.safetensors")
        self._words = _one_file(folder, "*tokenizer.json")

    @property
    def name(self) -> str:
        """The folder's name and a mark of its numbers: another model there is another name."""
        with self._tensors.open("rb") as source:
            mark = hashlib.sha256(source.read(_FINGERPRINTED)).hexdigest()[:12]
        return f"{self._folder.resolve().name}-{mark}"

    def tensors(self) -> "dict[str, Matrix]":
        """Every tensor of real numbers by its name, as 32-bit numbers, read when they are used."""
        import numpy as np  # noqa: PLC0415 - an extra

        with self._tensors.open("rb") as source:
            start = int.from_bytes(source.read(_HEADER), "little")
            header = json.loads(source.read(start))
        raw = np.memmap(self._tensors, mode="r", offset=_HEADER + start)
        header.pop("__metadata__", None)
        return {
            name: raw[slice(*told["data_offsets"])]
            .view(_NUMBERS[told["dtype"]])
            .reshape(told["shape"])
            .astype(np.float32)
            for name, told in header.items()
            if told["dtype"] in _NUMBERS
        }

    def settings(self, file: str) -> Mapping[str, Any]:
        """What a JSON file of the folder says; nothing, if it is not there."""
        path = self._tensors.parent / file
        found: Mapping[str, Any] = json.loads(path.read_bytes()) if path.is_file() else {}
        return found

    def tokenizer(self) -> Any:
        """What cuts texts into the tokens the weights know."""
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ModelUnavailable(
                "A folder of weights needs a tokenizer: `pip install 'kithkin[vectors]'`."
            ) from error
        return Tokenizer.from_file(str(self._words))


def _one_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.rglob(pattern))
    if not found:
        raise InvalidInput(
            f"{folder} holds no {pattern}: name a folder of a sentence encoder (BERT's kind) or of "
            "static embeddings."
        )
    return found[0]
