"""A random walk with checkpoints. It counts how often it is begun, and goes wrong where it is told to."""

import os
import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lemmata.core import Checkpoint, Count, Natural, RunConfig, RunContext, RunOutput, named_generator

TALLY = "FAULTY_TALLY"  # a file that gets a line whenever a run begins, with its seed and its first step
Fault = Literal["none", "raise", "die", "die once", "eat memory"]


@dataclass(frozen=True, kw_only=True)
class Walk(RunConfig):
    kind = "faulty/walk"
    seed: Natural = 0
    steps: Count = 20
    milliseconds: Natural = 20  # a step takes
    width: Count = 4
    fault: Fault = "none"  # at half of the way

    def execute(self, context: RunContext) -> RunOutput:
        saved = context.load("walk")
        done, path = (saved.step, saved.arrays["path"].copy()) if saved else (0, np.zeros((self.steps, self.width)))
        self._tell(done)
        for step in range(done, self.steps):
            if step == self.steps // 2:
                self._go_wrong(resumed=saved is not None)
            before = path[step - 1] if step else 0.0
            path[step] = before + named_generator(self.seed, "step", str(step)).normal(size=self.width)
            time.sleep(self.milliseconds / 1000)
            context.save("walk", Checkpoint(step + 1, {"path": path}))
            context.progress("walk", step + 1, self.steps)
        return RunOutput({"step": np.arange(self.steps), "x": path[:, 0]}, {"path": path})

    def _tell(self, step: int) -> None:
        if tally := os.environ.get(TALLY):
            with Path(tally).open("a") as file:
                file.write(f"{self.seed} {step}\n")

    def _go_wrong(self, resumed: bool) -> None:
        if self.fault == "raise":
            raise ArithmeticError("the walk has left the plane\nand a second line")
        if self.fault == "die" or (self.fault == "die once" and not resumed):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "eat memory":
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, resource.RLIM_INFINITY))
            np.ones(2**28)
