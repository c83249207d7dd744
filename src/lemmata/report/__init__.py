"""Stored result -> figure, table, page, terminal. Nothing here computes a result; papers draw with `report.plots`."""
