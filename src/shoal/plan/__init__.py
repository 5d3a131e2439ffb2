"""The plan: the frozen description of a release, with its checks, its TOML form and its schema."""

from shoal.plan.engine import EngineSettings
from shoal.plan.plan import Plan
from shoal.plan.release import ReleaseSettings
from shoal.plan.schema import schema
from shoal.plan.thresholds import RiskSettings
from shoal.plan.toml import read_plan

__all__ = ["EngineSettings", "Plan", "ReleaseSettings", "RiskSettings", "read_plan", "schema"]
