"""Verifying a folder that someone else made: what is found without the plan, and what only with it."""

import hashlib
import json
from pathlib import Path

import shoal
from shoal.datasets import patients

# Somebody publishes a release and tells the digest over another channel.
plan = shoal.Plan(
    columns={"sex": shoal.quasi(), "race": shoal.quasi(), "diagnosis": shoal.sensitive()},
    models=[shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3)],
)
digest = shoal.anonymize(patients(1_000).select("sex", "race", "diagnosis"), plan).save("published")


def show(when: str, found: shoal.Verification) -> None:
    print(f"{when}: {'everything holds' if found.holds else 'NOT as promised'}")
    for problem in found.problems:
        print("   ", problem)
    for verdict in found.verdicts:
        if not verdict.holds:
            print(f"    {verdict.kind} fails in {verdict.failing} of {found.classes} classes")


show("as published", shoal.verify_folder("published", digest=digest))

# A row is added by hand: the hash no longer fits, and one person stands alone.
table = Path("published/release.csv")
table.write_text(table.read_text() + "female,Martian,E11.9\n")
show("one row added", shoal.verify_folder("published"))

# A forger makes the folder agree with itself again: lower promises, and order, labels, counts and hashes redone.
lowered = Path("published/plan.toml").read_text().replace("k = 5", "k = 2").replace("l = 3", "l = 2")
Path("published/plan.toml").write_text(lowered)
head, *rows = table.read_text().splitlines()
table.write_text("\n".join([head, *sorted([*rows, "female,Martian,I10"])]) + "\n")
codebook = json.loads(Path("published/codebook.json").read_text())
race = codebook["columns"]["race"]
race["labels"] = sorted([*race["labels"], "Martian"])
race["distinct_labels"] += 1
for figures in (race["levels"], race["shares"]):
    figures.append(0)
Path("published/codebook.json").write_text(json.dumps(codebook))
manifest = json.loads(Path("published/manifest.json").read_text())
manifest["rows_in"] += 2
manifest["rows_released"] += 2
manifest["classes"] += 1
for model, number in zip(manifest["models"], ("k", "l"), strict=True):
    model[number] = model["achieved"][number] = 2
for name in manifest["files"]:
    manifest["files"][name] = hashlib.sha256((Path("published") / name).read_bytes()).hexdigest()
Path("published/manifest.json").write_text(json.dumps(manifest))

show("forged, looked at alone", shoal.verify_folder("published"))
show("forged, against the digest", shoal.verify_folder("published", digest=digest))
show("forged, against the plan", shoal.verify_folder("published", plan=plan))
