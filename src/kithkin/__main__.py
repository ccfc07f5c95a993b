"""`python -m kithkin`."""

from kithkin.cli.start import main

main()
