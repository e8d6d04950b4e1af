"""The linter: rules that look at a whole model and say what will hurt later. `lint(table)` gives its findings.

One rule is one file in `rules/<family>/`; its docstring is its documentation, with an example that it finds and one that it
does not.
"""

from tablewright.lint.findings import Finding, Place, Severity
from tablewright.lint.running import lint

__all__ = ["Finding", "Place", "Severity", "lint"]
