"""Table 2 on any model: does truncating one late MLP matrix improve GSM8K at one shot?"""

from lemmata.core import Claim, Experiment, Part, Protocol, at_least, word
from lemmata.papers.association.claims._gsm8k import can_count, changed, draw, mean_gain, paired_words
from lemmata.papers.association.run.gsm8k_answers import Gsm8kAnswers
from lemmata.papers.association.sizes import LanguageModels

EXPERIMENT = Experiment(
    title="GSM8K with one matrix truncated, on any model",
    runs=lambda scale: {
        "main": Gsm8kAnswers(
            questions=LanguageModels.ANY_QUESTIONS.at(scale), most_tokens=LanguageModels.ANY_TOKENS.at(scale)
        )
    },
    extra="lm",
    needs={"main": can_count},
    claims=(
        Claim(
            id="tab-2-any",
            locus="Section 4.2, on a model of the user's (beyond the paper)",
            statement="In any model, truncating the output matrix of the MLP at 27/32 of the depth to 2% of its rank "
            "improves the accuracy on GSM8K at one shot, on the same questions. Neither is chosen on questions.",
            wording={"2% of its rank": word("{} of its rank", "main.rank")},
            subject=lambda runs: changed([runs["main"]], "truncated"),
            wrong=lambda runs: changed([runs["main"]], "random"),
            parts={"gain": Part(mean_gain, at_least(0, over_seeds=True, unit="questions"))},
            protocol=Protocol("a small model, few questions and short answers", below_paper=True),
            remark=paired_words,
        ),
    ),
    draw=draw,
    notes="The default model answers next to no question, and the verdict then says so. Another one: "
    "`lemmata run association/tab-2-any --set model=NAME --set device=cuda`.",
)
