"""What a release is good for: query error, classification error, and what a search saw."""
