"""Any language model on facts: does some layer and rank raise answer/"the", and at how many layers?"""

from lemmata.papers.association.claims._truncations import any_model
from lemmata.papers.association.sizes import LanguageModels

EXPERIMENT = any_model(
    "facts",
    'P(answer)/P("the")',
    "Table 5's facts and cities of ours, in several wordings, a city in one; no answer is in both halves.",
    prompts=LanguageModels.FACT_PROMPTS,
    upper=LanguageModels.FACT_UPPER,
    shares=LanguageModels.CHOSEN_SHARES,
)
