"""What is computed: every RunConfig of the paper."""
