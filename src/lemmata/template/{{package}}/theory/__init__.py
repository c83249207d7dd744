"""The paper's formulas. Nothing here imports a run or a model: otherwise a check would be circular."""
