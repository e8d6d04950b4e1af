"""The surveyor's table and the types that its entities share."""

import os
import re
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from tablewright import GSI, SoftDelete, Table

surveyor = Table(
    "SurveyorData",
    indexes=[
        GSI("GSI1"),  # by kind, within a tenant
        GSI("GSI2"),  # by parent
        GSI("GSI3"),  # what waits to be synchronised
        GSI("GSI4"),  # by the time of the last change
        GSI("GSI5"),  # surveys by owner
    ],
)

PARTITIONS = {"tenant": "TENANT#{tenant_id}", "survey": "TENANT#{tenant_id}#SURVEY#{survey_id}"}
SURVEYS_ARE_WITH = os.environ.get("SURVEYOR_PARTITION", "tenant")
"""Whether a survey and its parts lie in the partition of their tenant, or each survey in one of its own."""
SURVEY_PARTITION = PARTITIONS[SURVEYS_ARE_WITH]


PROBLEM_LENGTH: Final = 500


def one_line(text: str) -> str:
    """Without control characters."""
    return re.sub(r"[\x00-\x1f\x7f]", "", text)


def several_lines(text: str) -> str:
    """Without control characters but line ends and tabs."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


Line = Annotated[str, AfterValidator(one_line)]
"""Text of one line: control characters, which devices let through, are dropped."""
Notes = Annotated[str, AfterValidator(several_lines), Field(max_length=5_000)]
"""The same for text of several lines, which keeps its line ends and tabs."""
ShortText = Annotated[Line, Field(max_length=100)]
Texts = Annotated[
    dict[Annotated[Line, Field(min_length=1, max_length=100)], Annotated[Line, Field(max_length=200)]],
    Field(max_length=50),
]
"""What is measured or specified, by its name."""
Problem = Annotated[str, AfterValidator(several_lines), Field(max_length=PROBLEM_LENGTH)]
"""Why something could not be synchronised."""
Description = Annotated[str, AfterValidator(several_lines), Field(max_length=2_000)]
Id = Annotated[str, Field(min_length=1, max_length=36, pattern=r"^[A-Za-z0-9_.~-]+$")]
"""Ids are made by programs: letters, digits and a few signs, so that keys show them as they are."""
TenantId = Annotated[str, Field(min_length=1, max_length=36)]
"""Tenants are named by whoever signs people in, who may use any sign; keys escape those that mean something in them."""
Position = Annotated[int, Field(ge=0, lt=1_000_000)]
SyncStatus = Literal["synced", "pending", "failed"]
Unsynced = Literal["pending", "failed"]
SurveyStatus = Literal["draft", "in_progress", "completed", "published", "archived"]
Condition = Literal["Excellent", "Good", "Fair", "Poor", "N/A"]
PhraseKind = Literal["Defect", "Condition"]
Photos = Annotated[list[Annotated[Line, Field(max_length=300)]], Field(max_length=50)]
Role = Literal["owner", "editor", "viewer"]

IN_FEED = SoftDelete(keep=timedelta(days=30), feed="GSI4")
"""What is deleted shows in the feed for a month, so that devices which were away hear of it."""
