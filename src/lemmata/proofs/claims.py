"""Claims that rest on certificates: one run proves, another, of a wrong statement, is the control."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Part, Runs, certified, only
from lemmata.proofs.run import certificate_of


def proved_by(name: str, says: Mapping[str, Any], **words: Any) -> Claim:
    """A claim that the certificate of run `name` proves; the control is `wrong/name`.

    `says`: fields of the run's config that the claim's own sentence states, with what it says of them.
    """
    said = (only(field, value, why=f"the claim says {value}") for field, value in says.items())

    def proved(runs: Runs) -> Any:
        return runs[name]

    def refuted(runs: Runs) -> Any:
        return runs[f"wrong/{name}"]

    return Claim(
        subject=proved,
        wrong=refuted,
        parts=Part(certificate_of, certified(lambda runs: runs[name].config.proposition)),
        needs={name: tuple(said)},
        **words,
    )


def proved_by_each(group: str, axis: str, field: str, members: Iterable[int], **words: Any) -> Claim:
    """A claim that a certificate a member of the group proves; the controls are the members of `wrong-group`.

    `field` of a run's config holds what tells the members apart, and `axis` is its name in words.
    """
    members = tuple(members)
    parts = {
        f"{axis} = {one}": Part(
            lambda runs, one=one: certificate_of(runs[str(one)]),
            certified(lambda runs, one=one: runs[f"{group}/{one}"].config.proposition),
        )
        for one in members
    }

    def proved(runs: Runs) -> Any:
        return runs.group(group)

    def refuted(runs: Runs) -> Any:
        return runs.group(f"wrong-{group}")

    return Claim(
        subject=proved,
        wrong=refuted,
        parts=parts,
        needs={f"{group}/{one}": only(field, one, why=f"this part is about {axis} = {one}") for one in members},
        **words,
    )


def table_of_proofs(runs: Runs) -> Artefact:
    """What is proved, and how large the proofs are; nothing to draw."""
    proofs = [
        (run.config.proposition, certificate_of(run)) for name, run in runs.items() if not name.startswith("wrong")
    ]
    table = {
        "statement": np.array([proposition.says for proposition, _ in proofs]),
        "on": np.array([proposition.on for proposition, _ in proofs]),
        "outcome": np.array([certificate.outcome for _, certificate in proofs]),
        "steps": np.array([len(certificate.steps) for _, certificate in proofs]),
        "boxes": np.array([certificate.boxes for _, certificate in proofs]),
        "bits": np.array([certificate.bits for _, certificate in proofs]),
    }
    caption = "What is proved, on which set, with how many boxes. `lemmata verify-proof` checks each box again."
    return Artefact(None, table, caption)
