"""Profile expressions: what they may say, and that nothing else gets through."""

from typing import Any

import pyarrow as pa
import pytest

from blade_pipeline.method import expressions
from blade_pipeline.method.expressions import check_expressions, evaluate
from blade_pipeline.models import BladeError
from blade_pipeline_tests.builders import aligned


def _masks(rows: list[dict[str, Any]], *expressions: str) -> list[list[bool]]:
    return [mask.tolist() for mask in evaluate(aligned(rows), expressions)]


def test_columns_json_fields_and_maps_can_be_compared_in_one_query() -> None:
    rows = [
        {"task": 1, "score": 1.0, "verifier": {"verdict": "yes"}, "numbers": {"turns": 3}},
        {"task": 2, "score": 0.0, "verifier": {"verdict": "no"}, "response": {"status": "incomplete"}},
        {"task": 3, "outcome": "missing"},
    ]
    assert _masks(
        rows,
        "passed",
        "verifier->>'verdict' = 'no' and score < 1",
        "response->>'status' = 'incomplete'",
        "numbers['turns'] >= 3",
    ) == [[True, False, False], [False, True, False], [False, True, False], [True, False, False]]


def test_null_counts_as_false() -> None:
    assert _masks([{"task": 1, "outcome": "missing"}], "score > 0", "not (score > 0)") == [[False], [False]]


def test_no_expressions_give_no_masks_and_no_rows_give_empty_masks() -> None:
    assert evaluate(aligned([]), []) == []
    assert _masks([], "score > 0") == [[]]


def test_a_comment_ends_with_its_line() -> None:
    assert _masks([{"task": 1, "score": 1.0}], "score > 0 -- really") == [[True]]


def test_an_unknown_column_gets_a_suggestion() -> None:
    with pytest.raises(
        BladeError, match=r"'tool_eror > 2' names an unknown column 'tool_eror'; did you mean 'tool_err"
    ):
        check_expressions(["score > 0", "tool_eror > 2"])


def test_an_unknown_function_gets_a_suggestion() -> None:
    with pytest.raises(BladeError, match="did you mean 'length'"):
        check_expressions(["lenght(task) > 1"])


@pytest.mark.parametrize("expression", ["score", "verifier->>'verdict'", "null", "score > 0, passed", "()", " "])
def test_only_booleans_are_expressions(expression: str) -> None:
    with pytest.raises(BladeError, match=r"boolean|must be one expression"):
        check_expressions([expression])


@pytest.mark.parametrize(
    "expression",
    [
        "true; drop table samples",
        "true) from samples; select (true",
        "true) as v from samples where (score > 1",
        "true) as v from samples union all select (true",
        "true) as v from read_csv('/etc/passwd') where (true",
        "true as v, 1",
        "(select true)",
        "exists(from read_text('/etc/passwd'))",
        "task in (from samples)",
        "read_text('/etc/passwd') is null",
        "max(score) > 1",
        "row_number() over () > 1",
        "unnest([true])",
        "random() > 0.5",
        "now() > make_timestamp(0)",
        "current_timestamp is null",
        "current_date > '2020-01-01'",
        "current_setting('threads') = '1'",
        "getvariable('x') is null",
        "nextval('s') > 0",
        "sleep_ms(1) is null",
        "localtimestamp is null",
        "current_user = 'eve'",
        "columns('passed')",
        "*",
        "$1",
        "score > ?",
        "score > 0 /*",
        "score > 0 --\n; select 1",
        "set threads = 4",
        "attach 'x.db'",
        "copy samples to 'x.csv'",
        "true) as v from (with x as (copy (select 1) to 'x.csv') from x) where (true",
        "'a' = (with x as (copy (select 1) to 'x.csv') from x)",
        "json_execute_serialized_sql('{}') is null",
        "query('select 1') is null",
        "getenv('HOME') is null",
        "write_log('x') is null",
        "glob('/*') is null",
        "install httpfs",
        "pragma threads = 4",
        "/* */",
        "passed; --",
        "- " * 900 + "score > 0",
        "[" * 600 + "1" + "]" * 600 + " is null",
        "'\ud800' = task",
        "passed -- \udfff",
    ],
)
def test_everything_but_one_row_wise_expression_is_refused(expression: str) -> None:
    with pytest.raises(BladeError):
        check_expressions([expression])


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("repeat(task, 1000000000) = ''", r"calls repeat\(\), which is not among the functions of an expression"),
        ("lpad(task, 1000000000, 'x') = ''", r"calls lpad\(\)"),
        ("len(range(1000000000)) > 1", r"calls range\(\)"),
        ("format('{:>1000000000}', task) = ''", r"calls format\(\)"),
        ("pg_sleep(1000) is null", r"calls pg_sleep\(\)"),
        ("list_reduce(string_split(task, ''), lambda a, x: a || a) = ''", r"calls list_reduce\(\)"),
        ("len([a + b for a in [1] if a > 0]) > 1", r"calls list_\w+\(\)"),
        ("hex(hex(hex(task))) = ''", r"calls hex\(\)"),
        ("replace(replace(task, 'a', 'aaaa'), 'a', 'aaaa') = ''", r"calls replace\(\) with a replacement that may"),
        ("replace(task, 'a', agent) = ''", r"calls replace\(\) with a replacement that may be longer"),
        ("regexp_replace(task, 'x*', 'yy', 'g') = ''", r"calls regexp_replace\(\) with a replacement that may be long"),
        ("task::bit::text = ''", "casts to bit; cast to a number, text, a date or a time"),
        ("[[task]::text]::text = ''", "casts to text what was cast to text already"),
        ("task::bignum > 1", "casts to bignum"),
        ("'' = " + " || ".join(["task"] * 12), "joins texts with || more than 10 times"),
        ("score" + " + score" * 400 + " > 0", "has 3209 characters; at most 2000 can be"),
        ("regexp_matches(task, '((a{1,100}){1,100}){1,100}')", "cannot be evaluated: Invalid Input Error"),
    ],
)
def test_what_may_take_time_or_memory_out_of_proportion_is_refused(expression: str, sentence: str) -> None:
    with pytest.raises(BladeError, match=sentence):
        check_expressions([expression])


def test_towers_and_regular_expressions_that_never_end_in_other_engines_are_answered() -> None:
    rows = [{"task": 1, "score": 1.0, "verifier": {"said": "a" * 5000}}]
    assert _masks(
        rows,
        "2 ** 3 ** 4 ** 5 ** 999999 > 1",
        "regexp_matches(verifier->>'said', '^(a+)+$')",
        "regexp_matches(verifier->>'said', '(a*)*b')",
        "verifier->>'said' like '%a%a%a%a%a%a%a%a%b'",
    ) == [[True], [True], [False], [False]]


def test_commas_may_be_taken_out_of_numbers() -> None:
    rows = [{"task": 1, "verifier": {"n": "1,234 items"}}]
    expression = "try_cast(regexp_replace(replace(verifier->>'n', ',', ''), '[^0-9]', '', 'g') as int) = 1234"
    assert _masks(rows, expression) == [[True]]


def test_a_query_that_takes_too_long_is_stopped_between_two_pieces_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.concat_tables([aligned([{"task": 1, "verifier": {"said": "ab" * 5000}}])] * 20_000).combine_chunks()
    slow = " or ".join(f"regexp_matches(verifier->>'said', '[ab]*a[ab]{{{n}}}c')" for n in range(400, 420))
    monkeypatch.setattr(expressions, "LIMIT_SECONDS", 1)
    expressions._database.cache_clear()
    try:
        with pytest.raises(BladeError, match="takes longer than 1 s over this run; make it simpler"):
            evaluate(rows, [slow])
    finally:
        expressions._database.cache_clear()


def test_a_failing_cast_names_its_expression_and_the_mend() -> None:
    rows = aligned([{"task": 1, "score": 1.0, "verifier": {"n": "many"}}])
    with pytest.raises(BladeError, match=r"'cast\(verifier->>'n' as int\) > 1' .*use try_cast"):
        evaluate(rows, ["score > 0", "cast(verifier->>'n' as int) > 1"])


def test_settings_are_locked_and_files_are_out_of_reach() -> None:
    from blade_pipeline.method.expressions import _database

    with _database().cursor() as connection:
        for statement in ("set enable_external_access = true", "from read_text('/etc/hostname')"):
            with pytest.raises(Exception, match=r"(?i)lock|disabled|permission"):
                connection.execute(statement).fetchall()
