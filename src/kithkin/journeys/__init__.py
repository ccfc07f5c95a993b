"""Journeys: each opens one transaction and joins the domains for one thing a user wants."""
