"""A sentence encoder of BERT's kind, run with numpy alone: no framework, nothing to download."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kithkin.errors import InvalidInput

if TYPE_CHECKING:
    from kithkin.adapters.weights import Matrix, Weights

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Tokens = np.ndarray[Any, np.dtype[np.int64]]

_TEXTS: Final = 32
_TOKENS: Final = 2048
"""How much is read at once: attention takes memory by the square of a text's length."""
_UNSEEN: Final = np.float32(-1e9)
_STEPS: Final = frozenset(("Transformer", "Pooling", "Normalize"))
_MEAN: Final = "pooling_mode_mean_tokens"
_FIRST: Final = "pooling_mode_cls_token"
_OLD_NAMES: Final = (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias"))


class Encoder:
    """Reads a text whole, so that the order of its words and their company count."""

    def __init__(self, weights: "Weights") -> None:
        plan = _Plan(weights)
        self._tensors = {name: weights.tensor(own) for name, own in plan.names.items()}
        self._layers, self._heads, self._longest = plan.layers, plan.heads, plan.longest
        self._smallest, self._by_first = plan.smallest, plan.by_first
        self._tokenizer = weights.tokenizer()
        self._tokenizer.enable_truncation(self._longest)
        words = self._tensors["embeddings.word_embeddings.weight"]
        if self._tokenizer.get_vocab_size() > len(words):
            raise InvalidInput("The tokenizer knows more words than these weights do.")

    def encode(self, texts: Sequence[str]) -> "Matrix":
        """A vector for each text; texts of like length are read together."""
        cut = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        width = self._tensors["embeddings.word_embeddings.weight"].shape[1]
        rows = np.zeros((len(texts), width), dtype=np.float32)
        for places in _batches([len(ids) for ids in cut]):
            tokens = np.zeros((len(places), len(cut[places[-1]])), dtype=np.int64)
            seen = np.zeros(tokens.shape, dtype=np.bool_)
            for row, place in enumerate(places):
                tokens[row, : len(cut[place])] = cut[place]
                seen[row, : len(cut[place])] = True
            rows[places] = self._pooled(tokens, seen)
        return rows

    def _pooled(self, tokens: "Tokens", seen: "Mask") -> "Matrix":
        read = self._read(tokens, seen)
        if self._by_first:
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
        heard = self._attended(read, unseen, f"{layer}.attention.self")
        heard = self._through(heard, f"{layer}.attention.output.dense")
        read = self._levelled(read + heard, f"{layer}.attention.output.LayerNorm")
        thought = _gelu(self._through(read, f"{layer}.intermediate.dense"))
        thought = self._through(thought, f"{layer}.output.dense")
        return self._levelled(read + thought, f"{layer}.output.LayerNorm")

    def _attended(self, read: "Matrix", unseen: "Matrix", layer: str) -> "Matrix":
        """Each token as the mean of those it attends to, in every head."""
        texts, length, width = read.shape
        query, key, value = (
            self._through(read, f"{layer}.{name}")
            .reshape(texts, length, self._heads, -1)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(key.shape[-1])) + unseen
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        attended: Matrix = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return attended

    def _through(self, read: "Matrix", name: str) -> "Matrix":
        weight, bias = (self._tensors[f"{name}.{part}"] for part in ("weight", "bias"))
        flat = read.reshape(-1, read.shape[-1])  # one large product is faster than many small ones
        passed: Matrix = (flat @ weight.T + bias).reshape(*read.shape[:-1], -1)
        return passed

    def _levelled(self, read: "Matrix", name: str) -> "Matrix":
        level = read - read.mean(axis=-1, keepdims=True)
        spread = np.sqrt((level * level).mean(axis=-1, keepdims=True) + self._smallest)
        levelled: Matrix = level / spread * self._tensors[f"{name}.weight"]
        return levelled + self._tensors[f"{name}.bias"]


class _Plan:
    """How a model is built, read from its settings and checked against its tensors."""

    def __init__(self, weights: "Weights") -> None:
        settings = weights.settings("config.json")
        self.layers = _count(settings, "num_hidden_layers")
        self.heads = _count(settings, "num_attention_heads")
        self.smallest = float(settings.get("layer_norm_eps", 1e-12))
        self.names = _names_in(weights)
        width, positions = self._require_shapes(weights, settings)
        if width % self.heads:
            raise InvalidInput(f"config.json: {self.heads} heads do not share {width} numbers.")
        asked = weights.settings("sentence_bert_config.json").get("max_seq_length")
        self.longest = min(asked, positions) if isinstance(asked, int) and asked > 0 else positions
        self.by_first = _by_first(weights)

    def _require_shapes(self, weights: "Weights", settings: Any) -> tuple[int, int]:
        words = self._shape(weights, "embeddings.word_embeddings.weight")
        positions = self._shape(weights, "embeddings.position_embeddings.weight")
        width, between = words[-1], _count(settings, "intermediate_size")
        shapes = {
            "embeddings.position_embeddings": (positions[0], width),
            "embeddings.token_type_embeddings": None,
            "embeddings.LayerNorm": (width,),
        }
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            for name in ("query", "key", "value"):
                shapes[f"{layer}.attention.self.{name}"] = (width, width)
            shapes[f"{layer}.attention.output.dense"] = (width, width)
            shapes[f"{layer}.intermediate.dense"] = (between, width)
            shapes[f"{layer}.output.dense"] = (width, between)
            shapes[f"{layer}.attention.output.LayerNorm"] = (width,)
            shapes[f"{layer}.output.LayerNorm"] = (width,)
        for name, shape in shapes.items():
            found = self._shape(weights, f"{name}.weight")
            if shape is not None and found != shape:
                raise InvalidInput(f"These weights do not fit their config.json: {name}.")
            if not name.endswith("embeddings"):
                self._shape(weights, f"{name}.bias")
        return width, positions[0]

    def _shape(self, weights: "Weights", name: str) -> tuple[int, ...]:
        if name not in self.names:
            raise InvalidInput(f"These weights are not of BERT's kind: they have no {name}.")
        return weights.shapes[self.names[name]]


def _names_in(weights: "Weights") -> dict[str, str]:
    """The tensors' names as BERT has them, and as this file does."""
    names = {}
    for own in weights.shapes:
        name = own.removeprefix("bert.")
        for old, new in _OLD_NAMES:
            name = name.replace(old, new)
        names[name] = own
    return {
        name: own for name, own in names.items() if name.startswith(("embeddings.", "encoder."))
    }


def _by_first(weights: "Weights") -> bool:
    """Whether a text is its first token rather than the mean of all."""
    others = ", ".join(sorted(set(weights.steps()) - _STEPS))
    if others:
        raise InvalidInput(f"This model ends in {others}, which is not run here.")
    pooling = weights.settings("1_Pooling/config.json")
    modes = {name for name, on in pooling.items() if name.startswith("pooling_mode") and on is True}
    if not modes <= {_MEAN, _FIRST} or len(modes) > 1:
        named = ", ".join(sorted(modes))
        raise InvalidInput(f"This model pools by {named}, which is not run here.")
    act = weights.settings("config.json").get("hidden_act", "gelu")
    if not str(act).startswith("gelu"):
        raise InvalidInput(f"config.json: hidden_act = {act!r} is not run here; gelu is.")
    return modes == {_FIRST}


def _count(settings: Any, name: str) -> int:
    found = settings.get(name)
    if not isinstance(found, int) or found < 1:
        raise InvalidInput(f"config.json names no {name}.")
    return found


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that are read together, the longest last; an empty text is in none."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if not lengths[place]:
            continue
        if batch and (len(batch) == _TEXTS or (len(batch) + 1) * lengths[place] > _TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _gelu(read: "Matrix") -> "Matrix":
    bent = np.tanh(np.float32(0.7978845608) * read * (1 + np.float32(0.044715) * read * read))
    found: Matrix = np.float32(0.5) * read * (1 + bent)
    return found
