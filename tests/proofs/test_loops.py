"""What was recalled is never learned again, however often it goes round."""

import re
import subprocess
import sys
from pathlib import Path

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.testing import FixedClock
from kithkin.upkeep.forget import Manner

ROOT = Path(__file__).parent.parent.parent
TOM = "telegram:1"
TAUGHT = (
    "My wife Sarah likes hiking",
    "I'm allergic to peanuts",
    "Bob is my boss",
    "My boss Bob moved to Lisbon",
    "I have a dentist appointment on Friday",
    "Sarah works at Acme",
    "call me Tommy",
)
ASKED = ("Tell me about my wife", "what am I allergic to?", "who is Bob?", "what do you know?")


def test_a_loop_of_recall_and_chat_learns_nothing_from_its_own_words(
    tmp_path: Path,
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    turns = 1_000 if full else 60
    with Database.open(tmp_path) as db:
        kin = Kithkin(Acting(db, actor="agent", clock=FixedClock()))
        admin = Admin(Acting(db, actor="owner", clock=FixedClock()), where="")
        for text in TAUGHT:
            kin.chat.say(text, speaker=TOM)
        known = admin.memories.stats()
        said = ""
        for turn in range(turns):
            context = kin.memories.context(ASKED[turn % 4], speaker=TOM)
            for text in (ASKED[turn % 4], context, said):
                if text:
                    answer = kin.chat.say(text, speaker=TOM)
                    assert answer.learned == (), (text, answer.learned)
                    said = answer.reply
        assert admin.memories.stats() == known
        print(f"\n{turns} turns: still {known}")


def test_forgotten_words_are_in_no_byte_of_a_large_realm(
    tmp_path: Path,
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    count = 5_000 if full else 200
    with Database.open(tmp_path) as db:
        kin = Kithkin(Acting(db, actor="agent", clock=FixedClock()))
        admin = Admin(Acting(db, actor="owner", clock=FixedClock()), where="")
        kin.people.ensure_self("telegram:2", name="Quendolyn Vfarr")
        for number in range(count):
            kin.memories.remember(f"I like tea number {number}", speaker=TOM)
            if number % 20 == 0:
                kin.memories.remember(f"I collect zyzzyvas of kind {number}", speaker="telegram:2")
        kin.memories.remember("Quendolyn collects zyzzyvas", speaker=TOM)
        (her,) = kin.people.find_person_ids_for_username("Quendolyn Vfarr")
        gone = admin.memories.forget_person(her, manner=Manner(done=True, with_mentions=True))
        assert gone.scrubbed
        left = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        for word in (b"zyzzyva", b"Quendolyn", b"quendolyn", b"Vfarr"):
            assert word not in left, word
        admin.rebuild()
        assert kin.memories.search("zyzzyvas", speaker=TOM) == []


def test_the_sentences_of_chats_are_read_well_enough() -> None:
    ended = subprocess.run(
        [sys.executable, "benchmarks/quality/extraction.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    figures = re.findall(r"precision ([\d.]+), recall ([\d.]+)", ended.stdout)
    assert len(figures) == 2, ended.stderr
    for precision, recall in figures:
        assert float(precision) >= 0.9
        assert float(recall) >= 0.6
