"""One table of verbs for agents, one for the owner: every surface is made from them."""
