"""What programs send to the REST interface, and what it answers: typed values, which OpenAPI describes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Path_ = Field(description="A path in the project or an allowed folder, relative to the project or absolute.")

Seed = Annotated[int, Field(ge=0, le=2**32 - 1, description="The seed of what is drawn.")]


class Given(BaseModel):
    """What a program sends; an unknown key is an error, because it may be misspelled, and so is `"5"` for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Table(Given):
    """A table and how it is read."""

    source: str = Field(description="The path of a table file, or the URL of a database.")
    query: str | None = Field(
        None, description='For a database: SELECT * FROM "schema"."table", as `POST /tables` lists it; no other query.'
    )
    separator: str | None = Field(None, description="The separator of a text file; detected by default.")
    header: bool | None = Field(None, description="False if a text file has no header line.")
    sheet: str | None = Field(None, description="The sheet of an Excel workbook.")

    def reading(self) -> dict[str, Any]:
        """How the table is read."""
        return {"separator": self.separator, "header": self.header, "sheet": self.sheet, "query": self.query}


class TablesAsked(Given):
    """The tables and views of a database."""

    database: str = Field(description="The path of a SQLite file, or a URL without a password.")


class SampleAsked(Table):
    """The first rows of a table."""

    rows: int = Field(20, ge=0, le=1000)


class ValuesAsked(Table):
    """The most frequent values of a column."""

    column: str
    limit: int = Field(200, ge=1, le=10_000)


class ProfileAsked(Table):
    """The profile of a table and a draft plan."""

    purpose: Literal["general", "classification", "wide"] = "general"
    target: str | None = Field(None, description="The column to be predicted, with purpose = classification.")


class PlanGiven(Given):
    """A plan, as the text of a TOML file or as its tables in JSON; its paths are relative to the project."""

    plan: str | dict[str, Any]


class RunAsked(PlanGiven):
    """A run of a plan."""

    name: str = Field("", max_length=200)


class SuggestAsked(PlanGiven):
    """Variants of a plan, and the one with the best utility within thresholds of risk; models are never weakened."""

    use: Literal["general", "classification", "counts"] = "general"
    risk: dict[str, float] = Field({}, description="Thresholds by name, such as highest or average.")
    suppression: float | None = Field(None, ge=0, le=1, description="The share of rows that may be suppressed.")
    budget: int = Field(100, ge=1, le=1000, description="The number of plans to try.")
    seed: Seed = 0


class RiskAsked(Given):
    """The risk of a table or a release."""

    data: str = Field(description="A run, or the path of a table file or of the folder of a release.")
    plan: str | None = Field(None, description="The path of a plan with roles, models and thresholds.")
    raw: str | None = Field(None, description="The path of the input of the release.")
    reference: str | None = Field(None, description="The path of the intruder's table of individuals.")
    sampling_fraction: float | None = Field(None, gt=0, le=1)
    attacks: bool = True
    seed: Seed = 0
    views: list[Literal["hipaa", "ema", "gdpr"]] = []


class VerifyAsked(Given):
    """The verification of a release from its files alone."""

    release: str = Field(description="A run, or the path of the folder of a release.")
    plan: str | None = Field(None, description="The path of a plan: roles and promises are taken from it.")
    digest: str | None = Field(None, description="The digest that was printed when the release was made.")


class CompareAsked(Given):
    """Releases side by side."""

    releases: list[str] = Field(min_length=2, max_length=50, description="Runs, or paths of folders of releases.")
    raw: str | None = Field(None, description="The path of the input of the releases, to measure their query error.")


class Problem(BaseModel):
    """Why something failed, without a value of the data; `exit_code` is that of the command line."""

    error: str
    allowed: str = ""
    hint: str = ""
    exit_code: int = 2


class JobShown(BaseModel):
    """A job: ask for it again to see how far it is; its result is there when its state is `done`."""

    id: str
    kind: str
    state: Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
    step: str
    share: float
    doing: str
    seconds: float
    failure: Problem | None
    run: str | None


class RunShown(BaseModel):
    """A run of a plan: its state, and the figures of its release when it is done.

    It is `damaged` if its record in the project cannot be read; its files can be fetched and deleted.
    """

    id: str
    name: str
    state: Literal["queued", "running", "done", "failed", "cancelled", "interrupted", "damaged"]
    step: str
    share: float
    created: str
    started: str
    finished: str
    failure: Problem | None
    summary: dict[str, Any]


class Uploaded(BaseModel):
    """A file in the project that was uploaded."""

    name: str
    path: str
    bytes: int


class Entry(BaseModel):
    """A file or folder that may be read."""

    name: str
    path: str
    is_folder: bool
    bytes: int


class Status(BaseModel):
    """The studio and its project."""

    version: str
    project: str
    folder: str
    allowed: list[str]
    upload_limit: int
    read_only_inputs: bool


class ParameterShown(BaseModel):
    """A parameter of a model or an algorithm."""

    name: str
    meaning: str
    allowed: str
    required: bool
    default: Any


class KindShown(BaseModel):
    """A model or an algorithm, as a plan names it."""

    kind: str
    about: str
    parameters: list[ParameterShown]
