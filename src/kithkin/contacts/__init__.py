"""Contacts: the address-book side of a person, and the only map from a speaker to a person."""
