"""The paper's symbols, in plain words, and where the code keeps them."""

GLOSSARY: dict[str, str] = {
    "eta": "learning rate: `run.descent.Descent.learning_rate`",
    "lambda": "curvature of the parabola: `run.descent.Descent.curvature`",
    "x_t": "the iterate after t steps, x_0 (1 - eta lambda)^t: `theory.decay.iterate`",
}
