"""Secrets: sealed at rest, masked everywhere, revealed to the owner alone."""

import base64
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kithkin.api.owner import Admin
from kithkin.disclosure.explore import Wanted
from kithkin.errors import InvalidInput, KithkinError, NotFound, StorageDamaged
from kithkin.soil.content import content_of
from kithkin.soil.model import SystemEvent
from kithkin.testing import FixedClock
from tests.conftest import Place

SECRET = "hunter2-correct-horse-battery"  # noqa: S105 - the secret these tests look for


@pytest.fixture
def admin(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FixedClock
) -> Iterator[Admin]:
    monkeypatch.setenv("KITHKIN_HOME", str(tmp_path / "realm"))
    (tmp_path / "realm").mkdir(exist_ok=True)
    with Admin.open(place[0], realm=place[1], clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("key", "kind", "masked"),
    [
        ("TELEGRAM_CHAT_ID", "telegram", False),
        ("BUTLER_TELEGRAM_CHAT_ID", "telegram", False),
        ("USER_EMAIL_ADDRESS", "email", False),
        ("USER_EMAIL_PASSWORD", "email_password", True),
        ("GOOGLE_REFRESH_TOKEN", "google_oauth_refresh", True),
        ("TELEGRAM_API_HASH", "telegram_api_hash", True),
        ("TELEGRAM_API_ID", "telegram_api_id", True),
        ("TELEGRAM_USER_SESSION", "telegram_user_session", True),
        ("USER_TELEGRAM_TOKEN", "telegram_bot_token", True),
    ],
)
def test_the_owners_credentials_live_on_the_owners_contact(
    admin: Admin,
    key: str,
    kind: str,
    masked: bool,  # noqa: FBT001 - a table
) -> None:
    value = "me@x.com" if kind == "email" else "4711"
    found = admin.credentials.put(key, value)
    assert (found.kept, found.value) == ("the owner's contact", "••••••••" if masked else value)
    (_, address) = admin.owner.show().contact.addresses
    assert (address.type, address.secured) == (kind, masked)
    assert value not in str(address) or not masked
    assert admin.credentials.reveal(key) == value


def test_other_keys_live_in_the_vault_and_a_missing_one_says_what_to_do(admin: Admin) -> None:
    assert admin.credentials.put("openai_api_key", SECRET).kept == "the vault"
    assert admin.credentials.reveal("OPENAI_API_KEY") == SECRET
    with pytest.raises(NotFound, match="credentials set NO_SUCH_KEY"):
        admin.credentials.find("NO_SUCH_KEY")


def test_a_reveal_is_recorded(admin: Admin) -> None:
    admin.credentials.put("USER_EMAIL_PASSWORD", SECRET)
    owner = admin.owner.show().contact
    assert admin.contacts.reveal(owner.id, "email_password") == SECRET
    from kithkin.disclosure import explore  # noqa: PLC0415 - only here

    shown = explore.show_timeline(admin._acting.db, Wanted(type="SystemEvent"))  # noqa: SLF001 - to look
    events = [content_of(one.item) for one in shown.items]
    assert any(isinstance(e, SystemEvent) and e.event_type == "secret_revealed" for e in events)


def test_no_byte_of_the_folder_holds_a_secret(admin: Admin, tmp_path: Path) -> None:
    admin.credentials.put("USER_EMAIL_PASSWORD", SECRET)
    admin.credentials.put("OPENAI_API_KEY", SECRET)
    admin.credentials.put("OPENAI_API_KEY", SECRET + "2")
    admin.credentials.reveal("OPENAI_API_KEY")
    for file in (tmp_path / "realm").rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file.name
            assert base64.b64encode(SECRET.encode())[:20] not in file.read_bytes()
    assert (tmp_path / "realm" / "key").stat().st_mode & 0o777 == 0o600


def test_a_new_key_seals_everything_again_and_the_old_one_goes(
    admin: Admin, tmp_path: Path
) -> None:
    admin.credentials.put("A_KEY", SECRET)
    file = tmp_path / "realm" / "key"
    old = file.read_text()
    assert admin.credentials.rotate() == 1
    assert old.strip() not in file.read_text()
    assert admin.credentials.reveal("A_KEY") == SECRET
    file.write_text(old)
    with pytest.raises(NotFound, match="bring back the file"):
        admin.credentials.reveal("A_KEY")


def test_a_crash_while_rotating_leaves_every_secret_readable(
    admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.credentials.put("A_KEY", SECRET)

    def die(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("kithkin.contacts.vault.seal_again", die)
        admin.credentials.rotate()
    assert len((tmp_path / "realm" / "key").read_text().split()) == 2
    assert admin.credentials.reveal("A_KEY") == SECRET
    assert admin.credentials.rotate() == 1
    assert len((tmp_path / "realm" / "key").read_text().split()) == 1


def test_the_key_may_come_from_the_environment(
    admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
    monkeypatch.setenv("KITHKIN_KEY", first)
    admin.credentials.put("A_KEY", SECRET)
    assert not (tmp_path / "realm" / "key").exists()
    monkeypatch.setenv("KITHKIN_KEY", f"{first},{second}")
    assert admin.credentials.rotate() == 1
    monkeypatch.setenv("KITHKIN_KEY", second)
    assert admin.credentials.reveal("A_KEY") == SECRET
    monkeypatch.setenv("KITHKIN_KEY", "too short")
    with pytest.raises(InvalidInput, match="32 bytes"):
        admin.credentials.put("B_KEY", "x")


def test_an_altered_secret_is_noticed(admin: Admin) -> None:
    admin.credentials.put("A_KEY", SECRET)
    with admin._acting.db.transaction() as tx:  # noqa: SLF001 - to tamper
        tx.execute("UPDATE secret SET id = 'secret_other'", {})
    with pytest.raises(StorageDamaged, match="altered"):
        admin.credentials.reveal("A_KEY")


def test_a_file_of_old_keys_is_taken_in(admin: Admin, tmp_path: Path) -> None:
    file = tmp_path / "old.env"
    file.write_text(
        "# old keys\nexport BUTLER_TELEGRAM_CHAT_ID=4711\n"
        f"USER_EMAIL_PASSWORD='{SECRET}'\nOPENAI_API_KEY={SECRET}\n\n"
    )
    found = admin.credentials.import_file(file)
    assert [(one.key, one.kept) for one in found] == [
        ("BUTLER_TELEGRAM_CHAT_ID", "the owner's contact"),
        ("USER_EMAIL_PASSWORD", "the owner's contact"),
        ("OPENAI_API_KEY", "the vault"),
    ]
    assert admin.credentials.reveal("USER_EMAIL_PASSWORD") == SECRET
    file.write_text(f"{SECRET}\n")
    with pytest.raises(InvalidInput, match="Line 1") as refused:
        admin.credentials.import_file(file)
    assert SECRET not in str(refused.value)


def test_no_error_and_no_representation_tells_a_secret(admin: Admin) -> None:
    admin.credentials.put("A_KEY", SECRET)
    told = [repr(admin.credentials.list()), repr(admin.credentials.find("A_KEY"))]
    try:
        admin.credentials.put("not a key!", SECRET)
    except KithkinError as error:
        told.append(repr(error))
    assert len(told) == 3
    assert not any(SECRET in text for text in told)


def test_a_secret_goes_with_its_address(admin: Admin) -> None:
    admin.credentials.put("USER_EMAIL_PASSWORD", SECRET)
    owner = admin.owner.show().contact
    admin.contacts.remove_address(owner.id, "email_password", "")
    assert admin.credentials.list() == []
    assert [one.key for one in admin.owner.show().contact.addresses] == ["account:owner"]


def test_without_a_key_on_a_server_the_vault_says_what_to_set() -> None:
    script = (
        "from kithkin.contacts.vault_keys import Keyring\n"
        "try: Keyring(None).current()\nexcept Exception as e: print(e)\n"
    )
    environment = {name: v for name, v in os.environ.items() if name != "KITHKIN_KEY"}
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert "KITHKIN_KEY" in said.stdout
