"""Keys of an entity in words, in code, and with the names that their fields have now."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from tablewright.evolve.differences.describing import KeysDescription


def renamed_keys(keys: KeysDescription, renamed: Mapping[str, str]) -> KeysDescription:
    """The keys with fields by their new names."""

    def side(templates: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(renamed_template(template, renamed) for template in templates)

    def words(text: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda found: renamed.get(found[0], found[0]), text)

    derived = {name: words(text) for name, text in keys.derived.items()}
    when = None if keys.when is None else words(keys.when)
    forms = {renamed.get(name, name): form for name, form in keys.forms.items()}
    return KeysDescription(side(keys.pk), side(keys.sk), when, derived, forms)


def renamed_template(template: str, renamed: Mapping[str, str]) -> str:
    return re.sub(r"(?<=\{)\w+", lambda found: renamed.get(found[0], found[0]), template)


def shown_keys(keys: KeysDescription) -> str:
    """The keys for people."""
    text = " / ".join(" + ".join(side) for side in (keys.pk, keys.sk) if side)
    return text + "".join(f", {name}: {what}" for name, what in keys.derived.items())


def keys_code(index: str, keys: KeysDescription, local: bool = False) -> str:
    """The keys on an index as they are declared."""
    sides = [_side_code(side) for side in ((keys.sk,) if local else (keys.pk, keys.sk)) if side]
    given = sides[0] if len(sides) == 1 else f"({', '.join(sides)})"
    if keys.when is not None:
        given = f"sparse({', '.join(sides)}, when=...)"
    return f"{index}={given}"


def _side_code(templates: tuple[str, ...]) -> str:
    quoted = [f'"{template}"' for template in templates]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


def instead(old: KeysDescription, new: KeysDescription) -> str:
    """What the keys are, and were."""
    if replace(old, forms=new.forms) != new:
        return f"{shown_keys(new)} instead of {shown_keys(old)}"
    said = [
        f"{{{name}}} written as {new.forms[name]} instead of {old.forms.get(name, 'nothing')}"
        for name in reformed(old, new)
    ]
    return f"{shown_keys(new)} with {' and '.join(said)}"


def reformed(old: KeysDescription, new: KeysDescription) -> list[str]:
    """Fields that are in both, and are written in another form."""
    return [name for name, form in new.forms.items() if old.forms.get(name, form) != form]


def only_reformed(old: KeysDescription, new: KeysDescription) -> bool:
    """Whether the form of fields is all that differs."""
    return old != new and replace(old, forms=new.forms) == new
