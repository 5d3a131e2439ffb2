"""A registry that grows: January is searched, February gets the same labels, and a recipient computes with both."""

import polars as pl

import shoal
from shoal.datasets import patients

registry = patients(6_000, seed=2).select(
    (2025 - pl.col("birth_date").dt.year()).alias("age"), "sex", "marital_status", "diagnosis"
)
registry.head(3_000).write_csv("january.csv")
registry.tail(3_000).write_csv("february.csv")

plan = shoal.Plan(
    data=shoal.Data(source="january.csv"),
    columns={
        "age": shoal.quasi(shoal.intervals(5, 10, 20), top=90),
        "sex": shoal.quasi(),
        "marital_status": shoal.quasi(),
        "diagnosis": shoal.sensitive(),
    },
    models=[shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3)],
    algorithm=shoal.Optimal(),
    release=shoal.ReleaseSettings(suppression=0.05),
)
january = shoal.anonymize_to(plan, "january")

# Nobody of January is in February, which the steward states.
february = shoal.apply_to("january", "february.csv", "february", new_persons=True)
same = set(february.frame["age"]) <= set(january.frame["age"])
print(f"february: {february.manifest.rows_released} of {february.manifest.rows_in} rows, labels of january: {same}")
for verdict in february.verification.verdicts:
    print(f"  {verdict.kind}: {'holds' if verdict.holds else 'FAILS'}, achieved {dict(verdict.achieved)}")

# The recipient reads both, and counts who is certainly, and who is possibly, of at least 65 years.
both = pl.concat([shoal.read_release(month).frame for month in ("january", "february")])
certain = both.filter(pl.col("age.low") >= 65)
possible = both.filter(pl.col("age.high").fill_null(110) >= 65)
true = registry.filter(pl.col("age") >= 65).height
print(f"at least 65: {certain.height} to {possible.height} of {both.height} released rows; in the registry: {true}")
