"""On a cluster of separate processes, a release survives the loss of a worker, and a failed run leaves nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.pipeline import anonymize_to
from shoal.verification.folder import verify_folder
from tests.layouts import contents
from tests.spark import JAVA, needs_spark

pytestmark = [needs_spark, pytest.mark.slow]

ROWS = 3000
FRAME = pl.DataFrame(
    {
        "age": [20 + row * 7 % 50 for row in range(ROWS)],
        "zip": [f"{10 + row % 37 * (row % 5 > 0)}" for row in range(ROWS)],
        "ill": [["flu", "HIV", "rash", "cold"][row * 5 % 4] for row in range(ROWS)],
    }
)
PLAN = shoal.Plan(
    columns={"age": shoal.quasi(), "zip": shoal.quasi(), "ill": shoal.sensitive()},
    models=[shoal.KAnonymity(k=5), shoal.LDiversity("ill", l=2)],
)
RUN = """
import os, signal, sys
import shoal
from pathlib import Path
from pyspark.sql import SparkSession
from shoal.engines import spark_frames, spark_rows
from shoal.pipeline import anonymize_to
from tests.contract.test_spark_cluster import PLAN
from tests.spark import JAVA, SETTINGS

spark_rows._ROWS_OF_PARTITION, spark_frames._SMALL = 500, 0  # both workers hold rows, and results are shuffled
source, out, master, step, process = sys.argv[1:]
builder = SparkSession.builder.master(master).config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
settings = {**SETTINGS, "spark.executor.extraJavaOptions": JAVA}
settings |= {"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.task.maxFailures": "8"}
for key, value in settings.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
while len(session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) < 3:  # the driver counts
    pass

def progress(at, share=0.0):
    if at == step:
        os.kill(int(process), signal.SIGKILL)

plan = PLAN.changed(data=shoal.Data(source=source))
print(anonymize_to(plan, out, engine="spark", progress=progress).digest)
session.stop()
"""


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _started(kind: str, *arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    """A master or a worker. The process that is started becomes Java itself, so that it can be killed."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder)}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": str(home)}
    environment["SPARK_DAEMON_JAVA_OPTS"] = JAVA
    log = (folder / f"{kind}.log").open("ab")
    name = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
    command = [str(home / "bin/spark-class"), name, "--host", "127.0.0.1", "--webui-port", "0", *arguments]
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The URL of a master with two workers, and the process of one of the workers."""
    port = _free_port()
    url = f"spark://127.0.0.1:{port}"
    processes = [_started("Master", "--port", str(port), folder=tmp_path)]
    try:
        for _ in range(100):
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        processes += [_started("Worker", "--cores", "1", "--memory", "600m", url, folder=tmp_path) for _ in range(2)]
        yield url, processes[1].pid
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def test_a_worker_that_is_killed_does_not_change_the_release(cluster: tuple[str, int], tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(4):
        FRAME[number::4].write_parquet(source / f"part-{number}.parquet")
    whole = tmp_path / "whole.parquet"
    FRAME.write_parquet(whole)
    (tmp_path / "local").mkdir()
    anonymize_to(PLAN.changed(data=shoal.Data(source=str(whole))), tmp_path / "local/out")
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["PYSPARK_PYTHON"] = sys.executable
    out = tmp_path / "cluster/out"
    out.parent.mkdir()
    arguments = [str(source), str(out), cluster[0], "form", str(cluster[1])]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert contents(out) == contents(tmp_path / "local/out")
    assert verify_folder(out, digest=done.stdout.split()[-1]).holds
    assert sorted(path.name for path in out.parent.iterdir()) == ["out", "out.private"]
