"""The numbers that NeMo Gym 0.7.0 gives, under its own names."""

from blade_pipeline import statistics as st
from blade_pipeline.metrics.metric import Metric

GYM_NATIVE = (
    Metric(
        name=(
            "`native.mean/<field>`, `native.max/<field>`, `native.min/<field>`, `native.median/<field>`, "
            "`native.std/<field>`"
        ),
        formula="over rollouts (micro)",
        denominator="measured rows that hold the field",
        source="NeMo Gym 0.7.0",
        question="how is the field spread over rows?",
        functions=(st.native.baseline_statistics,),
    ),
    Metric(
        name="`native.<statistic>_across_repeats/mean/<field>`",
        formula="over the repeats' means; t with repeats - 1 df",
        denominator="repeats, equally weighted",
        source="NeMo Gym 0.7.0",
        question="these tasks",
        functions=(
            st.native.repeat_level,
            st.native.across_repeats,
        ),
    ),
    Metric(
        name="`native.coverage/<count>`",
        formula="counts, absent when nothing is masked",
        denominator="rows",
        source="NeMo Gym 0.7.0",
        question="how many rows are masked?",
        functions=(st.native.coverage_block,),
    ),
    Metric(
        name="`native.num_repeats`",
        formula="distinct repeat indices",
        denominator="all rows",
        source="NeMo Gym 0.7.0",
        question="how many repeats are there?",
        functions=(
            st.native.agent_metrics,
            st.native.agent_summary,
        ),
    ),
    Metric(
        name="`native.pass@<k>/<score>`",
        formula="task all 0/1: unbiased pass@k; else largest of the first k",
        denominator="tasks with k values",
        source="NeMo Gym 0.7.0",
        question="mixes two estimators when tasks differ in kind",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.pass@1[avg-of-<k>]/<score>`",
        formula="mean over tasks of the mean of the first k",
        denominator="tasks with a value among the first k",
        source="NeMo Gym 0.7.0",
        question="score of the first k repeats",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.<average>/std_dev_across_runs`, `native.<average>/std_err_across_runs`",
        formula="deviation of the means at each list position, and over sqrt(count)",
        denominator="list positions",
        source="NeMo Gym 0.7.0",
        question="these tasks",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.<average>/avg_sample_std_dev`",
        formula="mean of the tasks' deviations, scale 0-1",
        denominator="tasks with two values",
        source="NeMo Gym 0.7.0",
        question="how much do repeats vary?",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.majority@<k>/<score>`",
        formula="most frequent (answer, score) pair of the first k, ties averaged",
        denominator="all tasks; 0 without an answered row",
        source="NeMo Gym 0.7.0",
        question="score of the majority answer",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.pass@<k>/no_answer`",
        formula='pass@k of "no answer was given"',
        denominator="tasks with k values",
        source="NeMo Gym 0.7.0",
        question="how often is there no answer?",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.<value>/pass@<metric>`, `native.<value>/majority@<metric>`",
        formula="the above over the tasks of a subset",
        denominator="tasks of the subset",
        source="NeMo Gym 0.7.0",
        question="scores by category",
        functions=(st.native.subset_metrics,),
    ),
    Metric(
        name="`native.perf_summary.<name>`",
        formula="over rows that report `ng_perf`",
        denominator="reporting rows, masked ones included",
        source="NeMo Gym 0.7.0",
        question="cost and speed",
        functions=(st.native.perf_summary,),
    ),
    Metric(
        name="`native.profile_completion.<name>`",
        formula="planned against present",
        denominator="planned rollouts",
        source="NeMo Gym 0.7.0",
        question="is the run complete?",
        functions=(st.native.profile_completion,),
    ),
    Metric(
        name="`native.highest_k.<metric>`",
        formula="the entries of pass@k, pass@1[avg-of-k] and majority@k at the largest k",
        denominator="as the entry",
        source="NeMo Gym 0.7.0",
        question="which of them is the last?",
        functions=(st.native.highest_k,),
    ),
    Metric(
        name="`native.per_sample_aggregate.<score>`",
        formula="100 times the mean score at each list position; empty positions are dropped",
        denominator="tasks with a row at the position",
        source="NeMo Gym 0.7.0",
        question="did one run through the tasks differ?",
        functions=(st.native.pass_majority,),
    ),
    Metric(
        name="`native.repeat_level_metrics.<name>`",
        formula="mean, median, deviation, standard error, quartiles and t interval of each field in one repeat",
        denominator="tasks with a row in the repeat; `sample_count`, `missing_count` beside it",
        source="NeMo Gym 0.7.0",
        question="how did each repeat do?",
        functions=(st.native.repeat_level,),
    ),
)
