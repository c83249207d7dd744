"""The numbers of the paper: answers after a trigger, attention, what single weights remember; readings of runs."""
