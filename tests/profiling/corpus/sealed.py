"""Tables that recognition was measured on once, before anyone looked at its mistakes there.

Dates that disclose an illness may be dropped, as documented.
"""

from __future__ import annotations

from tests.profiling.corpus import sealed_four, sealed_one, sealed_three, sealed_two

SCHEMAS = (*sealed_one.SCHEMAS, *sealed_two.SCHEMAS, *sealed_three.SCHEMAS, *sealed_four.SCHEMAS)
