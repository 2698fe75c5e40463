"""What a profile's expression may call: functions whose time and memory stay in proportion to the row.

DuckDB's regular expressions and LIKE take time linear in the text. What can multiply text or lists (``repeat``,
``range``, ``format``, functions that take a lambda, growing replacements, casts to binary types and back) is left
out, so that no expression of bounded length can take more than a bounded time for a row.
"""

from typing import Any

from blade_pipeline.method.syntax import nodes_of

LONGEST = 2000
"""Characters of one expression."""

_MOST_CONCATENATIONS = 10

_OPERATORS = "+ - * / // % ** ^ @ & | << >> ~ -> ->> || ~~ !~~ ~~* !~~* ~~~ like_escape ilike_escape not_like_escape"
_TEXT = """
    lower upper lcase ucase trim ltrim rtrim reverse length len strlen char_length character_length ascii ord unicode
    contains starts_with prefix ends_with suffix instr strpos position substr substring left right split_part
    string_split split str_split string_to_array regexp_matches regexp_full_match regexp_extract replace regexp_replace
    translate strip_accents md5 sha256 hash jaccard
"""
_JSON = """
    json_extract json_extract_string json_extract_path json_extract_path_text json_value json_exists json_contains
    json_type json_valid json_array_length json_keys
"""
_LISTS = """
    list_value list_contains list_has list_has_any list_has_all list_position list_indexof list_extract list_element
    array_contains array_has array_has_any array_has_all array_length array_position list_distinct list_unique
    list_count list_sum list_avg list_min list_max list_any_value list_first list_last list_bool_and list_bool_or
    map_contains map_extract map_extract_value map_keys map_values element_at cardinality array_extract
"""
_NUMBERS = """
    abs ceil ceiling floor round round_even trunc sqrt cbrt ln log log10 log2 exp pow power sign mod fmod divide fdiv
    add subtract multiply isnan isinf isfinite greatest least xor gcd lcm sin cos tan asin acos atan atan2 radians
    degrees pi even bit_count
"""
_TIMES = """
    date_part datepart date_diff datediff date_sub datesub date_trunc datetrunc date_add year month day hour minute
    second millisecond quarter week weekday dayofweek dayofmonth dayofyear dayname monthname isodow isoyear epoch
    epoch_ms epoch_us last_day make_date make_timestamp strptime try_strptime to_timestamp to_seconds to_minutes
    to_hours to_days to_weeks to_months to_years to_milliseconds to_microseconds
"""
_CHOICES = "if nullif typeof row"

FUNCTIONS = frozenset(" ".join((_OPERATORS, _TEXT, _JSON, _LISTS, _NUMBERS, _TIMES, _CHOICES)).split())
"""Every function and operator that an expression may call, by DuckDB's names."""

_TEXT_TYPES = frozenset({"varchar", "text", "string", "char", "bpchar", "json"})
TYPES = _TEXT_TYPES | frozenset(
    """
    boolean bool logical tinyint int1 smallint int2 short integer int int4 signed bigint int8 long hugeint utinyint
    usmallint uinteger ubigint uhugeint float float4 real double float8 decimal numeric dec date time timestamp
    datetime timestamp_s timestamp_ms timestamp_ns timestamptz interval
    """.split()
)
"""Every type that an expression may cast to."""


def refusal(tree: dict[str, Any]) -> str | None:
    """Why an expression's parse tree may take time or memory out of proportion; None when it may not."""
    nodes = list(nodes_of(tree))
    if sum(node.get("function_name") == "||" for node in nodes) > _MOST_CONCATENATIONS:
        return f"joins texts with || more than {_MOST_CONCATENATIONS} times"
    return next((found for node in nodes if (found := _of_node(node)) is not None), None)


def _of_node(node: dict[str, Any]) -> str | None:
    name = str(node.get("function_name", "")).lower()
    if name and name not in FUNCTIONS:
        return f"calls {name}(), which is not among the functions of an expression"
    if name in ("replace", "regexp_replace") and not _shortens(name, node):
        return f"calls {name}() with a replacement that may be longer than what it replaces; write both as literals"
    kind = _cast_to(node)
    if kind is not None and kind not in TYPES:
        return f"casts to {kind}; cast to a number, text, a date or a time"
    if kind in _TEXT_TYPES and any(_cast_to(inner) in _TEXT_TYPES for inner in nodes_of(node.get("child"))):
        return "casts to text what was cast to text already"
    return None


def _shortens(name: str, node: dict[str, Any]) -> bool:
    """Whether a replacement is a literal no longer than the literal it replaces; a pattern may match nothing at all."""
    found, replacement = [_literal(argument) for argument in [*node.get("arguments", ()), {}, {}, {}][1:3]]
    if found is None or replacement is None:
        return False
    return not replacement or (name == "replace" and len(replacement.encode()) <= len(found.encode()))


def _literal(argument: dict[str, Any]) -> str | None:
    literal = argument.get("expression", {}).get("literal", {})
    return str(literal["text"]) if literal.get("kind") == "STRING" else None


def _cast_to(node: dict[str, Any]) -> str | None:
    """The type that a cast names, in lower case; None for anything but a cast."""
    if node.get("class") != "CAST":
        return None
    return str(node.get("type_expr", {}).get("type_name", "an unnamed type")).lower()
