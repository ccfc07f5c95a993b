"""The models that settings name."""

from pathlib import Path

from kithkin.adapters.embedders import FolderEmbedder, ServerEmbedder
from kithkin.adapters.llm import LlmAnswerReader, LlmExtractor, LlmResponder, model_named
from kithkin.errors import InvalidInput
from kithkin.ports import Embedder, Models


def models_for(*, model: str | None, url: str | None, embedder: str | None) -> Models:
    """A reader and a voice by `model`, and an embedder by a folder or a model's name."""
    reads = _embedder(embedder, url) if embedder else None
    if model is None:
        return Models(embedder=reads)
    named = model_named(model, url=url)
    return Models(LlmExtractor(named), LlmResponder(named), reads, LlmAnswerReader(named))


def _embedder(name: str, url: str | None) -> Embedder:
    folder = Path(name).expanduser()
    if folder.is_dir():
        return FolderEmbedder(folder)
    if url is None:
        raise InvalidInput(
            f"{name!r} is no folder of weights; for a model at a server, set KITHKIN_MODEL_URL."
        )
    return ServerEmbedder(name, url)
