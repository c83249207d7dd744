r"""Mathematics in sentences: `$\xi_{q\to j} \le 1/2$`, inline TeX between dollars, as Unicode.

A part of what KaTeX knows is read; what is not known is an error that names it. Code in backticks holds no mathematics,
nor does a dollar that a space follows.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from lemmata.report.tex_signs import ACCENTS, ALPHABETS, LOWERED, RAISED, SIGNS, UPRIGHT, VULGAR, Atom

PIECE = re.compile(r"`([^`\n]+)`|(?<![\\$])\$(?=[^\s$])([^$`]*[^\s$\\`])\$(?![\d$])")
TOKEN = re.compile(r":=|\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
OPERANDS = {"letter", "close", "frac"}
FOLLOWING = {"letter", "frac", "open", "name", "slash"}
CHAIN = {"binary", "relation", "punct", "frac", "slash"}


class TexError(ValueError):
    """Mathematics in a text that cannot be read."""


def pieces(text: str) -> Iterator[tuple[Literal["text", "code", "tex"], str]]:
    """Plain text, code (without its backticks) and formulas (without their dollars), in order."""
    end = 0
    for found in PIECE.finditer(text):
        if found.start() > end:
            yield "text", text[end : found.start()]
        yield ("code", found[1]) if found[1] else ("tex", found[2])
        end = found.end()
    if end < len(text):
        yield "text", text[end:]


def to_unicode(text: str) -> str:
    """The text with its formulas in Unicode; all else as it is."""
    if "$" not in text:
        return text
    said = {"text": lambda piece: piece.replace(r"\$", "$"), "code": "`{}`".format, "tex": formula}
    return "".join(said[kind](piece) for kind, piece in pieces(text))


def check_tex(text: str) -> None:
    """Raises what is wrong with the mathematics of a text that people wrote: a dollar alone is wrong there too."""
    to_unicode(text)
    for kind, piece in pieces(text):
        if kind == "text" and re.search(r"(?<!\\)\$", piece):
            raise TexError(f"a dollar that opens or closes no formula in {text!r}")


@cache
def formula(source: str) -> str:
    """One formula, without its dollars."""
    rest = TOKEN.findall(source)[::-1]
    try:
        return _join(_sequence(rest))
    except TexError as error:
        raise TexError(f"{error} in ${source}$") from None


def _sequence(rest: list[str], until: str = "") -> list[Atom]:
    """The atoms up to a closing token; `rest` is what is still to be read, backwards."""
    found: list[Atom] = []
    while rest:
        token = rest.pop()
        if token == until:
            return found
        if token in ("^", "_", "'"):
            kind, base = found.pop() if found else ("letter", "")
            script = "′" if token == "'" else _script(token, _argument(rest, token))
            found.append(("letter" if kind == "frac" else kind, (f"({base})" if kind == "frac" else base) + script))
        elif token in ("|", r"\|"):
            opened = sum(atom[1] in "|‖" for atom in found) % 2
            found.append(("close" if opened else "open", "|" if token == "|" else "‖"))
        elif not token.isspace():
            found.append(_one(token, rest))
    if until:
        raise TexError(f"a group without its {until!r}")
    return found


def _argument(rest: list[str], of: str) -> list[Atom]:
    while rest and rest[-1].isspace():
        rest.pop()
    if not rest:
        raise TexError(f"nothing after {of!r}")
    token = rest.pop()
    return _sequence(rest, "}") if token == "{" else [_one(token, rest)]


def _one(token: str, rest: list[str]) -> Atom:
    name = token[1:]
    if token in SIGNS:
        return SIGNS[token]
    if token == "{":
        group = _sequence(rest, "}")
        return group[0] if len(group) == 1 and group[0][0] != "binary" else ("letter", _compact(group))
    if not token.startswith("\\"):
        if token in "}&#%^_":
            raise TexError(f"{token!r} where no formula goes on")
        return "letter", token
    if name in ("frac", "tfrac", "dfrac"):
        above, below = _argument(rest, token), _argument(rest, token)
        plain = f"{_compact(above)}/{_compact(below)}"
        if plain in VULGAR:
            return "letter", VULGAR[plain]
        return "frac", f"{_bracketed(above, _is_chain(above))}/{_bracketed(below, not _is_atom(below))}"
    if name == "sqrt":
        degree = _sequence(rest, "]") if _skip(rest, "[") else []
        under = _argument(rest, token)
        return "letter", f"{_script('^', degree) if degree else ''}√{_bracketed(under, not _is_atom(under))}"
    if name == "binom":
        return "letter", f"({_compact(_argument(rest, token))} choose {_compact(_argument(rest, token))})"
    if name in ACCENTS:
        base = _compact(_argument(rest, token))
        marked = "".join(sign + (ACCENTS[name] if sign.isalnum() else "") for sign in base)
        return "letter", unicodedata.normalize("NFC", marked)
    if name in ALPHABETS:
        return "letter", "".join(_in_alphabet(ALPHABETS[name], sign) for sign in _compact(_argument(rest, token)))
    if name in UPRIGHT or name == "operatorname":
        _skip(rest, "*")
        kind = "name" if name == "operatorname" else "text" if name.startswith("text") else "letter"
        return kind, _words(rest, token)
    raise TexError(f"{token} is not known")


def _words(rest: list[str], of: str) -> str:
    """The argument as it stands where it is words, else as mathematics."""
    if rest and rest[-1] == "{" and "}" in rest:
        said = rest[: len(rest) - 1][::-1]
        words = said[: said.index("}")]
        if not any(token[0] in "\\{^_" for token in words):
            del rest[-len(words) - 2 :]
            return "".join(words)
    return _compact(_argument(rest, of))


def _skip(rest: list[str], token: str) -> bool:
    if rest and rest[-1] == token:
        rest.pop()
        return True
    return False


def _in_alphabet(alphabet: str, sign: str) -> str:
    """ℝ and ℒ were there before the alphabets that now hold the others."""
    if not (sign.isascii() and sign.isalnum()):
        return sign
    name = unicodedata.name(sign).replace("LATIN ", "").replace(" LETTER", "")
    for wanted in (f"{alphabet} {name}", f"MATHEMATICAL {alphabet} {name}"):
        try:
            return unicodedata.lookup(wanted)
        except KeyError:
            continue
    return sign


def _script(sign: str, atoms: list[Atom]) -> str:
    """In raised or lowered letters where there are such; words stay words."""
    table, text = RAISED if sign == "^" else LOWERED, _compact(atoms)
    if all(one in table for one in text) and (len(atoms) > 1 or len(text) == 1):
        return "".join(table[one] for one in text)
    return f"{sign}{text}" if len(text) == 1 or text.isalpha() else f"{sign}({text})"


def _bracketed(atoms: list[Atom], needed: bool) -> str:
    return f"({_compact(atoms)})" if needed else _compact(atoms)


def _top_level(atoms: list[Atom]) -> Iterator[tuple[int, Atom]]:
    depth = 0
    for i, atom in enumerate(atoms):
        depth -= atom[0] == "close"
        if not depth:
            yield i, atom
        depth += atom[0] == "open"


def _is_chain(atoms: list[Atom]) -> bool:
    """Whether a bar would keep it together: a sum, a fraction, a list."""
    return any((i and kind in CHAIN) or kind == "frac" for i, (kind, _) in _top_level(atoms))


def _is_atom(atoms: list[Atom]) -> bool:
    """One letter, one number, one pair of brackets or one function of what stands in brackets."""
    said = [(i, atom) for i, atom in _top_level(atoms) if atom[0] not in ("size", "space")]
    kinds = [kind for _, (kind, _) in said]
    first = said[0][1][1] if said else ""
    if all(text.isdecimal() for _, (_, text) in said) or (first == "∂" and kinds == ["letter", "letter"]):
        return True
    if first.isdecimal():
        return len(said) == 1
    return kinds in (["letter"], ["text"], ["open", "close"], ["name", "open", "close"], ["letter", "open", "close"])


def _compact(atoms: list[Atom]) -> str:
    return _join(atoms, compact=True)


def _join(atoms: list[Atom], *, compact: bool = False) -> str:
    atoms = [atom for atom in atoms if atom[0] != "size"]
    said, before = "", ""
    for i, (kind, text) in enumerate(atoms):
        after = next((other for other, _ in atoms[i + 1 :] if other != "space"), "")
        if kind == "frac" and (before in {*OPERANDS, "name", "slash"} or after in FOLLOWING):
            kind, text = "letter", f"({text})"
        sided = kind == "relation" or (kind == "binary" and before in OPERANDS | {"text", "space"})
        if sided and not compact:
            text = f" {text} "
        elif kind == "punct" and not compact:
            text += " "
        elif _apart(before, said, kind, text):
            text = f" {text}"
        said += text.lstrip() if said.endswith(" ") else text
        before = kind
    return said.strip()


def _apart(before: str, said: str, kind: str, text: str) -> bool:
    """Whether two neighbours would read as one: `log x`, `W_E x`."""
    if before == "name":
        return kind == "name" or (kind == "letter" and not text.startswith("("))
    if kind == "name":
        return before in OPERANDS
    return bool(kind == "letter" and text[:1].isalnum() and re.search(r"[_^][^\W_]+$", said))
