"""What algorithms share: the lattice, objectives and bounds, best-first search, descent, specialization, scores."""
