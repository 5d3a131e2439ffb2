"""Made-up clinical tables with the right role of every column, to measure how well columns are recognized."""

from __future__ import annotations

from tests.profiling.corpus import public, sealed, seen, shown, source, unseen

SEEN = seen.SCHEMAS
UNSEEN = unseen.SCHEMAS
PUBLIC = public.SCHEMAS
SOURCE = source.SCHEMAS
SEALED = sealed.SCHEMAS
SHOWN = shown.SCHEMAS
SCHEMAS = (*SEEN, *UNSEEN, *PUBLIC, *SOURCE, *SEALED, *SHOWN)
