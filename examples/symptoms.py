"""Symptoms reveal diagnoses that nobody published, and removing a few symptoms prevents it.

The table has no diagnosis, but anyone can look up which diseases have which symptoms: in the knowledge table that comes
with the synthetic patients, or in any textbook.
"""

import polars as pl

import shoal
from shoal.attacks import Target, run_all
from shoal.datasets import knowledge, patients

knowledge().write_csv("diseases.csv")  # label,item: a disease and one of its symptoms
table = patients(1_000).select("birth_date", "sex", "symptoms")
columns = {"birth_date": shoal.quasi(), "sex": shoal.quasi(), "symptoms": shoal.insensitive()}
by_size = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)])
plan = by_size.changed(
    columns={**columns, "symptoms": shoal.quasi_sensitive(knowledge="diseases.csv")},
    models=[shoal.KAnonymity(k=5), shoal.QSDiversity("symptoms", c=1, l=3)],
)


def show(title: str, frame: pl.DataFrame) -> None:
    """Prints the largest belief in a disease of whoever knows a patient's class and looks up its symptoms."""
    (found,) = run_all(Target({"release": frame}, plan), only=["indirect"])
    print(f"{title}: {found.success:.2f}, promised at most {found.bound:.2f}: {'holds' if found.holds else 'BROKEN'}")


show("raw", table)
show("5-anonymous", shoal.anonymize(table, by_size).frame)
release = shoal.anonymize(table, plan)
show("without a few symptoms", release.frame)

# What was removed depends on the input: it is for the steward.
(removal,) = release.steward.search.item_removal or ()
loss = release.steward.measures["item_loss"]
print(f"{loss:.1%} of the symptoms were removed, from {removal.classes} of {release.manifest.classes} classes")

# The release has only the hash of the knowledge table: whoever verifies it needs the table.
release.save("symptoms_release")
verification = shoal.verify_folder("symptoms_release", knowledge=["diseases.csv"])
print(f"verified with the knowledge table: {verification.holds}")
