"""Condition, filter, update, projection and key-condition expressions: one grammar for the client and the engine.

Text → tokens (lexer) → syntax (parser) → nodes (resolve, ast) → closures (evaluating, update, projecting); and nodes →
text with generated placeholders (printer, builder). Imports errors and values only.
"""

from typing import TYPE_CHECKING

from tablewright.later import names_later

if TYPE_CHECKING:
    from tablewright.expressions.builder import Attr, ExpressionBuilder, all_of, any_of, not_
    from tablewright.expressions.comparison import equal, ordered
    from tablewright.expressions.compiled import (
        CompiledCondition,
        CompiledKeyCondition,
        CompiledProjection,
        CompiledUpdateExpression,
        compiled_condition,
        compiled_key_condition,
        compiled_projection,
        compiled_update,
        parse_condition,
        parse_key_condition,
        parse_projection,
        parse_update,
    )
    from tablewright.expressions.evaluating import compile_condition, evaluate
    from tablewright.expressions.keycondition import (
        KeyRange,
        check_filter_keys,
        check_scalar_keys,
        reduce_key_condition,
    )
    from tablewright.expressions.keyschema import KeySchema
    from tablewright.expressions.placeholders import check_names, check_unused, check_values
    from tablewright.expressions.printer import PlaceholderPool, print_condition, print_projection, print_update
    from tablewright.expressions.projecting import project
    from tablewright.expressions.reserved import RESERVED_WORDS, is_reserved
    from tablewright.expressions.resolve import Parsed, fixed
    from tablewright.expressions.update import CompiledUpdate, UpdateResult, apply_update
else:
    __getattr__ = names_later(
        globals(),
        {
            "builder": "Attr ExpressionBuilder all_of any_of not_",
            "comparison": "equal ordered",
            "compiled": (
                "CompiledCondition CompiledKeyCondition CompiledProjection CompiledUpdateExpression compiled_condition compiled_key_condition "
                "compiled_projection compiled_update parse_condition parse_key_condition parse_projection parse_update"
            ),
            "evaluating": "compile_condition evaluate",
            "keycondition": "KeyRange check_filter_keys check_scalar_keys reduce_key_condition",
            "keyschema": "KeySchema",
            "placeholders": "check_names check_unused check_values",
            "printer": "PlaceholderPool print_condition print_projection print_update",
            "projecting": "project",
            "reserved": "RESERVED_WORDS is_reserved",
            "resolve": "Parsed fixed",
            "update": "CompiledUpdate UpdateResult apply_update",
        },
    )

__all__ = [
    "RESERVED_WORDS",
    "Attr",
    "CompiledCondition",
    "CompiledKeyCondition",
    "CompiledProjection",
    "CompiledUpdate",
    "CompiledUpdateExpression",
    "ExpressionBuilder",
    "KeyRange",
    "KeySchema",
    "Parsed",
    "PlaceholderPool",
    "UpdateResult",
    "all_of",
    "any_of",
    "apply_update",
    "check_filter_keys",
    "check_names",
    "check_scalar_keys",
    "check_unused",
    "check_values",
    "compile_condition",
    "compiled_condition",
    "compiled_key_condition",
    "compiled_projection",
    "compiled_update",
    "equal",
    "evaluate",
    "fixed",
    "is_reserved",
    "not_",
    "ordered",
    "parse_condition",
    "parse_key_condition",
    "parse_projection",
    "parse_update",
    "print_condition",
    "print_projection",
    "print_update",
    "project",
    "reduce_key_condition",
]
