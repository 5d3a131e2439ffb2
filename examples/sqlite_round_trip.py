"""From a database and back to it: SQLite here, PostgreSQL with a postgresql:// URL. Needs the extra `shoal[sql]`."""

import polars as pl

import shoal
from shoal import table
from shoal.datasets import patients
from shoal.hierarchies import Intervals, Prefix

URL = "sqlite:///hospital.db"

# A hospital's database, for the sake of the example.
made_up = patients(2_000, seed=2)
age = (pl.lit(2024) - pl.col("birth_date").dt.year()).alias("age")
table.write_sql(made_up.select("name", age, "sex", "zip", "diagnosis"), URL, "patients")

plan = shoal.Plan(
    data=shoal.Data(source=URL, query="SELECT age, sex, zip, diagnosis FROM patients"),
    columns={
        "age": shoal.quasi(Intervals((5, 10, 20, 40)), type="integer", top=90),
        "sex": shoal.quasi(),
        "zip": shoal.quasi(Prefix((3, 1)), type="text"),
        "diagnosis": shoal.sensitive(),
    },
    models=[shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3)],
)

# The folder is what is published and can be verified; its table goes back into the database as well.
release = shoal.anonymize_to(plan, "release")
assert shoal.verify_folder("release", digest=release.digest).holds
released = table.read("release/release.csv")
table.write_sql(released, URL, "patients_released", if_exists="replace")

back = table.read(URL, query="SELECT count(*) AS rows, count(DISTINCT zip) AS zips FROM patients_released")
print("rows and distinct ZIP labels in the database:", *back.row(0))
