"""Theorem 2's value matrix: what phase 1 writes on the embedding of the previous token."""

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, Runs, Seeds, near
from lemmata.papers.association.claims._descents import Descent, descent_run
from lemmata.papers.association.claims._source import SOURCE
from lemmata.report.plots import COLOURS, band, legend, long_table, new_figure

ENTRIES = {"diagonal, k ≠ q": ("diagonal", "blue"), "noise row": ("noise_row", "vermillion")}  # columns and colours


def ratio(descent: Descent, record: int, column: str) -> Seeds:
    """An entry of W_V on W̃_E over the same on W_E."""
    return Seeds(descent.at(record, f"{column}_previous") / descent.at(record, column))


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure()
    run, table = runs["descent"], {}
    for label, (column, colour) in ENTRIES.items():
        steps, on_token = run.curve(column)
        _, on_previous = run.curve(f"{column}_previous")
        later = steps > 0
        ratios = on_previous[:, later] / on_token[:, later]
        table[label] = steps[later], ratios
        band(ax, steps[later], ratios, label, color=COLOURS[colour])
    ax.axvline(Descent(run).learned(), color="grey", ls=":", lw=1)
    ax.set(xlabel="step", title="W_V on W̃_E over W_V on W_E", ylim=(-0.1, 1.2))
    legend(ax)
    caption = "The noise is learned at the dotted line; phase 1 has by then written on W̃_E what it wrote on W_E."
    return Artefact(figure, long_table(table), caption)


EXPERIMENT = Experiment(
    title="Theorem 2 in training: what is left in W_V",
    runs=lambda scale: {"descent": descent_run(scale)},
    claims=(
        Claim(
            id="thm-2-values",
            locus="Appendix F, phase 1 and equation (26)",
            uses=("lemma-d.1", "eq-23", "eq-25"),
            statement=r"In phase 1 the impact of $\widetilde W_E(z_{t-1})$ on $W_V$ is negligible beside that of "
            r"$W_E(z_t)$, so that (26) holds with $\beta_2 < \beta_1$. Measured, when the noise has been learned, are "
            r"$W_V$'s diagonal and its noise row on $\widetilde W_E$, each over the same on $W_E$.",
            subject=lambda runs: (Descent(runs["descent"]), Descent(runs["descent"]).learned()),
            wrong=lambda runs: (Descent(runs["descent"]), -1),  # after training, when attention has told the two apart
            parts={
                name: Part(
                    lambda read, column=column: ratio(read[0], read[1], column),
                    near(0.0, atol=0.05, over_seeds=True),
                    corrected=1.0,
                )
                for name, (column, _) in ENTRIES.items()
            },
            correction=Correction(
                severity="step of a proof",
                printed=r"$\beta_1 = \eta(t_1 + t_2)/N^2$, $\beta_2 = \eta t_2/N^2$; no noise row on $\widetilde W_E$",
                corrected=r"$W_U(j)^\top W_V \widetilde W_E(k) = W_U(j)^\top W_V W_E(k)$ up to terms of relative order "
                r"$N/T$, hence $\beta_1 = \beta_2$, and the same noise row on both",
                reason=r"The same slip as Theorem 1's factor 2: under uniform attention $W_V$'s gradient sees the mean "
                r"of $x_t$, in which $\widetilde W_E(k)$ has the weight of $W_E(k)$. That $z_{T-1}$ is nearly uniform "
                r"matters for $W_F$ alone.",
                root="thm-1",
                survives=r"The orders in $N$ of $W_V$'s entries on $W_E$, and $W_F$'s part of phase 1.",
                source=f"{SOURCE}; said in words, so no sign is in question",
            ),
        ),
    ),
    draw=draw,
)
