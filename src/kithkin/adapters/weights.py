"""A folder of weights as models are handed around: `*.safetensors`, `tokenizer.json`, settings."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

from kithkin.errors import InvalidInput, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.float32]]

_HEADER: Final = 8
_LONGEST_HEADER: Final = 100_000_000
_SAMPLES: Final = 64
_SAMPLE: Final = 16_384
_SETTINGS: Final = ("config.json", "sentence_bert_config.json", "1_Pooling/config.json")
_NUMBERS: Final = {"F32": ("<f4", 4), "F16": ("<f2", 2)}
_NO_NUMBERS: Final = frozenset(("I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"))
"""Places and masks: they are made when they are needed, not read."""


class _Tensor(Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class Weights:
    """The files of one model. What cannot be read is refused when they are opened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = _tensors_in(folder)
        self._start, self._tensors = self._read_header()

    @property
    def name(self) -> str:
        """The folder's name and a mark of its content: another model there is another name."""
        mark = hashlib.sha256()
        for content in (*self._samples(), *self._settings()):
            mark.update(content)
        return f"{self._folder.resolve().name}-{mark.hexdigest()[:12]}"

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Every tensor of real numbers by its name, and how large it is."""
        return {name: tensor.shape for name, tensor in self._tensors.items()}

    def tensor(self, name: str) -> "Matrix":
        """A tensor, as 32-bit numbers."""
        import numpy as np  # noqa: PLC0415 - an extra

        tensor = self._tensors[name]
        kind, _ = _NUMBERS[tensor.dtype]
        count = math.prod(tensor.shape)
        start = self._start + tensor.data_offsets[0]
        raw = np.fromfile(self._file, dtype=kind, count=count, offset=start)
        return raw.reshape(tensor.shape).astype(np.float32, copy=False)

    def settings(self, file: str) -> Mapping[str, Any]:
        """What a JSON file of the folder says; nothing, if it is not there."""
        found = self._json(file)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise InvalidInput(f"{self._file.parent / file} holds no settings.")
        return found

    def steps(self) -> tuple[str, ...]:
        """What a text goes through, as `modules.json` names it."""
        found = self._json("modules.json") or ()
        named = (one.get("type") for one in found if isinstance(one, dict))
        return tuple(str(one).rpartition(".")[2] for one in named)

    def tokenizer(self) -> Any:
        """What cuts texts into the tokens the weights know, neither padded nor cut short."""
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ModelUnavailable(
                "A folder of weights needs a tokenizer: `pip install 'kithkin[vectors]'`."
            ) from error
        file = next(iter(sorted(self._file.parent.glob("*tokenizer.json"))), None)
        if file is None:
            raise InvalidInput(f"{self._file.parent} holds no tokenizer.json.")
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises nothing narrower
            raise InvalidInput(f"{file} is no tokenizer: {error}.") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def _read_header(self) -> tuple[int, dict[str, _Tensor]]:
        size = self._file.stat().st_size
        with self._file.open("rb") as source:
            length = int.from_bytes(source.read(_HEADER), "little")
            if not 0 < length <= min(size - _HEADER, _LONGEST_HEADER):
                raise InvalidInput(f"{self._file} is no file of weights: download it again, whole.")
            header = source.read(length)
        start = _HEADER + length
        try:
            told = msgspec.json.decode(header, type=dict[str, Any])
            told.pop("__metadata__", None)
            tensors = msgspec.convert(told, dict[str, _Tensor])
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"{self._file} is no file of weights: {error}.") from error
        read = {name: one for name, one in tensors.items() if one.dtype not in _NO_NUMBERS}
        for name, tensor in read.items():
            self._require_readable(name, tensor, most=size - start)
        return start, read

    def _require_readable(self, name: str, tensor: _Tensor, *, most: int) -> None:
        if tensor.dtype not in _NUMBERS:
            raise InvalidInput(
                f"{self._file} holds {tensor.dtype} numbers ({name}); F32 and F16 are read."
            )
        first, last = tensor.data_offsets
        fits = last - first == math.prod(tensor.shape) * _NUMBERS[tensor.dtype][1]
        if not 0 <= first <= last <= most or min(tensor.shape, default=0) < 0 or not fits:
            raise InvalidInput(f"{self._file} is cut short or damaged at {name}.")

    def _samples(self) -> Iterator[bytes]:
        """Pieces of the file from end to end: no model differs from another in none of them."""
        step = max(self._file.stat().st_size // _SAMPLES, 1)
        with self._file.open("rb") as source:
            for number in range(_SAMPLES):
                source.seek(number * step)
                yield source.read(min(step, _SAMPLE))
            yield source.read()[-_SAMPLE:]

    def _settings(self) -> Iterator[bytes]:
        for name in _SETTINGS:
            file = self._file.parent / name
            yield file.read_bytes() if file.is_file() else b""

    def _json(self, file: str) -> Any:
        path = self._file.parent / file
        if not path.is_file():
            return None
        try:
            return json.loads(path.read_bytes())
        except ValueError as error:
            raise InvalidInput(f"{path} is no JSON: {error}.") from error


def _tensors_in(folder: Path) -> Path:
    """The file of a model; those of its later steps lie in folders below."""
    found = sorted(folder.glob("*.safetensors")) or sorted(folder.rglob("*.safetensors"))
    if not found:
        raise InvalidInput(
            f"{folder} holds no *.safetensors: name a folder of a sentence encoder of BERT's kind, "
            "or of static embeddings."
        )
    if len(found) > 1:
        raise InvalidInput(f"{folder} holds {len(found)} files of weights; one is read.")
    return found[0]
