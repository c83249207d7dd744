"""How many of something, in words that agree with the number."""


def pluralize(count: int, one: str, several: str = "") -> str:
    """`1 claim`, `2 claims`; `several` where more than an s is needed: `pluralize(n, "claim is", "claims are")`."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"
