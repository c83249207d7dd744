"""An edited model saved as a normal Hugging Face folder, which loads anywhere."""

import json
from pathlib import Path

from lemmata.core import UserError
from lemmata.lm.conversion import clear_quantizer
from lemmata.lm.edit import Change, Edit, changes, edited
from lemmata.lm.model import LanguageModel
from lemmata.lm.place import need_room, whole_folder

RECORD = "lemmata.json"


def export(model: LanguageModel, out: Path | str, *edits: Edit) -> tuple[Change, ...]:
    """Write the model with these edits made: safetensors, configuration, tokenizer, and a record of what was done.

    A folder that is there is never touched; a folder that appears is whole.
    """
    out = Path(out)
    if out.exists():
        raise UserError(f"{str(out)!r} exists already: name a folder that does not")
    made = changes(model, *edits)
    size = sum(weight.numel() * weight.element_size() for weight in model.network.parameters())
    need_room(out.absolute().parent, size, f"the edited {model.name}")
    clear_quantizer(model.network)
    with edited(model, *edits), whole_folder(out) as trial:
        model.network.save_pretrained(trial)
        model.tokenizer.save_pretrained(trial)
        (trial / RECORD).write_text(json.dumps(_record(model, made), indent=2) + "\n")
    return made


def _record(model: LanguageModel, made: tuple[Change, ...]) -> dict[str, object]:
    origin = {"model": model.name, "revision": model.revision, "weights_sha256": model.weights}
    return {**origin, "edits": [str(change) for change in made]}
