"""Tables of public studies, registries, surveys and hospitals, written without knowledge of how columns are recognized.

Dates and ages that disclose an illness may be dropped, as documented.
"""

from __future__ import annotations

from tests.profiling.corpus import source_four, source_one, source_three, source_two

SCHEMAS = (*source_one.SCHEMAS, *source_two.SCHEMAS, *source_three.SCHEMAS, *source_four.SCHEMAS)
