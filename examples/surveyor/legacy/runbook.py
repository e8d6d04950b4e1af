"""The runbook of the surveyor's move: the decision on its order, the four weeks, and the steps with their ways back."""

from typing import Final

from tablewright.evolve.moving import Moving, runbook

from .tables import DOCUMENTS, NAMES

COMMAND: Final = "tablewright move"
REHEARSAL: Final = "python -m examples.surveyor.legacy"
MOVING: Final = "examples.surveyor.legacy.from_tables"

DECISION: Final = """\
## Decision: one table before the sync engine

The surveyor shall get one table, and a sync engine for devices. Which comes first?

| Order | Weeks | Together |
|---|---|---|
| one table, then the sync engine | 4 + 7 to 9 | 11 to 13 |
| the sync engine, then one table | 7 to 9 + 6 | 13 to 15 |

The table comes first. Push and pull are then written once, against one feed of changes and one queue, instead of once for each legacy table and
again after the move; a move under a running sync engine is the harder one, six weeks instead of four. Each part of a survey is an item of its
own from the first day, so that devices meet only where people really edit the same thing.

The plan expects costs lower by 40 to 50 %, writes faster by 70 % and reads by 50 %. `make bench-surveyor` measures what of it holds;
[what was found](../../../docs/explanation/surveyor-single-table.md) is told in the explanations."""

_WEEKS: Final[list[tuple[str, list[tuple[str, str]]]]] = [
    (
        "Week 1: design and setup",
        [
            (
                "Settle the schema of the one table",
                "`tablewright check examples/surveyor/model.py`: every pattern is proved",
            ),
            (
                "Create the new table",
                f"`{COMMAND} prepare`; or deploy what `tablewright generate` makes, and prepare for the ledger",
            ),
            (
                "Configure the five indexes",
                "with the table; `tablewright generate` writes CloudFormation, CDK and Terraform",
            ),
            (
                "Set up auto-scaling",
                "the model's deployment says on-demand or limits; `tablewright cost` compares both",
            ),
        ],
    ),
    (
        "Week 2: tools of the move",
        [
            (
                "Write the migration",
                f"`{COMMAND} plan --all`: the mapping is tried on every row; go on when it ends with 0",
            ),
            (
                "Create verification",
                f"`{COMMAND} verify`: counts, fields both ways, checksums, orphans; it ends with 1 if anything differs",
            ),
            ("Build the way back", f"`{COMMAND} back` and `{COMMAND} kill`, each tried in a rehearsal"),
            ("Test with sample data", f"`{REHEARSAL} demo rehearsal.db`, then every step below on it"),
        ],
    ),
    (
        "Week 3: application",
        [
            (
                "Update the data layer",
                "writes through `open_moving(...)`, reads by `reads()`; afterwards `Surveyor(db, tenant)`",
            ),
            ("Modify the GraphQL resolvers", "`examples/surveyor/web` has those of the new store"),
            ("Update the sync logic", "`changes_since` and `sync_queue` take the place of a query for each table"),
            (
                "Implement the feature flag",
                "`single-table-reads`, with a stable share of users; it is part of the session",
            ),
        ],
    ),
    (
        "Week 4: testing and cut-over",
        [
            ("Test performance", "`make bench-surveyor`, and `tablewright load` with many users at once"),
            (
                "Verify the data",
                f"`{COMMAND} verify --writing` while the application goes on, and `verify` at a quiet moment",
            ),
            ("Roll out gradually: 10 %, 50 %, 100 %", f"`{COMMAND} switch 10`, `switch 50`, `switch 100`, a day apart"),
            ("Monitor and optimise", "`session.shadow_report()`, and `tablewright advise` on what was observed"),
            (
                "Set up CloudWatch alarms",
                "`tablewright generate` with alarms; `examples/surveyor/measuring.py` publishes timings",
            ),
            ("Configure auto-scaling policies", "by what was consumed: `tablewright cost --as-observed`"),
            ("Enable point-in-time recovery", "`tablewright pitr on`"),
            (
                "Set up expiry of temporary data",
                "the attribute `ttl` of SyncItem and TempData; it is deployed with the table",
            ),
        ],
    ),
]


def surveyor_runbook(moving: Moving) -> str:
    """All of it, in Markdown."""
    weeks = [f"### {title}\n\n" + "\n".join(f"- [ ] {task}: {how}." for task, how in tasks) for title, tasks in _WEEKS]
    own = runbook(moving, MOVING).partition("\n")
    lines = [
        "# Moving the surveyor to one table",
        f"From {len(NAMES) - 1} tables ({', '.join(NAMES[:-1])}) and {DOCUMENTS}, which already held two kinds. This page is made by "
        f"`{REHEARSAL} runbook`; a test holds it to the mapping.",
        DECISION,
        "## Four weeks",
        *weeks,
        f"## Commands\n\nEach takes `{MOVING}` and `--on PLACE` (a file, a URL, `aws:REGION`), and can be repeated; "
        "`from_flat` is for installations with the flat form.\n\n"
        + "\n".join(f"- `{COMMAND} {command}`" for command in _COMMANDS)
        + f"\n\n`{REHEARSAL} reads PLACE > reads.jsonl` writes reads of some rows of each table for `shadow`.",
        "## Safety\n\n- Legacy tables are written and kept for "
        f"{moving.safety_period.days} days after all reads are switched; only then can they be retired, with archives.\n"
        "- Up to then every step has its way back, and `kill` sends all readers to the legacy tables within seconds.",
        own[2].strip(),
    ]
    return "\n\n".join(lines) + "\n"


_COMMANDS: Final = (
    "plan --all",
    "prepare",
    "advance dual",
    "backfill --write [--max-write-units N]",
    "repair --write",
    "verify [--writing]",
    "advance shadow",
    "shadow --reads reads.jsonl --tell",
    "advance switched",
    "switch PERCENT",
    "kill",
    "back",
    "advance new",
    "retire FOLDER --write [--delete-ledger]",
    "status",
)
