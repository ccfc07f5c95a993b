"""Accounts: who uses this installation, by which nametag, through which agents."""
