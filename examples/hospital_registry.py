"""A registry of 5,000 made-up patients: the plan in Python, the release in a folder, its figures on the screen."""

import shoal
from shoal.datasets import patients
from shoal.hierarchies import Dates, Icd10Cm, Prefix

registry = patients(5_000, seed=1).select(
    "record_number", "name", "birth_date", "sex", "zip", "diagnosis", "treatment", "transfused"
)

plan = shoal.Plan(
    columns={
        "record_number": shoal.identifier(),
        "name": shoal.identifier(),
        "birth_date": shoal.quasi(Dates(("year", "decade")), type="date"),
        "sex": shoal.quasi(),
        "zip": shoal.quasi(Prefix((3, 1))),
        # The study needs the diagnosis more exactly than anything else: its tree lets a model see which are alike.
        "diagnosis": shoal.sensitive(Icd10Cm()),
        "treatment": shoal.sensitive(),
        "transfused": shoal.target(),
    },
    models=[
        shoal.KAnonymity(k=10),
        shoal.LDiversity("diagnosis", l=4),
        shoal.TCloseness("diagnosis", t=0.4, distance="hierarchical"),
        shoal.PSensitive(p=3, k=10, columns=("treatment",)),
    ],
)

release = shoal.anonymize(registry, plan)
for verdict in release.verification.verdicts:
    parameters = ", ".join(f"{name} = {value}" for name, value in verdict.parameters.items())
    print(f"{verdict.kind} ({parameters}): {'holds' if verdict.holds else 'FAILS'}, achieved {dict(verdict.achieved)}")

print(f"{release.verification.classes} classes, {release.measures['average_class_size']:.1f} rows each on average")
for column, lost in release.measures["ncp_by_column"].items():
    print(f"  {column}: {lost:.0%} of its precision given up")

digest = release.save("registry_release")
print(
    "published in registry_release/; the steward keeps registry_release.private/ and the digest of",
    len(digest),
    "digits",
)
