"""The experiments of the papers, on our data: what reproduces, what does not, and by how much."""
