"""Figure 4: a pretrained language model, fine-tuned on some facts of PopQA, answers about other subjects."""

from dataclasses import replace

from lemmata.core import Claim, Experiment, Protocol, RunResult, Runs, Scale, at_least, at_most, of_result
from lemmata.lm import DEFAULT
from lemmata.papers.knowledge.claims._popqa_answers import Answers
from lemmata.papers.knowledge.claims._popqa_drawing import draw
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.run.popqa_tuning import PopqaTuning
from lemmata.papers.knowledge.run.training import FRESH

LLAMA = "meta-llama/Llama-3.2-1B"
SMALL_MODELS = ("capital", "capital of", "color", "country", "occupation", "religion", "sport")
FEWEST_STORED, FEWEST_RELATIONS = 32, 4  # facts, and relations they are of: with fewer nothing is there to unlock


def tuning_run(scale: Scale) -> PopqaTuning:
    """A small model knows next to nothing of nine of PopQA's relations (who directed, wrote, composed; parents; places
    of birth; genres): they are looked at at the paper's scale alone."""
    common = {"rank": 1, "seeds": tuple(FRESH + seed for seed in scale.seeds(smoke=1, laptop=5, paper=5))}
    if scale.name == "paper":
        return PopqaTuning(
            **common,
            model=LLAMA,
            device="cuda",
            pool=1000,
            shots=4,
            least_stored=16,
            ranks=(4, 16, 0),
            facts=(4, 16, 64, 256),
            relations=(1, 2, 4),
            equal_facts=16,
            steps=100,
            batch=16,
            learning_rate=1e-3,
            full_learning_rate=2e-5,
        )
    return PopqaTuning(
        **common,
        model=DEFAULT,
        asked_about=SMALL_MODELS if scale.name == "laptop" else ("capital", "country"),
        pool=scale.pick(smoke=6, laptop=50, paper=1000),
        shots=2,
        least_stored=scale.pick(smoke=2, laptop=4, paper=16),
        ranks=scale.pick(smoke=(), laptop=(16, 0), paper=()),
        facts=scale.pick(smoke=(1, 2), laptop=(2, 8, 20), paper=()),
        relations=scale.pick(smoke=(1,), laptop=(2,), paper=()),
        equal_facts=scale.pick(smoke=1, laptop=8, paper=16),
        steps=scale.pick(smoke=1, laptop=12, paper=1),
        learning_rate=5e-3,
        full_learning_rate=1e-4,
    )


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


def per_relation(runs: Runs) -> str:
    run = runs["main"]
    known, looked = run.arrays["stored"], run.arrays["looked_at"]
    config, found = run.config, Answers(run)
    by_facts = ", ".join(f"{found.match(facts=count).mean():.2f}" for count in sorted(config.facts))
    wrong = Answers(run, shuffled=True)
    return (
        f"Stored are {known.sum()} of {looked.sum()} facts that were looked at. Exact match is "
        f"{found.before.mean():.2f} before fine-tuning and {by_facts} after "
        f"{', '.join(map(str, sorted(config.facts)))} facts; with wrong answers {wrong.most.mean():.2f} at the most: "
        "what format and guesses alone give. Rules were set after trials on seeds that are not among these."
    )


SETTING = "the model, its facts and the schedule"
FACTS = Claim(
    id="fig-4",
    locus="Figure 4 (its caption alone: exact match of fine-tuned Llama-3.2-1B on PopQA); trends: the abstract",
    statement="Fine-tuning a pretrained language model on questions about some subjects makes it answer questions "
    "about others whose facts it has stored, the better the more facts it is asked. Shown: exact match on stored "
    "facts of held-out subjects, LoRA of rank 1, every relation covered.",
    subject=lambda runs: Answers(runs["main"]),
    wrong=lambda runs: Answers(runs["main"], shuffled=True),  # fine-tuned on answers of other subjects
    parts={
        "most facts": share_over_seeds(lambda found: found.most, at_least(0.6)),
        "rise from fewest to most facts": over_seeds(lambda found: found.rise, at_least(0.3)),
        "before fine-tuning": replace(share_over_seeds(lambda found: found.before, at_most(0.2)), carries=False),
    },
    protocol=Protocol(SETTING, below_paper=True),
    remark=per_relation,
)
COVERED = Claim(
    id="fig-4-covered",
    locus="Figure 4; abstract: fine-tuning must cover the relations through which facts were encoded",
    statement="Asked about as many facts, a language model answers about held-out subjects more often in relations "
    "that fine-tuning covers than in the same relations when it leaves them out (each is once covered, once left out). "
    "PopQA varies relations, where the paper's theory varies templates of one.",
    subject=lambda runs: Answers(runs["main"]),
    wrong=lambda runs: Answers(runs["main"], mixed=True),  # half of those called covered are
    parts={"covered - uncovered": over_seeds(lambda found: found.gap, at_least(0.3))},
    protocol=Protocol(SETTING, below_paper=True),
    remark=lambda runs: "Covered and uncovered: {:.2f} and {:.2f}.".format(
        *(side.mean() for side in Answers(runs["main"]).sides(Answers(runs["main"]).half))
    ),
)
RELATIONS = Claim(
    id="fig-4-relations",
    locus="Figure 4; abstract: extraction improves with fine-tuning coverage",
    statement="Asked about as many facts, a language model answers about more held-out subjects when the facts cover "
    "all relations than when they cover the fewest (over all relations).",
    subject=lambda runs: Answers(runs["main"]),
    wrong=lambda runs: Answers(runs["main"], tuned=False),  # before fine-tuning
    parts={"rise from fewest to all relations": over_seeds(lambda found: found.by_relations, at_least(0.1))},
    protocol=Protocol(SETTING, below_paper=True),
    remark="At an equal number of facts each covered relation is asked about less often the more are covered.",
)
LOW_RANK = Claim(
    id="fig-4-low-rank",
    locus="Abstract: the theory applies to full and low-rank fine-tuning, on Figure 4's model; LoRA is our reading",
    statement="LoRA of rank 1 on every linear layer unlocks about as many stored facts of held-out subjects as full "
    "fine-tuning does in as many steps, every relation covered; each at a rate chosen for it.",
    subject=lambda runs: Answers(runs["main"]),
    wrong=lambda runs: Answers(runs["main"], shuffled=True),
    parts={
        "gain over before fine-tuning": over_seeds(lambda found: found.most - found.before, at_least(0.6)),
        "rank 1 - full": over_seeds(lambda found: found.behind, at_least(-0.2)),
    },
    protocol=Protocol(SETTING, below_paper=True),
    remark="Rates were chosen near those that were tried on one seed that is not among these.",
)

EXPERIMENT = Experiment(
    title="A pretrained language model answers about subjects it was not asked about",
    runs=lambda scale: {"main": tuning_run(scale)},
    extra="lm",
    needs={"main": stored},
    claims=(FACTS, COVERED, RELATIONS, LOW_RANK),
    draw=draw,
    notes="Figure 4's axes, split, sizes and rates are not in our text. Only stored facts are asked: a model that "
    "knows nothing has nothing to unlock. At laptop scale a model of 135M parameters, quantised to 4 bits.",
)
