"""Every claim of every paper at smoke scale, by the same path a user takes: run, store, judge, draw."""

from pathlib import Path

import jax
import pytest

from lemmata.core import Scale, decode, encode, experiments, papers, run_type, select
from lemmata.run import Store, examine

IC_RECALL = """table-1 table-2 lemma-3.1 lemma-b.1 eq-gradients eq-16 prop-b.2 lemma-b.4 saddle-curvature lemma-b.5
lemma-b.7 thm-4.2 pairwise-line optimum-low-T lemma-c.1 lemma-c.2 lemma-c.3 thm-4.4 lemma-4.5 claim-2 thm-4.1 lemma-e.2
fig-2 fig-3 fig-4 few-samples"""
ASSOCIATION = """thm-1 lemma-d.1 table-3 b.3-stationary thm-2 thm-3-full thm-3-rank-1 thm-3-constant noise-rank-n fig-3
fig-3-margin noise-first fig-4 fig-6 fig-7 fig-8 fig-9 fig-10 fig-11 fig-12 fig-13 fig-18 fig-19 fig-20"""
LEGO = """one-step-learned feature-structure-transitive feature-structure-symmetric curriculum-order neurons-distinct
thm-4.1-length thm-4.1-attention thm-5.1-doubling thm-5.1-attention cor-5.1 balance distractors dilution-law
permutation-invariance fig-1a fig-1b fig-2 fig-5 fig-6 fig-7 beyond-tc0 regime-map self-train-cost"""
KNOWLEDGE = """pretrain-near-optimal attention-pattern extraction-unseen-facts multiplicity coverage template-universe
covering-per-relation hallucination-regime low-rank-enough uniform-attention-fails steps-to-extract split-leak
hoeffding-cover fig-2a fig-2b fig-3 fig-5 fig-6"""
PROMISED = {
    "ic-recall": IC_RECALL.split(),
    "association": ASSOCIATION.split(),
    "lego": LEGO.split(),
    "knowledge": KNOWLEDGE.split(),
}
EXPERIMENTS = [id for paper in papers() for id in experiments(paper)]


@pytest.fixture(scope="session")
def smoke_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("smoke"))


@pytest.mark.parametrize("experiment_id", EXPERIMENTS)
def test_claims_at_smoke_scale(experiment_id: str, smoke_store: Store) -> None:
    (examined,) = examine(select([experiment_id]), Scale("smoke"), smoke_store)
    assert examined.judgements
    for judgement in examined.judgements:
        claim = judgement.claim
        if judgement.status == "undecided":
            assert judgement.detail, f"{claim.id}: undecided without a reason"
        else:
            assert judgement.control_status == "fails", f"{claim.id}: its control passed the check"
        if judgement.status == "fails":
            assert claim.remark, f"{claim.id} fails ({judgement.detail}) and no reason is given"
        assert claim.statement
        assert claim.locus
        assert claim.check.describe()
    artefact = examined.selection.experiment.render(examined.results)
    assert artefact.caption
    lengths = {len(column) for column in artefact.table.values()}
    assert len(lengths) == 1, f"{experiment_id}: columns of unequal length {lengths}"
    jax.clear_caches()  # forty experiments' programs would fill the memory


@pytest.mark.parametrize("paper", PROMISED)
def test_every_promised_claim_is_there(paper: str) -> None:
    present = {claim.id for experiment in experiments(paper).values() for claim in experiment.claims}
    assert {f"{paper}/{name}" for name in PROMISED[paper]} <= present


@pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
def test_every_config_survives_json(scale: str) -> None:
    for experiment_id in EXPERIMENTS:
        for selection in select([experiment_id]):
            for config in selection.experiment.grid(Scale(scale)):
                assert decode(run_type(config.kind), encode(config)) == config


def test_docs_name_every_claim_and_every_correction() -> None:
    docs = Path(__file__).parent.parent / "docs"
    errata = (docs / "errata.md").read_text()
    for paper in papers():
        page = (docs / f"{paper}.md").read_text()
        for experiment in experiments(paper).values():
            for claim in experiment.claims:
                assert f"`{claim.id}`" in page, f"docs/{paper}.md does not list {claim.id}"
                if claim.correction:
                    assert f"`{claim.id}`" in errata, f"docs/errata.md does not list {claim.id}"
