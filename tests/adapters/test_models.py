"""Language models behind the ports: typed, bounded, checked, and never needed."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from kithkin.adapters.embedders import FolderEmbedder, ServerEmbedder
from kithkin.adapters.llm import LlmAnswerReader, LlmExtractor, LlmResponder, model_named
from kithkin.adapters.model_settings import models_for
from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.db import Database
from kithkin.errors import InvalidInput, ModelUnavailable
from kithkin.ports import Doubted, Models, Prompted, Utterance
from kithkin.testing import FixedClock

TOM = "telegram:1"
SAID = Utterance("My wife Sarah likes hiking a lot", datetime(2026, 1, 15, tzinfo=UTC), "Tom")
GOOD = {
    "content": "likes hiking a lot",
    "quote": "Sarah likes hiking a lot",
    "about": ["Sarah"],
    "kind": "preference",
    "confidence": 0.9,
    "sensitivity": "public",
}
INVENTED = {**GOOD, "content": "likes tea", "quote": "Sarah likes tea"}


def scripted(findings: list[dict[str, Any]], kept: list[dict[str, Any]]) -> FunctionModel:
    """A model that answers the first look and the second as told."""

    def answer(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        first = "quote" in json.dumps(info.output_tools[0].parameters_json_schema)
        found = findings if first else kept
        return ModelResponse([ToolCallPart(info.output_tools[0].name, {"response": found})])

    return FunctionModel(answer)


def test_the_second_look_may_drop_and_shorten_but_not_add() -> None:
    short = [{"number": 1, "content": "likes hiking"}, {"number": 9, "content": "likes gold"}]
    (one,) = LlmExtractor(scripted([GOOD, INVENTED], short)).extract(SAID)
    assert one.content == "likes hiking"
    more = [{"number": 1, "content": "likes hiking and gold"}]
    (kept,) = LlmExtractor(scripted([GOOD], more)).extract(SAID)
    assert kept.content == "likes hiking a lot"
    assert LlmExtractor(scripted([GOOD], [])).extract(SAID) == []
    assert LlmExtractor(scripted([], [])).extract(SAID) == []


def realm(tmp_path: Path, models: Models) -> Kithkin:
    return Kithkin(Acting(Database.open(tmp_path), actor="a", clock=FixedClock(), models=models))


def test_only_what_stands_in_the_message_is_believed(tmp_path: Path) -> None:
    kept = [{"number": n, "content": "likes hiking a lot"} for n in (1, 2)]
    kin = realm(tmp_path, Models(LlmExtractor(scripted([GOOD, INVENTED], kept))))
    said = kin.memories.remember(SAID.text, speaker=TOM)
    assert [one.memory.content for one in said.learned] == ["likes hiking a lot"]
    assert [person.name for person in said.persons] == ["Sarah"]
    kin.close()


def test_a_model_reads_an_answer_about_what_was_real() -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert "1. Frodo: Job - wizard" in str(messages)
        return ModelResponse([ToolCallPart(info.output_tools[0].name, {"response": ["move"]})])

    asked = [Doubted("Job", "wizard", "Frodo")]
    assert LlmAnswerReader(FunctionModel(answer)).read("my cousin's doing", asked) == ["move"]


def test_when_the_model_fails_rules_do_the_work(tmp_path: Path) -> None:
    def broken(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        raise OSError("no route to host")

    models = Models(LlmExtractor(FunctionModel(broken)), LlmResponder(FunctionModel(broken)))
    kin = realm(tmp_path, models)
    answer = kin.chat.say("My wife Sarah likes hiking", speaker=TOM)
    assert [one.memory.content for one in answer.learned] == ["likes hiking"]
    assert answer.reply == "Noted: Sarah likes hiking."
    with pytest.raises(ModelUnavailable, match="KITHKIN_MODEL"):
        LlmExtractor(FunctionModel(broken)).extract(SAID)
    kin.close()


def test_a_test_models_garbage_teaches_nothing(tmp_path: Path) -> None:
    kin = realm(tmp_path, Models(LlmExtractor(TestModel())))
    assert kin.memories.remember("hello there", speaker=TOM).learned == ()
    kin.close()


def test_the_answer_streams_knows_the_people_and_may_search(tmp_path: Path) -> None:
    seen: list[str] = []

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> Any:
        seen.append(str(messages) + str(info.instructions))
        for part in ("Sarah ", "likes ", "hiking."):
            yield part

    kin = realm(tmp_path, Models(responder=LlmResponder(FunctionModel(stream_function=answer))))
    kin.chat.say("My wife Sarah likes hiking", speaker=TOM)
    pieces: list[str] = []
    told = kin.chat.say("Tell me about my wife", speaker=TOM, piece=pieces.append)
    assert told.reply == "".join(pieces) == "Sarah likes hiking."
    assert "**Sarah** (wife)" in seen[-1]
    assert "likes hiking" in seen[-1]
    kin.close()


def test_a_model_that_searches_gets_only_what_may_be_told() -> None:
    asked: list[str] = []

    def look(question: str) -> str:
        asked.append(question)
        return "Sarah likes hiking"

    responder = LlmResponder(TestModel(custom_output_text="done"))
    prompted = Prompted(people="", context="", said="hi", speaker_name="Tom", search=look)
    assert "".join(responder.respond(prompted)) == "done"
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["", "gpt-4o", ":x", "openai:"])
def test_a_models_name_says_its_provider(name: str) -> None:
    with pytest.raises(InvalidInput, match="openai:"):
        model_named(name)


def model_folder(folder: Path, tensors: dict[str, Any], config: dict[str, Any]) -> Path:
    """A model as it is handed around, of four words."""
    tokenizers = pytest.importorskip("tokenizers")
    words = {"tea": 0, "coffee": 1, "boat": 2, "[UNK]": 3}
    model = tokenizers.models.WordLevel(words, unk_token="[UNK]")  # noqa: S106 - a word
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config))
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = np.asarray(tensor, dtype=np.float32)
        place = [len(data), len(data) + raw.nbytes]
        header[name] = {"dtype": "F32", "shape": raw.shape, "data_offsets": place}
        data += raw.tobytes()
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return folder


def static(folder: Path) -> Path:
    """Static embeddings: three numbers for each word."""
    table = [[1.0, 0.1, 0.0], [0.9, 0.2, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    return model_folder(folder, {"embeddings": table}, {})


BERT = {
    "model_type": "bert",
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
}


def bert(folder: Path, fill: Callable[..., Any], words: Any) -> Path:
    """An encoder of one layer, its weights as they are filled."""
    layer = "encoder.layer.0"
    level, unlevel = np.ones(4), np.zeros(4)
    dense = {f"attention.self.{name}": (4, 4) for name in ("query", "key", "value")}
    dense |= {
        "attention.output.dense": (4, 4),
        "intermediate.dense": (8, 4),
        "output.dense": (4, 8),
    }
    tensors = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": fill((6, 4)),
        "embeddings.token_type_embeddings.weight": np.zeros((2, 4)),
        **{f"{layer}.{name}.weight": fill(shape) for name, shape in dense.items()},
        **{f"{layer}.{name}.bias": fill(shape[:1]) for name, shape in dense.items()},
    }
    norms = ["embeddings", f"{layer}.attention.output", f"{layer}.output"]
    for name in norms:
        tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"] = level, unlevel
    return model_folder(folder, tensors, BERT)


def test_an_encoder_that_adds_nothing_gives_the_mean_of_its_levelled_words(tmp_path: Path) -> None:
    words = [[3, 3, 1, 1], [0, 4, 0, 4], [1, 1, 3, 3], [0, 0, 0, 1]]
    embedder = FolderEmbedder(bert(tmp_path / "weights", np.zeros, words))
    tea, both, three = embedder.embed(["tea", "tea boat", "tea tea boat"])
    assert tea == pytest.approx([1, 1, -1, -1])
    assert both == pytest.approx([0, 0, 0, 0], abs=1e-6)
    assert three == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


def test_an_encoder_that_pools_by_its_first_token_gives_that(tmp_path: Path) -> None:
    words = [[3, 3, 1, 1], [0, 4, 0, 4], [1, 1, 3, 3], [0, 0, 0, 1]]
    folder = bert(tmp_path / "weights", np.zeros, words)
    mean = FolderEmbedder(folder).name
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    embedder = FolderEmbedder(folder)
    assert embedder.name != mean
    assert embedder.embed(["boat tea"])[0] == pytest.approx([-1, -1, 1, 1])


def test_an_encoder_minds_the_order_of_words_and_no_other_text(tmp_path: Path) -> None:
    drawn = np.random.default_rng(7).normal
    folder = bert(tmp_path / "weights", lambda shape: drawn(size=shape), drawn(size=(4, 4)))
    embedder = FolderEmbedder(folder)
    one, other, _ = embedder.embed(["tea boat", "boat tea", "tea coffee boat coffee tea"])
    (alone,) = embedder.embed(["tea boat"])
    assert alone == pytest.approx(one, abs=1e-5)
    assert alone != pytest.approx(other, abs=1e-2)
    (long, cut) = embedder.embed(["tea " * 600, "tea " * 6])
    assert long == pytest.approx(cut, abs=1e-5)


def test_another_model_in_the_same_folder_is_another_name(tmp_path: Path) -> None:
    folder = static(tmp_path / "weights")
    first = FolderEmbedder(folder).name
    assert FolderEmbedder(folder).name == first
    raw = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(raw[:-4] + b"\x00\x00\x80\x40")
    assert FolderEmbedder(folder).name != first


def test_a_model_of_a_kind_that_is_not_run_here_says_what_is(tmp_path: Path) -> None:
    for kind in ("t5", "distilbert"):
        folder = model_folder(tmp_path / kind, {"e": [[1.0]]}, {"model_type": kind})
        with pytest.raises(InvalidInput, match=f"'{kind}' is not run here"):
            FolderEmbedder(folder)
    layered = {"encoder.layer.0.output.dense.weight": [[1.0]]}
    with pytest.raises(InvalidInput, match="is not run here"):
        FolderEmbedder(model_folder(tmp_path / "nameless", layered, {}))


def encoder(folder: Path) -> Path:
    return bert(folder, np.ones, np.ones((4, 4)))


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n", "whole"),
        ("model.safetensors", b"", "whole"),
        ("model.safetensors", (2**63 - 1).to_bytes(8, "little"), "whole"),
        ("model.safetensors", (2).to_bytes(8, "little") + b"[]", "no file of weights"),
        ("config.json", b"{", "no JSON"),
        ("config.json", b"[]", "no settings"),
        ("config.json", json.dumps({**BERT, "num_hidden_layers": 2}).encode(), "have no"),
        ("config.json", json.dumps({**BERT, "num_hidden_layers": 0}).encode(), "names no"),
        ("config.json", json.dumps({**BERT, "num_attention_heads": 3}).encode(), "heads"),
        ("config.json", json.dumps({**BERT, "intermediate_size": 9}).encode(), "do not fit"),
        ("config.json", json.dumps({**BERT, "hidden_act": "relu"}).encode(), "relu"),
        ("tokenizer.json", b"{}", "no tokenizer"),
        ("modules.json", b'[{"type": "sentence_transformers.models.Dense"}]', "Dense"),
        ("1_Pooling/config.json", b'{"pooling_mode_max_tokens": true}', "max_tokens"),
        ("more.safetensors", b"", "one is read"),
    ],
)
def test_a_folder_that_cannot_be_run_says_why(
    tmp_path: Path, file: str, content: bytes, complaint: str
) -> None:
    folder = encoder(tmp_path / "weights")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(content)
    with pytest.raises(InvalidInput, match=complaint):
        FolderEmbedder(folder).embed(["tea"])


@pytest.mark.parametrize("offsets", [[-16, 0], [0, 4_000_000_000], [8, 0], [0, 8]])
def test_a_tensor_that_lies_outside_its_file_is_refused(tmp_path: Path, offsets: list[int]) -> None:
    folder = static(tmp_path / "weights")
    head = json.dumps({"e": {"dtype": "F32", "shape": [2, 2], "data_offsets": offsets}}).encode()
    raw = len(head).to_bytes(8, "little") + head + bytes(16)
    (folder / "model.safetensors").write_bytes(raw)
    with pytest.raises(InvalidInput, match="cut short or damaged"):
        FolderEmbedder(folder)


def test_numbers_that_are_not_read_are_named(tmp_path: Path) -> None:
    folder = static(tmp_path / "weights")
    head = b'{"e": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}'
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + bytes(4))
    with pytest.raises(InvalidInput, match="BF16"):
        FolderEmbedder(folder)


def test_the_old_names_of_a_levelling_are_known_and_an_empty_text_is_nowhere(
    tmp_path: Path,
) -> None:
    folder = encoder(tmp_path / "weights")
    (before,) = FolderEmbedder(folder).embed(["tea boat"])
    raw = (folder / "model.safetensors").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    head = raw[8 : 8 + length].replace(b"LayerNorm.weight", b"LayerNorm.gamma")
    head = head.replace(b"LayerNorm.bias", b"LayerNorm.beta")
    data = raw[8 + length :]
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    empty, after = FolderEmbedder(folder).embed(["", "tea boat"])
    assert after == before
    assert empty == [0, 0, 0, 0]
    assert FolderEmbedder(folder).embed([""]) == [[0, 0, 0, 0]]


def test_what_is_near_in_meaning_is_found_without_its_words(tmp_path: Path) -> None:
    folder = static(tmp_path / "weights")
    models = models_for(model=None, url=None, embedder=str(folder))
    kin = realm(tmp_path / "realm", models)
    kin.memories.remember("tea", speaker=TOM)
    kin.memories.remember("boat", speaker=TOM)
    assert kin.memories.embed() == 2
    assert kin.memories.embed() == 0
    found = kin.memories.search("coffee", speaker=TOM)
    assert found[0].content == "tea"
    assert kin.memories.search("coffee", speaker="telegram:2") == []
    kin.close()


def test_a_folder_without_weights_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="safetensors"):
        FolderEmbedder(tmp_path)
    with pytest.raises(InvalidInput, match="KITHKIN_MODEL_URL"):
        models_for(model=None, url=None, embedder="no-such-folder")
    with pytest.raises(InvalidInput, match="https"):
        ServerEmbedder("m", "file:///etc/passwd")


class Handler(BaseHTTPRequestHandler):
    """A server that speaks OpenAI's language of embeddings."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = [
            {"index": n, "embedding": [float(len(t)), 1.0]} for n, t in enumerate(asked["input"])
        ]
        body = json.dumps({"data": data[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def embedding_server() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_server_gives_vectors_in_order(embedding_server: str) -> None:
    embedder = ServerEmbedder("m", embedding_server)
    assert embedder.embed(["a", "bcd"]) == [[1.0, 1.0], [3.0, 1.0]]
    with pytest.raises(ModelUnavailable, match="KITHKIN_EMBEDDER"):
        ServerEmbedder("m", "http://127.0.0.1:9/v1", seconds=1).embed(["a"])
