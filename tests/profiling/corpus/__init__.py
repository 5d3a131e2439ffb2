"""Made-up clinical tables with the right role of every column, to measure how well columns are recognized."""
