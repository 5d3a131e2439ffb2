"""Statistics and counts of the input beside those that a recipient computes from the release, for the steward."""
