"""Mathematics in sentences: in the terminal, on pages, and a typo in any claim is found."""

import pytest

from lemmata.core import Correction
from lemmata.core.registry import experiments, papers
from lemmata.record import Record
from lemmata.report.errata import errata_latex
from lemmata.report.markup import code_or_tex, inline
from lemmata.report.tex import TexError, check_tex, formula, to_unicode
from lemmata.report.values import shorten
from lemmata.testing.words import tex_problems

READ = {
    r"\frac{a}{b}": "a/b",
    r"\frac{a+b}{2T}": "(a+b)/(2T)",
    r"\log\frac{4}{3(1-\alpha)}": "log(4/(3(1−α)))",
    r"\frac{(1-\alpha)^2}{N^2}\left[\alpha\beta_1 - \beta_2\right]": "((1−α)²/N²)[αβ₁ − β₂]",
    r"\tfrac12 - x": "½ − x",
    r"\sum_{i=1}^{n} x_i^2 \le 1": "∑ᵢ₌₁ⁿ xᵢ² ≤ 1",
    r"\xi_{q\to j}": "ξ_(q→j)",
    r"W_E x": "W_E x",
    r"\lambda_{\max}": "λ_max",
    r"\hat\alpha, \tilde{x}, \bar y": "α̂, x̃, ȳ",
    r"\mathbb{E}_{x\sim\mathcal{D}}": "𝔼_(x∼𝒟)",
    r"W \in \mathbb{R}^{d \times d}": "W ∈ ℝ^(d×d)",
    r"\operatorname{softmax}(Wx)": "softmax(Wx)",
    r"\sqrt T \cdot \sqrt{n+1}": "√T · √(n+1)",
    r"\lfloor n/2 \rfloor": "⌊n/2⌋",
    r"|-x| = |x|": "|−x| = |x|",
    r"e^{-1/(2T)}": "e^(−1/(2T))",
    r"10^{-3}": "10⁻³",
    r"\frac{\partial L}{\partial v_1} = -x'": "∂L/∂v₁ = −x′",
    r"x \text{ for all } i": "x for all i",
}


@pytest.mark.parametrize("source", READ)
def test_a_formula_in_unicode(source: str) -> None:
    assert formula(source) == READ[source]


@pytest.mark.parametrize("source", [r"\alhpa", r"\frac{a}", "{a", "x^"])
def test_what_is_not_known_is_named(source: str) -> None:
    with pytest.raises(TexError) as checked:
        to_unicode(f"It says ${source}$.")
    assert source in str(checked.value)


def test_words_code_and_money_stay_as_they_are() -> None:
    assert to_unicode(r"For $\alpha \le 1/2$, `$LEMMATA_STORE` and \$5.") == "For α ≤ 1/2, `$LEMMATA_STORE` and $5."
    assert to_unicode("between $A and $B") == "between $A and $B"
    with pytest.raises(TexError, match="a dollar"):
        check_tex("between $A and $B")


def test_a_page_holds_source_and_unicode() -> None:
    assert inline(r"If $\alpha<1$.") == 'If <span class="tex" data-tex="\\alpha&lt;1">α &lt; 1</span>.'
    assert code_or_tex("a != b") == "<code>a != b</code>"
    assert shorten(r"$\alpha \le 1/2$ " + "word " * 50, 30).startswith("α ≤ 1/2 word")


def test_latex_keeps_mathematics() -> None:
    slip = Correction(severity="constant", printed="$a_1$", corrected="a_2")
    record = Record(id="p/x", statement=r"50% of $x_1$.", correction=slip)
    text = errata_latex(next(iter(papers().values())), [record])
    assert r"50\% of $x_1$." in text
    assert r"\item[printed] $a_1$" in text
    assert r"a\_2" in text


@pytest.mark.parametrize("paper", sorted(papers()))
def test_every_formula_of_a_claim_can_be_read(paper: str) -> None:
    assert not [problem for experiment in experiments(paper).values() for problem in tex_problems(experiment)]
