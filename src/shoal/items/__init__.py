"""Set-valued columns: knowledge tables, the labels that items link to, models of items, and the removal of items."""
