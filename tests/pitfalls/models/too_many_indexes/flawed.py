"""An index for each question."""

from tablewright import GSI, Table

app = Table("Shop", indexes=[GSI(f"GSI{number}") for number in range(1, 22)])
