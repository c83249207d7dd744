"""Where two forms of a formula differ: what one of them has alone is marked in it, as LaTeX that still compiles."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

TOKENS = re.compile(r"\$|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|[A-Za-z]+|.", re.DOTALL)
LETTERS = re.compile(r"\$|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)  # in mathematics a word is a product
PAIRED = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"))
TAKES = re.compile(
    r"\\(?:[dt]?frac|sqrt|text\w*|math\w+|operatorname|hat|tilde|bar|left|right|big\w*|begin|end)|[\^_&]|\\\\"
)

ALIKE = 0.6  # the share of their units that two forms have in common


def marked(printed: str, corrected: str, mark: str = r"\textcolor{%s}{%s}") -> tuple[str, str]:
    """Both forms, what is not in the other one in a colour: `misprint` in the first, `mended` in the second. Two that
    have little in common stay as they are."""
    one, other = _tokens(printed), _tokens(corrected)
    left, right = list[str](), list[str]()
    compared = SequenceMatcher(None, one, other, autojunk=False)
    words = "".join(part for text in (printed, corrected) for part in text.split("$")[::2])
    if compared.ratio() < ALIKE or "{" in words or "}" in words:  # a colour's own braces would not be told apart
        return printed, corrected
    for kind, a, b, c, d in compared.get_opcodes():
        same = kind == "equal"
        left += one[a:b] if same else _coloured(one[a:b], mark, "misprint")
        right += other[c:d] if same else _coloured(other[c:d], mark, "mended")
    return "".join(left), "".join(right)


def _tokens(text: str) -> list[str]:
    """Units that can stand alone: a script with its sign, a command with its arguments, else a sign, number or word."""
    found = list[str]()
    for i, part in enumerate(text.split("$")):
        found += ["$"] if i else []
        found += list(_units(LETTERS.findall(part))) if i % 2 else TOKENS.findall(part)
    return found


def _units(tokens: Sequence[str]) -> Iterator[str]:
    """Of mathematics: whatever needs what follows it stays with it."""
    depth, unit = 0, ""
    for i, token in enumerate(tokens):
        depth += any(token == opens for opens, _ in PAIRED) - any(token == closes for _, closes in PAIRED)
        unit += token
        following = next((one for one in tokens[i + 1 :] if not one.isspace()), "")
        if depth == 0 and following not in ("^", "_", "{") and not TAKES.fullmatch(token) and not _lacks(unit):
            yield unit
            unit = ""
    if unit:
        yield unit


def _lacks(unit: str) -> bool:
    """A fraction or a root whose arguments stand without braces, as in \\frac12."""
    wanted = re.match(r"\\([dt]?frac|sqrt)", unit)
    if not wanted:
        return False
    rest, count = unit[wanted.end() :].lstrip(), 0
    while rest:
        end = _closing(rest) if rest[0] == "{" else 1
        rest, count = rest[end:].lstrip(), count + 1
    return count < (1 if wanted[1] == "sqrt" else 2)


def _closing(text: str) -> int:
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return i + 1
    return len(text)


def _coloured(tokens: Sequence[str], mark: str, colour: str) -> list[str]:
    """In pieces, for a colour may not reach across a dollar."""
    pieces, run = list[str](), ""
    for token in (*tokens, "$"):
        if token == "$":
            pieces += [mark % (colour, run) if run.strip() else run]
            run = ""
            pieces.append(token)
        else:
            run += token
    return pieces[:-1]
