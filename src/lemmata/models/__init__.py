"""What models of any paper may use."""
