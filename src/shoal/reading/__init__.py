"""Reading a release as a recipient does: typed columns in place of labels, with the codebook as metadata."""
