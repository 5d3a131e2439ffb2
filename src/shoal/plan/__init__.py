"""The plan: one frozen description of a release, its checks, its TOML form and its schema."""
