"""A voter list identifies patients in a table without names, and what a release leaves of this attack.

The tables are Table I and Table II of Abad, "SCBA: a new sensitivity based anonymity method for privacy preserving in
medical data mining": six patients, and the public voter list on which all of them stand.
"""

import polars as pl

import shoal
from shoal.attacks import Target, run_all

patients = pl.DataFrame(
    {
        "zipcode": ["423065", "422036", "423245", "422035", "423012", "423432"],
        "age": [29, 32, 38, 27, 47, 53],
        "sex": ["M", "F", "M", "F", "M", "F"],
        "diagnosis": ["Heart Disease", "Flu", "Headache", "HIV", "Cancer", "Viral"],
    }
)
voters = pl.DataFrame({"name": ["Mohit", "Sunil", "Shyam", "Rohini", "Arjun", "Sangita"]})
voters = voters.with_columns(patients["zipcode"], patients["age"], patients["sex"])

plan = shoal.Plan(
    columns={
        "zipcode": shoal.quasi(shoal.prefixes()),
        "age": shoal.quasi(),
        "sex": shoal.quasi(),
        "diagnosis": shoal.sensitive(),
    },
    models=[shoal.KAnonymity(k=2), shoal.LDiversity("diagnosis", l=2)],
)

# Names were removed, and yet zip code, age and sex are unique: a join is all it takes.
joined = voters.join(patients, on=["zipcode", "age", "sex"])
print("Arjun has", joined.filter(name="Arjun")["diagnosis"].item())


def show(title: str, table: pl.DataFrame) -> None:
    """Prints how well the voter list and the classes of a table identify and disclose."""
    print(title)
    for outcome in run_all(Target({"release": table}, plan, reference=voters), only=["linkage", "homogeneity"]):
        promised = "nothing promised" if outcome.bound is None else f"promised at most {outcome.bound:.2f}"
        verdict = "holds" if outcome.holds else "BROKEN"
        print(f"  {outcome.kind}: {outcome.success:.2f} ({promised}: {verdict}). {outcome.measured}")


show("the table without names:", patients)
release = shoal.anonymize(patients, plan)
show("the release:", release.frame)
print(release.frame)
