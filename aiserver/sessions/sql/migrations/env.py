"""Alembic's environment: runs the migrations on the given connection, in its transaction."""

from alembic import context

from aiserver.sessions.sql.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
