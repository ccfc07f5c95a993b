"""Contacts, accounts, questions and what leaves: look-up rows, queues and the vault."""

from kithkin.db import ddl

revision = "0004"
down_revision = "0003"

TABLES = [
    # The address rows again, now with real references: a table cannot be given them later. Indexes
    # come before rows: PostgreSQL makes none while references wait to be checked.
    "ALTER TABLE address RENAME TO address_old",
    "DROP INDEX address_person",
    """
    CREATE TABLE address (
        type TEXT NOT NULL,
        value TEXT NOT NULL,
        contact TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        person TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        PRIMARY KEY (type, value)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX address_person ON address (person)",
    "CREATE INDEX address_contact ON address (contact)",
    """
    INSERT INTO address (type, value, contact, person)
    SELECT type, value, contact, person FROM address_old
    """,
    "DROP TABLE address_old",
    """
    CREATE TABLE contact_lookup (
        contact TEXT PRIMARY KEY REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        person TEXT NOT NULL UNIQUE REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        standing TEXT NOT NULL,
        listed INTEGER NOT NULL,
        merged INTEGER NOT NULL,
        since TEXT NOT NULL
    )
    """,
    "CREATE INDEX contact_standing ON contact_lookup (standing, since)",
    """
    INSERT INTO contact_lookup (contact, person, standing, listed, merged, since)
    SELECT c.contact, c.person, 'settled', 1, 0, e.created_at
    FROM contact_person c JOIN entity e ON e.uuid = c.contact
    """,
    "DROP TABLE contact_person",
    """
    CREATE TABLE contact_role (
        role TEXT NOT NULL,
        contact TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        PRIMARY KEY (role, contact)
    ) WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX one_owner ON contact_role (role) WHERE role = 'owner'",
    """
    CREATE TABLE secret (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        key_id TEXT NOT NULL,
        nonce BLOB NOT NULL,
        sealed BLOB NOT NULL,
        set_at TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE account_lookup (
        account TEXT PRIMARY KEY REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        person TEXT NOT NULL UNIQUE REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED
    )
    """,
    """
    CREATE TABLE nametag (
        tag TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED
    )
    """,
    """
    CREATE TABLE account_key (
        connector TEXT NOT NULL,
        key TEXT NOT NULL,
        account TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        PRIMARY KEY (connector, key)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE agent_lookup (
        agent TEXT PRIMARY KEY REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        account TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        UNIQUE (account, name)
    )
    """,
    # An empty agent: kept for the account until an agent of its own is here.
    """
    CREATE TABLE inbox (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        agent TEXT NOT NULL,
        seq INTEGER NOT NULL,
        item TEXT NOT NULL,
        sender TEXT NOT NULL,
        posted_at TEXT NOT NULL,
        acked_at TEXT,
        UNIQUE (account, agent, seq)
    )
    """,
    "CREATE INDEX inbox_waiting ON inbox (agent, seq) WHERE acked_at IS NULL",
    "CREATE INDEX inbox_item ON inbox (item)",
    "CREATE INDEX inbox_sender ON inbox (agent, sender)",
    """
    CREATE TABLE message_seen (
        channel TEXT NOT NULL,
        chat TEXT NOT NULL,
        provider_id TEXT NOT NULL,
        sender TEXT NOT NULL,
        item TEXT NOT NULL,
        PRIMARY KEY (channel, chat, provider_id, sender)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE question_lookup (
        question TEXT PRIMARY KEY REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        dedup TEXT NOT NULL,
        audience TEXT NOT NULL,
        asked_at TEXT NOT NULL,
        expires_at TEXT,
        answered_with TEXT UNIQUE
    )
    """,
    "CREATE UNIQUE INDEX question_asked_once ON question_lookup (dedup) WHERE state = 'open'",
    "CREATE INDEX question_state ON question_lookup (state, asked_at)",
    "CREATE INDEX question_dedup ON question_lookup (dedup)",
    "CREATE INDEX question_kind ON question_lookup (kind, asked_at)",
    """
    CREATE TABLE rule_lookup (
        rule TEXT PRIMARY KEY REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        tool TEXT NOT NULL,
        active INTEGER NOT NULL
    )
    """,
    "CREATE INDEX rule_tool ON rule_lookup (tool) WHERE active = 1",
    """
    CREATE TABLE outbox (
        id TEXT PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        channel TEXT NOT NULL,
        call TEXT NOT NULL,
        targets TEXT NOT NULL,
        decision TEXT NOT NULL,
        question TEXT,
        state TEXT NOT NULL CHECK (state IN ('due', 'sent', 'failed')),
        attempts INTEGER NOT NULL,
        due_at TEXT NOT NULL,
        leased_until TEXT,
        result TEXT,
        error TEXT,
        created_at TEXT NOT NULL,
        done_at TEXT
    )
    """,
    "CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'due'",
]
NEW = (
    "outbox",
    "rule_lookup",
    "question_lookup",
    "message_seen",
    "inbox",
    "agent_lookup",
    "account_key",
    "nametag",
    "account_lookup",
    "secret",
    "contact_role",
)
BACK = [
    "DROP INDEX address_contact",
    "CREATE TABLE contact_person (person TEXT PRIMARY KEY, contact TEXT NOT NULL)",
    "INSERT INTO contact_person (person, contact) SELECT person, contact FROM contact_lookup",
]


def upgrade() -> None:
    """Make the tables; what was known of contacts stays."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take them away, with queues and secrets; look-up rows come back with a rebuild."""
    ddl.drop(NEW)
    ddl.create(BACK)
    ddl.drop(["contact_lookup"])
