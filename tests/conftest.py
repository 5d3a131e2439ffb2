"""How hypothesis runs here: no example fails for being slow, for how long one takes depends on what else is running."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("shoal", deadline=None)
settings.load_profile("shoal")
