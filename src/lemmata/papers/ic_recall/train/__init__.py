"""How attention is fine-tuned."""
