"""A plan with a promise, thresholds of risk, and the search for the plan that loses least within both."""

import shoal
from shoal.datasets import patients

frame = patients(800).select("birth_date", "sex", "marital_status", "diagnosis")
plan = shoal.Plan(
    columns={
        "birth_date": shoal.quasi(shoal.dates("year", "decade")),
        "sex": shoal.quasi(),
        "marital_status": shoal.quasi(),
        "diagnosis": shoal.sensitive(),
    },
    models=[shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3)],
    risk=shoal.RiskSettings(highest=0.15, average=0.08),
)

found = shoal.suggest(frame, plan, budget=25)
given, proposed = found.tried[0], found.proposed
assert proposed is not None
assert proposed.loss is not None

print(f"tried: {len(found.tried)} plans, within the thresholds: {sum(each.meets for each in found.tried)}")
print(f"the given plan exceeds: {', '.join(each.threshold for each in given.exceeded) or 'nothing'}")
print(f"proposed: {proposed.name}, loss {proposed.loss:.3f}, average risk {proposed.risk:.3f}")

# Only this one is published. What was tried, and the figures above, stay with the steward.
release = shoal.anonymize(frame, found.plan)
print(f"k = {release.achieved['k-anonymity']['k']}, {release.manifest.classes} classes, verified")
