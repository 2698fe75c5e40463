"""Which metric names the tool treats as primary, that is worth repeating and comparing."""

_PREFIXES = (
    "max/",
    "min/",
    "median/",
    "std/",
    "sem/",
    "se/",
    "p25/",
    "p75/",
    "ci_low_95/",
    "ci_high_95/",
    "histogram/",
)
RUN_SUFFIXES = ("/std_dev_across_runs", "/std_err_across_runs", "/avg_sample_std_dev")
_SUFFIXES = (
    *("/max", "/min", "/median", "/p5", "/p25", "/p75", "/p95", "/ci_low_95", "/ci_high_95", "/ci_lower", "/ci_upper"),
    *("_ci_lower", "_ci_upper", "_ci95_lower", "_ci95_upper", "/_ng_attempt_index"),
    *RUN_SUFFIXES,
)
_NAMES = frozenset(
    (
        *("_ng_task_index", "_ng_rollout_index", "_ng_attempt_index"),
        *("sample_count", "missing_count", "num_repeats", "token_usage_version"),
    )
)


def is_primary(name: str) -> bool:
    """True for a metric that is neither a spread, an end of an interval, a quantile nor bookkeeping."""
    return (
        name not in _NAMES
        and not name.startswith(_PREFIXES)
        and not name.endswith(_SUFFIXES)
        and "_across_repeats/" not in name
    )
