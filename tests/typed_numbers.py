"""Measured numbers that somebody typed into prose, in digits or in words: they go stale, references do not.

Not meant: places in a paper (Theorem 4.2), settings (`N = 16`), versions, dates, what stands in code, mathematics,
tables, generated blocks and references.
"""

import re
from collections.abc import Iterator

BLANK = [
    r"<!-- (?P<block>[\w-]+): generated -->.*?<!-- (?P=block): end -->",
    r"```.*?```",
    r"<!--.*?-->",
    r"^(?: {4}|\t).*?$",
    r"^\|.*?$",
    r"`(?:[^`\n]|\n(?!\n))*`",
    r"(?<!\\)\$[^$\n]+\$",
    r"\[[^\]\n]*\]\([^()\s]*\s+\"\{[^\"]*\}\"\)",
    r"(?<=\])\([^()\s]*\)",
    r"https?://\S+",
]
PLACES = (
    "Theorem|Lemma|Corollary|Proposition|Definition|Assumption|Remark|Observation|Fact|Claim|Section|Appendix|Figure|Fig|"
    "Table|Equation|Eq|Algorithm|Example|Chapter|Page|Step|Phase|Stage|Version|Python|CUDA|lemmata|line"
)
PLACE = r"\(?[A-Z]?\.?\d[\w.]*\)?"
NUMBER = r"\d+(?:[.,]\d+)*"
VALUE = rf"[−-]?(?:{NUMBER}|\.\d+)(?:·10[⁰¹²³⁴-⁹⁻]+)?"
NOT_MEANT = [
    rf"\b(?i:{PLACES})(?:s|es|ices)?\.?\s+{PLACE}(?:(?:,| and|,? or| to|–|-)\s*{PLACE})*",
    r"§\s*[\d.]+",
    r"\b[A-Z]\.\d+(?:\.\d+)*(?:'s)?\b",
    r"\barXiv[: ]\S+",
    rf"[=≤≥<>∈~≈]\s*{VALUE}(?:(?:,| and| or| to|–|-)\s*{VALUE})*",
    r"\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b",
    r"\bv?\d+\.\d+\.\d+\S*",
    r"\b9\d(?:\.\d+)?\s?% (?:interval|confidence)",
]
WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|sixteen|twenty|thirty|forty|fifty|hundred"
COUNT = rf"(?:{NUMBER}|\.\d+|{WORDS}|a thousand|a hundred)"
UNIT = r"(?:ms|s|min|minutes?|seconds?|hours?|h|[kMG]i?B)"
MEASURED = [
    r"(?<![\w.,/-])[−+±]?\d*\.\d+(?:e[−-]?\d+)?(?![\w.]*\w)",
    rf"(?:{COUNT})\s?(?:%|percent\b|per cent\b)",
    rf"\b{COUNT}[ -](?:times|fold)\b",
    rf"\b(?:{WORDS})fold\b|\d[x×](?=\s+[a-z][a-z-]{{2}})",
    r"\b(?:twice|thrice|half) as\b",
    r"\ba (?:third|quarter|fifth|sixth|tenth|twentieth|fortieth|hundredth|thousandth) (?:of|as|the)\b",
    rf"\b{COUNT} (?:out )?of (?:the |its |all )?{COUNT}\b",
    rf"\b{NUMBER}\s{UNIT}\b",
    rf"(?i:\b(?:about|roughly|nearly|almost|around|only)) {COUNT}\b",
    rf"\b{COUNT} (?:steps|epochs|points|standard errors) (?:before|after|later|earlier|ahead|apart)",
    rf"\b{COUNT} orders of magnitude",
    r"10\^?[⁻−-][\d⁰¹²³⁴-⁹]+|10⁻[⁰¹²³⁴-⁹]+",
]
_BLANK = re.compile("|".join(f"(?:{one})" for one in BLANK), re.DOTALL | re.MULTILINE)
_NOT_MEANT = re.compile("|".join(NOT_MEANT))
_MEASURED = re.compile("|".join(f"(?:{one})" for one in MEASURED))


def typed_numbers(markdown: str) -> list[tuple[int, str]]:
    """The line and the words of every number that looks measured."""
    prose = _NOT_MEANT.sub(_blank, _BLANK.sub(_blank, markdown))
    return list(_found(prose))


def _found(prose: str) -> Iterator[tuple[int, str]]:
    for found in _MEASURED.finditer(prose):
        yield prose.count("\n", 0, found.start()) + 1, " ".join(found[0].split())


def _blank(found: re.Match[str]) -> str:
    """As many lines of nothing."""
    return re.sub(r"[^\n]", " ", found[0])
