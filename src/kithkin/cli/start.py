"""Where the `kithkin` command starts: help and version are printed before click is loaded."""

import sys


def main() -> None:
    """Run the command line and exit."""
    asked = sys.argv[1:]
    if asked in ([], ["--help"], ["-h"]):
        from kithkin.cli.help_text import HELP

        sys.stdout.write(HELP)
    elif asked == ["--version"]:
        from kithkin.version import __version__

        sys.stdout.write(f"kithkin {__version__}\n")
    else:
        from kithkin.cli.root import run

        sys.exit(run(asked))
