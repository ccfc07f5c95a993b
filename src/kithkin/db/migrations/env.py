"""How Alembic runs here: on the connection it is given, in the transaction already open."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
