"""The prover: for each access pattern of a table the exact requests and what they cost at worst, or why no key serves it,
what would, and made-up items that show it."""

from tablewright.compiler.proofs.prover import prove
from tablewright.compiler.proofs.results import Edit, PatternProof, Problem, RequestProof, TableProof
from tablewright.compiler.reasons import Counterexample, ExampleItem, Kind, Reason

__all__ = [
    "Counterexample",
    "Edit",
    "ExampleItem",
    "Kind",
    "PatternProof",
    "Problem",
    "Reason",
    "RequestProof",
    "TableProof",
    "prove",
]
