"""The command line with the toy paper registered: for tests that need a process of their own."""

from pathlib import Path

import lemmata.papers
from lemmata.cli import main

TOY = str(Path(__file__).parent / "toy_papers")

if __name__ == "__main__":
    lemmata.papers.__path__.append(TOY)
    main()
