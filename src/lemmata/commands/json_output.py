"""What a command prints for scripts."""

import json
from typing import Any


def print_json(data: Any, code: int = 0) -> int:
    """On standard output; `code` is the command's exit code."""
    print(json.dumps(data, indent=1))
    return code
