"""Figure 4: a pretrained language model, fine-tuned on some facts of PopQA, answers about other subjects."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lemmata.core import Claim, Experiment, Protocol, RunResult, Runs, Scale, at_least, at_most, of_result
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._popqa_answers import Answers
from lemmata.papers.knowledge.claims._popqa_drawing import draw
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.run.popqa_tuning import PopqaTuning

FEWEST_STORED, FEWEST_RELATIONS = 32, 4  # facts, and relations they are of: with fewer nothing is there to unlock


def tuning_run(scale: Scale) -> PopqaTuning:
    """A small model knows next to nothing of nine of PopQA's relations (who directed, wrote, composed; parents; places
    of birth; genres): they are looked at at the paper's scale alone."""
    return PopqaTuning(rank=1, seeds=sizes.seeds(scale, sizes.POPQA_SEEDS), **sizes.POPQA.at(scale))


@of_result
def stored(run: RunResult) -> str | None:
    """A need: there is something to unlock."""
    known, looked = run.arrays["stored"], run.arrays["looked_at"]
    taking_part = known[known >= run.config.least_stored]
    if taking_part.sum() >= FEWEST_STORED and len(taking_part) >= FEWEST_RELATIONS:
        return None
    return (
        f"{run.config.model} answers {known.sum()} of {looked.sum()} facts after {run.config.shots} demonstrations, "
        f"{taking_part.sum()} of them in {len(taking_part)} relations with {run.config.least_stored} or more: it knows "
        f"too little (wanted: {FEWEST_STORED} facts in {FEWEST_RELATIONS} relations)"
    )


def _by_facts(runs: Runs) -> str:
    run = runs["main"]
    known, looked = run.arrays["stored"], run.arrays["looked_at"]
    found, wrong, facts = Answers(run), Answers(run, shuffled=True), sorted(run.config.facts)
    by_facts = ", ".join(f"{found.match(facts=count).mean():.2f}" for count in facts)
    return (
        f"Stored are {known.sum()} of {looked.sum()} facts that were looked at. Exact match is "
        f"{found.before.mean():.2f} before fine-tuning and {by_facts} after {', '.join(map(str, facts))} facts. With "
        f"wrong answers it is {wrong.most.mean():.2f} at the most: what format and guesses alone give. Rules were set "
        "after trials on seeds that are not among these."
    )


ON_STORED = "Judged: exact match on stored facts of held-out subjects, LoRA of rank 1"


def popqa_claim(wrong: Callable[[Runs], Any], **fields: Any) -> Claim:
    protocol = Protocol("the model, its facts and the schedule", below_paper=True)
    return Claim(subject=lambda runs: Answers(runs["main"]), wrong=wrong, protocol=protocol, **fields)


def shuffled(runs: Runs) -> Answers:
    """Fine-tuned on answers of other subjects."""
    return Answers(runs["main"], shuffled=True)


FACTS = popqa_claim(
    id="fig-4",
    locus="Figure 4 (its caption alone: exact match of fine-tuned Llama-3.2-1B on PopQA); trends: the abstract",
    statement="Fine-tuning a pretrained language model on questions about some subjects makes it answer questions "
    f"about others whose facts it has stored, the better the more facts it is asked. {ON_STORED}, every relation "
    "covered.",
    wrong=shuffled,
    parts={
        "most facts": share_over_seeds(lambda found: found.most, at_least(0.6)),
        "rise from fewest to most facts": over_seeds(lambda found: found.rise, at_least(0.3)),
        "before fine-tuning": replace(share_over_seeds(lambda found: found.before, at_most(0.2)), carries=False),
    },
    remark=_by_facts,
)
COVERED = popqa_claim(
    id="fig-4-covered",
    locus="Figure 4; abstract: fine-tuning must cover the relations through which facts were encoded",
    statement="Asked about as many facts, a language model answers about held-out subjects more often in relations "
    f"that fine-tuning covers than in the same relations when it leaves them out. {ON_STORED}, each relation once "
    "covered, once left out. PopQA varies relations, where the paper's theory varies templates of one.",
    wrong=lambda runs: Answers(runs["main"], mixed=True),  # half of those called covered are
    parts={"covered - uncovered": over_seeds(lambda found: found.gap, at_least(0.3))},
    remark=lambda runs: "Covered and uncovered: {:.2f} and {:.2f}.".format(
        *(side.mean() for side in Answers(runs["main"]).sides(Answers(runs["main"]).half))
    ),
)
RELATIONS = popqa_claim(
    id="fig-4-relations",
    locus="Figure 4; abstract: extraction improves with fine-tuning coverage",
    statement="Asked about as many facts, a language model answers about more held-out subjects when the facts cover "
    f"all relations than when they cover the fewest. {ON_STORED}, over all relations.",
    wrong=lambda runs: Answers(runs["main"], tuned=False),  # before fine-tuning
    parts={"rise from fewest to all relations": over_seeds(lambda found: found.by_relations, at_least(0.1))},
    remark="At an equal number of facts each covered relation is asked about less often the more are covered.",
)
LOW_RANK = popqa_claim(
    id="fig-4-low-rank",
    locus="Abstract: the theory applies to full and low-rank fine-tuning, on Figure 4's model; LoRA is our reading",
    statement="With every relation covered, LoRA of rank 1 on every linear layer unlocks about as many stored facts of "
    "held-out subjects as full fine-tuning does in as many steps. Each has a learning rate chosen for it.",
    wrong=shuffled,
    parts={
        "gain over before fine-tuning": over_seeds(lambda found: found.most - found.before, at_least(0.6)),
        "rank 1 - full": over_seeds(lambda found: found.behind, at_least(-0.2)),
    },
    remark="Learning rates were chosen near those that were tried on one seed that is not among these.",
)

EXPERIMENT = Experiment(
    title="A pretrained language model answers about subjects it was not asked about",
    runs=lambda scale: {"main": tuning_run(scale)},
    extra="lm",
    needs={"main": stored},
    claims=(FACTS, COVERED, RELATIONS, LOW_RANK),
    draw=draw,
    notes="Figure 4's axes, split, sizes and learning rates are not in our text. Only stored facts are asked: a model "
    "that knows nothing has nothing to unlock. At laptop scale a model of 135M parameters, quantised to 4 bits.",
)
