"""A shell script that makes the table and what stands around it with AWS's command line, and can be run again."""

from __future__ import annotations

import json
import re

from tablewright.generate.infrastructure.description import STAGE, TABLE, Infrastructure, describe
from tablewright.generate.infrastructure.requests import Call, around, create, expire, recover
from tablewright.generate.material import Material


def shell_script(material: Material) -> str:
    """The script, for bash."""
    infrastructure = describe(material.plan)
    steps = [_head(infrastructure), _existing(infrastructure), 'aws dynamodb wait table-exists --table-name "$TABLE"\n']
    expiry = expire(infrastructure)
    if expiry is not None:
        steps.append(
            "# Switching it on again is refused.\n"
            'expiry=$(aws dynamodb describe-time-to-live --table-name "$TABLE" \\\n'
            "    --query TimeToLiveDescription.TimeToLiveStatus --output text)\n"
            f'if [ "$expiry" = DISABLED ]; then\n{_command(expiry)}fi\n'
        )
    steps.append(_command(recover(infrastructure)))
    steps += [_command(call) for call in around(infrastructure)]
    return "\n".join(steps)


def _head(infrastructure: Infrastructure) -> str:
    lines = [
        "#!/usr/bin/env bash",
        f"# Makes the DynamoDB table of the model {infrastructure.label}, and what stands around it; what is there already stays.",
        "# Made from the model by `tablewright generate`. Region and credentials come from the environment.",
        "set -euo pipefail",
        'export AWS_PAGER="" AWS_DEFAULT_OUTPUT=text',
        "",
    ]
    if infrastructure.staged:
        lines.append('STAGE=${STAGE:?"set it to the stage, which is part of the name of the table"}')
    lines.append(f'TABLE="{infrastructure.name.replace(STAGE, "${STAGE}")}"')
    if infrastructure.alarms:
        lines += [
            "# The ARN of the SNS topic that alarms tell; nobody is told without one.",
            f"ALARM_TOPIC=${{ALARM_TOPIC-{infrastructure.topic or ''}}}",
        ]
    return "\n".join(lines) + "\n"


def _existing(infrastructure: Infrastructure) -> str:
    there = 'if ! aws dynamodb describe-table --table-name "$TABLE" > /dev/null 2>&1; then\n'
    return f"{there}{_command(create(infrastructure))}fi\n"


def _command(call: Call) -> str:
    """One call, whose request the shell fills in: what is special to it in a text is escaped."""
    text = re.sub(r"([\\$`])", r"\\\1", json.dumps(call.request, indent=2, ensure_ascii=False))
    told = ' ${ALARM_TOPIC:+--alarm-actions "$ALARM_TOPIC"}' if call.operation == "put_metric_alarm" else ""
    start = f'aws {call.service} {call.command}{told} --cli-input-json "$(cat <<JSON\n'
    return f'{start}{text.replace(TABLE, "$TABLE")}\nJSON\n)"\n'
