"""What is computed: every RunConfig of the paper, and the algorithms they run."""
