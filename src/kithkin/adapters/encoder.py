"""A sentence encoder of BERT's kind, run with numpy alone: no framework, nothing to download."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kithkin.errors import InvalidInput

if TYPE_CHECKING:
    from kithkin.adapters.weights import Matrix, Weights

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Tokens = np.ndarray[Any, np.dtype[np.int64]]

_BATCH: Final = 32
_UNSEEN: Final = np.float32(-1e9)


class Encoder:
    """Reads a text whole, so that the order of its words and their company count."""

    def __init__(self, weights: "Weights") -> None:
        settings = weights.settings("config.json")
        pooling = weights.settings("1_Pooling/config.json")
        self._tensors = _named_as_bert_does(weights.tensors())
        self._layers = int(settings["num_hidden_layers"])
        self._heads = int(settings["num_attention_heads"])
        self._smallest = float(settings.get("layer_norm_eps", 1e-12))
        self._by_first_token = bool(pooling.get("pooling_mode_cls_token"))
        self._tokenizer = weights.tokenizer()
        self._tokenizer.enable_truncation(
            weights.settings("sentence_bert_config.json").get("max_seq_length")
            or len(self._tensors["embeddings.position_embeddings.weight"])
        )
        self._tokenizer.enable_padding(pad_id=int(settings.get("pad_token_id") or 0))

    def encode(self, texts: Sequence[str]) -> "Matrix":
        """A vector for each text; texts of like length are read together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows: list[Any] = [None] * len(texts)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            cut = self._tokenizer.encode_batch([texts[place] for place in places])
            tokens = np.asarray([one.ids for one in cut])
            seen = np.asarray([one.attention_mask for one in cut], dtype=np.bool_)
            for place, row in zip(places, self._pooled(tokens, seen), strict=True):
                rows[place] = row
        return np.asarray(rows, dtype=np.float32)

    def _pooled(self, tokens: "Tokens", seen: "Mask") -> "Matrix":
        read = self._read(tokens, seen)
        if self._by_first_token:
            return read[:, 0]
        weight = seen[:, :, None].astype(np.float32)
        mean: Matrix = (read * weight).sum(axis=1) / weight.sum(axis=1)
        return mean

    def _read(self, tokens: "Tokens", seen: "Mask") -> "Matrix":
        words, places, kinds = (
            self._tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        read = self._levelled(
            words[tokens] + places[: tokens.shape[1]] + kinds[0], "embeddings.LayerNorm"
        )
        unseen = np.where(seen, np.float32(0), _UNSEEN)[:, None, None, :]
        for number in range(self._layers):
            read = self._layer(read, unseen, f"encoder.layer.{number}")
        return read

    def _layer(self, read: "Matrix", unseen: "Matrix", layer: str) -> "Matrix":
        heard = self._through(
            self._attended(read, unseen, f"{layer}.attention.self"), layer, "attention.output.dense"
        )
        read = self._levelled(read + heard, f"{layer}.attention.output.LayerNorm")
        thought = self._through(
            _gelu(self._through(read, layer, "intermediate.dense")), layer, "output.dense"
        )
        return self._levelled(read + thought, f"{layer}.output.LayerNorm")

    def _attended(self, read: "Matrix", unseen: "Matrix", layer: str) -> "Matrix":
        """Each token as the mean of those it attends to, in every head."""
        texts, length, width = read.shape
        query, key, value = (
            self._through(read, layer, name)
            .reshape(texts, length, self._heads, -1)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(key.shape[-1])) + unseen
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        attended: Matrix = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return attended

    def _through(self, read: "Matrix", layer: str, name: str) -> "Matrix":
        weight, bias = (self._tensors[f"{layer}.{name}.{part}"] for part in ("weight", "bias"))
        flat = read.reshape(-1, read.shape[-1])  # one large product is faster than many small ones
        passed: Matrix = (flat @ weight.T + bias).reshape(*read.shape[:-1], -1)
        return passed

    def _levelled(self, read: "Matrix", name: str) -> "Matrix":
        level = read - read.mean(axis=-1, keepdims=True)
        spread = np.sqrt((level * level).mean(axis=-1, keepdims=True) + self._smallest)
        levelled: Matrix = level / spread * self._tensors[f"{name}.weight"]
        return levelled + self._tensors[f"{name}.bias"]


def _gelu(read: "Matrix") -> "Matrix":
    bent = np.tanh(np.float32(0.7978845608) * read * (1 + np.float32(0.044715) * read * read))
    found: Matrix = np.float32(0.5) * read * (1 + bent)
    return found


def _named_as_bert_does(tensors: "Mapping[str, Matrix]") -> "dict[str, Matrix]":
    """The tensors without the prefix some writers put before each name."""
    named = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
    if "embeddings.word_embeddings.weight" not in named:
        raise InvalidInput(
            "These weights are not of BERT's kind: no word embeddings are among them."
        )
    return named
