"""Jobs: work on every item of a table while applications go on using it."""

from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.counting import Counts, Progress, Report, Spent
from tablewright.evolve.jobs.estimating import Estimate
from tablewright.evolve.jobs.in_file import InFile
from tablewright.evolve.jobs.in_table import InTable
from tablewright.evolve.jobs.job import Job, JobOptions, run
from tablewright.evolve.jobs.leaving import Left
from tablewright.evolve.jobs.work import Decision, Skipped, Work, WorkBeside, Writes

__all__ = [
    "Checkpoints",
    "Counts",
    "Decision",
    "Estimate",
    "InFile",
    "InTable",
    "Job",
    "JobOptions",
    "Left",
    "Progress",
    "Report",
    "Skipped",
    "Spent",
    "Work",
    "WorkBeside",
    "Writes",
    "run",
]
