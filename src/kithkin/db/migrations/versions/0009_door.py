"""Who comes in from outside: tokens, the owner's login, replies already given, webhooks."""

from alembic import op

from kithkin.db import ddl

revision = "0009"
down_revision = "0007"

TABLES = [
    """
    CREATE TABLE access_token (
        id TEXT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        prefix TEXT NOT NULL,
        agent TEXT,
        connector TEXT,
        created_at TEXT NOT NULL,
        last_used_at TEXT,
        revoked_at TEXT,
        CHECK ((agent IS NULL) <> (connector IS NULL))
    )
    """,
    """
    CREATE TABLE owner_password (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        hash TEXT NOT NULL,
        set_at TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE login_link (
        hash TEXT PRIMARY KEY,
        expires_at TEXT NOT NULL,
        used_at TEXT
    )
    """,
    """
    CREATE TABLE login_session (
        hash TEXT PRIMARY KEY,
        csrf TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL
    )
    """,
    "CREATE TABLE login_failure (at TEXT NOT NULL, origin TEXT NOT NULL)",
    "CREATE INDEX login_failure_at ON login_failure (at)",
    """
    CREATE TABLE reply (
        principal TEXT NOT NULL,
        key TEXT NOT NULL,
        request TEXT NOT NULL,
        begun_at TEXT NOT NULL,
        status INTEGER,
        headers TEXT,
        body BLOB,
        PRIMARY KEY (principal, key)
    )
    """,
    "CREATE INDEX reply_begun_at ON reply (begun_at)",
    """
    CREATE TABLE webhook (
        id TEXT PRIMARY KEY,
        url TEXT NOT NULL UNIQUE,
        types TEXT NOT NULL,
        secret TEXT NOT NULL,
        cursor INTEGER NOT NULL,
        upto INTEGER,
        created_at TEXT NOT NULL,
        due_at TEXT NOT NULL,
        leased_until TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT
    )
    """,
    """
    CREATE TABLE webhook_dead (
        id TEXT PRIMARY KEY,
        webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
        after INTEGER NOT NULL,
        upto INTEGER NOT NULL,
        error TEXT NOT NULL,
        at TEXT NOT NULL
    )
    """,
]

# On SQLite others are seen by the file's data version; a server has to say so.
POSTGRES_NOTICE = [
    """
    CREATE FUNCTION tell_of_changes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_notify('kithkin_changes', TG_TABLE_SCHEMA);
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER delta_notification_told AFTER INSERT ON delta_notification
    FOR EACH STATEMENT EXECUTE FUNCTION tell_of_changes()
    """,
]


def upgrade() -> None:
    """Make the tables."""
    ddl.create(TABLES)
    if op.get_bind().dialect.name == "postgresql":
        for statement in POSTGRES_NOTICE:
            op.execute(statement)


def downgrade() -> None:
    """Take them away, with every token, session and webhook."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER delta_notification_told ON delta_notification")
        op.execute("DROP FUNCTION tell_of_changes()")
    ddl.drop(
        (
            "webhook_dead",
            "webhook",
            "reply",
            "login_failure",
            "login_session",
            "login_link",
            "owner_password",
            "access_token",
        )
    )
