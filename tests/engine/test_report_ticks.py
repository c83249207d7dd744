"""Powers of ten at the ticks are plain text, and say what the formula said."""

import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatterSciNotation

from lemmata.report.ticks import PlainPowers, plain_power, with_plain_powers


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        (r"$\mathdefault{10^{-3}}$", "10⁻³"),
        (r"$\mathdefault{2\times10^{12}}$", "2×10¹²"),
        (r"$\mathdefault{-10^{0}}$", "−10⁰"),
        (r"$\mathdefault{2^{5}}$", "2⁵"),
        ("", ""),
        ("1/2", "1/2"),
    ],
)
def test_a_power_as_text(formula: str, plain: str) -> None:
    assert plain_power(formula) == plain


def test_only_default_ticks_change() -> None:
    figure = Figure()
    ax = figure.subplots()
    ax.loglog([1e-3, 1e5], [2, 5])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    kept = ax.yaxis.get_major_formatter()
    assert type(ax.xaxis.get_major_formatter()) is LogFormatterSciNotation
    with_plain_powers(figure)
    assert type(ax.xaxis.get_major_formatter()) is PlainPowers
    assert ax.yaxis.get_major_formatter() is kept
    figure.draw_without_rendering()
    words = [label.get_text() for label in ax.get_xticklabels() if label.get_text()]
    assert "10⁻³" in words
    assert not any("$" in word for word in words)
    minor = [label.get_text() for label in ax.get_yticklabels(minor=True)]
    assert {"2×10⁰", "5×10⁰"} <= set(minor)
    assert "3×10⁰" not in minor, "all nine would run into each other"


def test_powers_keep_their_base() -> None:
    figure = Figure()
    ax = figure.subplots()
    ax.plot([1, 64], [1, 2])
    ax.set_xscale("log", base=2)
    with_plain_powers(figure)
    figure.draw_without_rendering()
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert "2⁴" in words
    assert not any(word.startswith("10") for word in words)
