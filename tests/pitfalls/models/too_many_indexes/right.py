"""An index for each question: mended."""

from tablewright import GSI, Table

app = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])
