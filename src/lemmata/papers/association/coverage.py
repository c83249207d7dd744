"""What the paper states, in its own order, and which claims judge it."""

from lemmata.record import Stated

WEIGHTS = "Needs the paper's models: without their weights it is listed as not run, with the command that takes them."
OURS = "Claims of ours, beyond the paper; by default on a small model with weights of 4 bits."

COVERAGE = (
    Stated("Figure 1", why="An illustration."),
    Stated("Section 2.2, truncation to a fraction of the rank", why="A definition: `model/truncate.py`."),
    Stated("Table 1", claims=("tab-1", "tab-1-full"), why=WEIGHTS),
    Stated(
        "Section 2.2, truncation lets the answer through, in other models",
        claims=(
            *("truncation-ioi", "truncation-ioi-dropped", "truncation-ioi-layers"),
            *("truncation-facts", "truncation-facts-dropped", "truncation-facts-layers"),
        ),
        why=OURS,
    ),
    Stated(
        "Abstract, feed-forward layers learn distributional associations: in other models",
        claims=("truncation-matrices",),
        why=OURS,
    ),
    Stated("Section 3, data and task; Figure 2", why="A definition and its picture: `task/`, tested."),
    Stated("eq. (1)", why="A definition: `model/`, tested; scores are over √d and W_V has a W_O, as in the code."),
    Stated("Figure 3, left three panels", claims=("fig-3", "fig-3-98"), why="Its .98 at the paper's size alone."),
    Stated(
        "Section 3, data, as the authors' published script draws it",
        claims=("script-conventions",),
        why="Four conventions differ from the paper's words; one switch sets them.",
    ),
    Stated("Figure 3, rightmost panel", claims=("fig-3-margin",)),
    Stated(
        "Section 3, the noise is learned before the context",
        claims=("noise-first", "order-map", "order-map-larger"),
        why="At the paper's setting, and in a map of ours over learning rate, noise level and depth.",
    ),
    Stated(
        "Section 3, any other constant noise level",
        claims=("any-alpha",),
        why="α = .2 and .7 beside .5, by Figure 3's end.",
    ),
    Stated("Figure 4", claims=("fig-4",)),
    Stated("eq. (2)", why="A definition: `model/`, tested."),
    Stated("Section 3.1, W_QK has no gradient at initialization", claims=("eq-2-keys",)),
    Stated("Section 3, random initialization behaves alike", claims=("eq-2-random",), why="After one step."),
    Stated(
        "Theorem 1",
        claims=("thm-1", "thm-1-exact"),
        why="The centres; the right-hand sides are Theorem 4's, from the bounds that eq-6 and eq-12 judge.",
    ),
    Stated("Theorem 1, observations i and ii", claims=("thm-1-observations", "thm-1-samples")),
    Stated("Abstract and section 3.1, noise in the gradients as the reason", claims=("thm-1-samples",)),
    Stated("Section 3.2, the clean model attends to all that follows a trigger", claims=("fig-4-clean",)),
    Stated(
        "Theorem 2",
        claims=("thm-2", "eq-35", "thm-2-restated-proved", "thm-2-learned", "thm-2-descent", "thm-2-sign-proved"),
        why="Signs, j = q in eq-35; the rates Ω(N^-4) and Ω(N^-3) follow from thm-2-gap and the β's order.",
    ),
    Stated("eq. (3) and the offset as T → ∞", claims=("eq-3", "eq-3-offset"), why="W̄ in uniform attention."),
    Stated("Section 3.3, experiments; Figure 18", claims=("fig-18",)),
    Stated("Theorem 3, first equation", claims=("thm-3-full", "thm-3-descent")),
    Stated("Theorem 3, second equation", claims=("thm-3-rank-1", "thm-3-rank-1-proved"), why="Slopes at three α."),
    Stated(
        "Section 3.3, easy to extend to any N > 2",
        claims=("noise-rank-n", "noise-rank-ratio", "eq-3-offset", "thm-3-direction-proved"),
        why="The limits in t, which are ours: without W̄ from n = 4 on it is another cut, with it the same.",
    ),
    Stated(
        "Section 3.3, a language model's noise as a subspace of low rank",
        claims=(
            "noise-directions",
            "noise-directions-unembedding",
            "noise-directions-smallest",
            "noise-directions-theory",
            "noise-directions-bias",
        ),
        why=OURS,
    ),
    Stated("Section 4.1, IOI on GPT-2 Small (top four tokens)", claims=("fig-17-top-4",), why=WEIGHTS),
    Stated(
        "Section 4.1, factual recall on Pythia-1B",
        claims=("fig-5-fact",),
        why=f"{WEIGHTS} The two generated sentences are not judged.",
    ),
    Stated("Section 4.1, IOI on Pythia-1B", claims=("fig-5-ioi",), why=WEIGHTS),
    Stated(
        "Section 4.1, phases of Pythia's training; Figure 5",
        claims=("fig-5-phases", "fig-5-benefit", "fig-5-fact-phases", "own-training", "own-truncation"),
        why="The last two in a small model of ours.",
    ),
    Stated(
        "Section 4.2; Table 2 (GSM8K)",
        claims=(
            *("tab-2-significance", "tab-2-eight-shots", "tab-2-contrast"),
            *("tab-2", "tab-2-eight", "tab-2-printed", "tab-2-any"),
        ),
        why="The first three from the printed accuracies alone.",
    ),
    Stated("Appendix A, Figure 6", claims=("fig-6",), why="Attention's parameters are read as those of W_O W_V."),
    Stated("Appendix B.1, pre-training and fine-tuning", claims=("fig-4", "fig-4-clean")),
    Stated(
        "Appendix B.2, roles of the components; Figure 7",
        claims=("fig-7", "fig-7-first", "b.2-constructed", "b.2-sign"),
        why="In trained models and in the constructed one, with the sign of its constant c.",
    ),
    Stated("Figure 8", claims=("fig-8",)),
    Stated(
        "Appendix B.3, assumptions i to v",
        why="Assumptions; b.3-speeds, eq-4 and thm-2-values say what becomes of them.",
    ),
    Stated("Appendix B.3, stationary logit and the bound on η", claims=("b.3-stationary",)),
    Stated("eq. (4)", claims=("eq-4",), why="Its projections on j ≤ N: b.3-speeds and eq-23."),
    Stated(
        "eq. (5), the projections of A and B", claims=("eq-24",), why="Their sum alone, as the paper combines them."
    ),
    Stated("Appendix B.3, observations i and ii", claims=("eq-24", "b.3-speeds")),
    Stated(
        "Appendix B.3, observation iii",
        claims=("b.3-frequency",),
        why="On data of ours, where every token but the trigger may be followed by the noise.",
    ),
    Stated("Appendix B.4, Figure 9", claims=("fig-9",)),
    Stated("Figure 10", claims=("fig-10",)),
    Stated(
        "Figure 11",
        claims=("fig-11", "fig-11-small-rate"),
        why="Appendix B.6 names two rates; the smaller one at the paper's size alone.",
    ),
    Stated("Figure 12", claims=("fig-12",)),
    Stated(
        "Figure 13",
        claims=("fig-13", "fig-13-script", "fig-13-direction"),
        why="Read with the last residual and, as the authors' script does, without; the last claim is ours.",
    ),
    Stated(
        "Appendix B.6, stable for any learning rate between .001 and .03",
        claims=("any-rate",),
        why="Figure 3's end alone; the lower end of the range at the paper's size alone.",
    ),
    Stated("Appendix C.1, Figure 14", claims=("fig-14",)),
    Stated("Appendix C.2, LASER parameters", why="Settings: those of tab-1, fig-5-fact, fig-5-ioi, fig-15 and fig-16."),
    Stated("Appendix C.3, Figures 15 and 16", claims=("fig-15", "fig-16"), why=WEIGHTS),
    Stated("Figure 17", claims=("fig-17",), why=WEIGHTS),
    Stated("Assumption D.1", why="An assumption: the simplified model's embeddings are orthonormal."),
    Stated("Lemma D.1, means and variances; eqs. (7) to (9)", claims=("lemma-d.1",)),
    Stated("Lemma D.1, eqs. (6), (10), (11)", claims=("eq-6",)),
    Stated("Lemma D.2, eq. (12)", claims=("eq-12",)),
    Stated("Table 3", claims=("table-3", "table-3-variance", "table-3-range")),
    Stated(
        "Lemma D.2's proof, Cases 1 to 10", claims=("lemma-d.2-cases", "table-3", "table-3-variance", "table-3-range")
    ),
    Stated("eq. (13)", claims=("eq-12",), why="(12) again."),
    Stated(
        "Theorem 4",
        claims=("thm-4", "thm-1"),
        why="Its centres are Theorem 1's. How its proof joins Lemmas D.1 and D.2 is not judged apart.",
    ),
    Stated(
        "Table 4",
        claims=tuple(f"lemma-e.{i}" for i in range(1, 8)),
        why="An index of Lemmas E.1 to E.7: each of its seven cases is judged as the lemma it names.",
    ),
    Stated("Appendix E, including z_T = q will not change the results", claims=("lemma-e-last",)),
    *(Stated(f"Lemma E.{i}; eq. ({13 + i})", claims=(f"lemma-e.{i}", "lemma-e-steps")) for i in range(1, 8)),
    Stated("eq. (21)", why="Equation (2) again."),
    Stated("Assumption F.1", why="Assumptions; its item 4 is used by eq-23 and thm-2-learned."),
    Stated("Appendix F, phase 1: the impact of W̃_E is negligible", claims=("thm-2-values",)),
    Stated("eqs. (22) and (23)", claims=("eq-23", "b.3-speeds")),
    Stated("eq. (24)", claims=("eq-24",)),
    Stated("Appendix F, phase 2; eq. (25)", claims=("eq-25",)),
    Stated("eq. (26)", claims=("thm-2-values",), why="Its two diagonals and noise rows; the entry (q, N+1) in eq-25."),
    Stated(
        "eqs. (27) to (33)",
        why="Steps towards (34) to (37), which are judged: what (30) and (33) drop is Theorem 2's slip.",
    ),
    Stated("eqs. (34) to (36)", claims=("thm-2-gap", "eq-35"), why="Their differences, which Theorem 2 needs."),
    Stated("eq. (37)", claims=("eq-37",)),
    Stated("eqs. (38) and (39)", why="Definitions: `run/memory.py`."),
    Stated(
        "Appendix G.1, factors i and ii", claims=("noise-rank-ratio",), why="ii; i is a heuristic about embeddings."
    ),
    Stated("Appendix G.1, factor iii", claims=("noise-rank-alpha",), why="As t grows n decides: noise-rank-n, ours."),
    Stated("Assumptions G.1 and G.2", why="Assumptions; thm-3-descent starts from zero on an orthonormal basis."),
    Stated("Theorem 5 and Remark 1", claims=("thm-3-full",), why="Theorem 3 again; α = .1 stands for the remark."),
    Stated("eqs. (40) and (41)", claims=("eq-40",)),
    Stated("eq. (42)", claims=("eq-42",)),
    Stated("eq. (43)", claims=("lemma-h.3", "thm-3-descent"), why="It follows from (42) by a change of variables."),
    Stated("Appendix G.2, the limits of a and b", claims=("thm-3-constant", "thm-3-full", "thm-3-constant-proved")),
    Stated("Lemma H.1", claims=("lemma-h.1",)),
    Stated("Lemma H.2", claims=("lemma-h.2",)),
    Stated("Lemma H.3", claims=("lemma-h.3", "lemma-h.3-decreasing", "thm-3-turn-proved")),
    Stated(
        "Appendix I, Table 5 (prompts)",
        why="Inputs of fig-16 and of truncation-facts: `lemmata.papers.association.task.language.facts`.",
    ),
    Stated("Appendix J, data", why="A definition: `task/`, tested."),
    Stated("Figure 19", claims=("fig-19",)),
    Stated(
        "Figure 20",
        claims=("fig-20", "fig-20-at-0.0003", "fig-20-at-0.0001", "fig-20-depth"),
        why="The paper prints no rate of Adam.",
    ),
)
