"""A pretrained model tuned on questions, and what it says then; needs the extra `lm`."""
