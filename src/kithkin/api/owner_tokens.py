"""The owner's facade of tokens: which programs come in from outside."""

from kithkin.accounts.model import Kind
from kithkin.api.acting import Acting
from kithkin.auth import login
from kithkin.auth.model import NewToken, Token
from kithkin.errors import InvalidInput


class Tokens:
    """By what agents and connectors come in. A secret is shown once and kept nowhere."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def create(
        self,
        *,
        account: str | None = None,
        agent: str = "main",
        kind: Kind = "frontend",
        persona: str | None = None,
        connector: str | None = None,
    ) -> NewToken:
        """A token for an account's agent, made if it is not there, or for a connector.

        Without either it is for an agent of the owner's own.
        """
        acting = self._acting
        if account is not None and connector is not None:
            raise InvalidInput("A token is an account's or a connector's: give one of the two.")
        if connector is not None:
            return login.token_for_connector(
                acting.db, connector, config=acting.config, by=acting.by()
            )
        return login.token_for_agent(
            acting.db,
            acting.account.nametag if account is None else account,
            name=agent,
            kind=kind,
            persona=persona,
            by=acting.by(),
        )

    def list(self) -> list[Token]:
        """Every token, oldest first, revoked ones too."""
        return login.all_tokens(self._acting.db)

    def revoke(self, token: str) -> Token:
        """Let a token open nothing any more, from this moment on."""
        return login.revoke_token(self._acting.db, token, by=self._acting.by())
