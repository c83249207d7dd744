"""Where a printed formula and the right one differ is marked, and the marked form still compiles."""

import pytest

from lemmata.core.registry import papers
from lemmata.report.tex_diff import marked

RED, BLUE = r"\textcolor{misprint}", r"\textcolor{mended}"


@pytest.mark.parametrize(
    ("printed", "corrected", "first", "second"),
    [
        ("$x + 3y$", "$x + 2y$", f"$x + {RED}{{3}}y$", f"$x + {BLUE}{{2}}y$"),
        (
            r"$y = a^2 + \frac12$",
            r"$y = a^3 + \frac12$",
            rf"$y = {RED}{{a^2}} + \frac12$",
            rf"$y = {BLUE}{{a^3}} + \frac12$",
        ),
        (
            r"$b + \frac{1}{2} c$",
            r"$b + \frac{1}{3} c$",
            rf"$b + {RED}{{\frac{{1}}{{2}}}} c$",
            rf"$b + {BLUE}{{\frac{{1}}{{3}}}} c$",
        ),
        ("$a = b$ for $i$", "$a = b$ for $j$", f"$a = b$ for ${RED}{{i}}$", f"$a = b$ for ${BLUE}{{j}}$"),
        ("nothing alike", "$x$", "nothing alike", "$x$"),
    ],
)
def test_what_one_form_has_alone_is_coloured(printed: str, corrected: str, first: str, second: str) -> None:
    assert marked(printed, corrected) == (first, second)


@pytest.mark.parametrize("paper", [id for id, one in papers().items() if one.package.startswith("lemmata.")])
def test_marks_add_nothing_and_close_what_they_open(paper: str) -> None:
    from lemmata.core.registry import experiments

    corrections = [claim.correction for one in experiments(paper).values() for claim in one.claims if claim.correction]
    for one in corrections:
        for plain, text in zip(
            (one.printed, one.corrected), marked(one.printed, one.corrected, "⟦%s⟨%s⟩⟧"), strict=True
        ):
            assert text.replace("⟦misprint⟨", "").replace("⟦mended⟨", "").replace("⟩⟧", "") == plain
            for piece in text.split("⟦")[1:]:
                inside = piece.split("⟨", 1)[1].split("⟩⟧")[0]
                assert inside.count("{") == inside.count("}")
                assert inside.count(r"\left") - inside.count(r"\leftarrow") == inside.count(r"\right") - inside.count(
                    r"\rightarrow"
                )
                assert "$" not in inside
