"""A pandas frame in, a verified pandas frame out. Needs pandas, which Shoal does not install."""

import pandas as pd

import shoal

visits = pd.DataFrame(
    {
        "name": [f"Patient {number}" for number in range(12)],
        "age": [34, 36, 38, 52, 55, 51, 57, 71, 78, 73, 75, 31],
        "zip": [
            "02138",
            "02139",
            "02138",
            "02141",
            "02142",
            "02141",
            "02141",
            "02138",
            "02139",
            "02139",
            "02138",
            "02139",
        ],
        "diagnosis": [
            "flu",
            "asthma",
            "flu",
            "HIV",
            "flu",
            "asthma",
            "HIV",
            "stroke",
            "flu",
            "stroke",
            "HIV",
            "asthma",
        ],
    }
)

plan = shoal.Plan(
    columns={
        "name": shoal.identifier(),
        "age": shoal.quasi(shoal.intervals(5, 10, 20)),
        "zip": shoal.quasi(shoal.prefixes()),
        "diagnosis": shoal.sensitive(),
    },
    models=[shoal.KAnonymity(k=3), shoal.LDiversity("diagnosis", l=2)],
)

release = shoal.anonymize(visits, plan)

print(release.frame.to_string(index=False))
print()
print("achieved:", release.achieved)
print("share of precision given up:", round(release.measures["ncp"], 3))
