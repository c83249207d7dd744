"""Any language model on indirect objects: does some layer and rank raise IO/"the", and at how many layers?"""

from lemmata.papers.association.claims._truncations import any_model
from lemmata.papers.association.sizes import LanguageModels

EXPERIMENT = any_model(
    "ioi",
    'P(indirect object)/P("the")',
    "The two halves of the sentences share no name.",
    prompts=LanguageModels.IOI_PROMPTS,
    upper=LanguageModels.IOI_UPPER,
    subspaces=LanguageModels.IOI_SUBSPACES,
    shares=LanguageModels.CHOSEN_SHARES,
)
