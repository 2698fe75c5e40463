"""What fails most, and what the score would be without it."""

from blade_pipeline.metrics.metric import Metric

ABLATION = (
    Metric(
        name="`dominant_failure_count`, `dominant_failure_fraction`",
        formula="rollouts of the most frequent primary failure mode",
        denominator="failed rollouts",
        source="exclusive modes",
        question="what fails most?",
    ),
    Metric(
        name="`ablation.baseline.pass_at_1`",
        formula="sum over tasks of c_i/E_i, over tasks: `accountings.all_unscored_as_zero`",
        denominator=(
            "all tasks, `ablation.tasks`; E_i repeats, in all `ablation.rollouts`, of them "
            "`ablation.without_score` without a score"
        ),
        source="BLADE, counterfactuals within tasks",
        question="from where do the rows below rise?",
    ),
    Metric(
        name="`ablation.modes.<mode>.pass_at_1`",
        formula=(
            "mean over tasks of c_i/(E_i - m_i), m_i rollouts of that primary mode; a task with m_i = E_i "
            "keeps its mean"
        ),
        denominator="all tasks",
        source="as above",
        question="what would the score be if each task counted only rollouts without this mode?",
    ),
    Metric(
        name="`ablation.no_score.pass_at_1`",
        formula="the same with m_i the rollouts without a score",
        denominator="all tasks",
        source="as above",
        question="and without what was lost?",
    ),
    Metric(
        name="`ablation.all_modes.pass_at_1`",
        formula="the same with m_i the rollouts of any mode that names a symptom, and those without a score",
        denominator="all tasks",
        source="as above",
        question="and without all of these?",
    ),
    Metric(
        name="`ablation.oracle.pass_at_1`",
        formula="share of tasks with c_i > 0",
        denominator="all tasks",
        source="as above",
        question="and if each task counted its best rollout?",
    ),
    Metric(
        name="`ablation.unexplained`",
        formula="oracle minus all modes",
        denominator="all tasks",
        source="as above",
        question="what do the failure modes not explain yet?",
    ),
    Metric(
        name=(
            "`ablation.<row>.task_scores`, `ablation.<row>.gain`, `ablation.<row>.moved_tasks`, "
            "`ablation.<row>.stuck_tasks`"
        ),
        formula=(
            "sum over tasks; pass@1 minus the baseline's; tasks whose mean differs from the baseline's; "
            "tasks with affected rollouts only"
        ),
        denominator="all tasks",
        source="as above",
        question="how much, and on how many tasks, does the row stand?",
    ),
    Metric(
        name="`ablation.<row>.if_passed`",
        formula="mean over tasks of m_i/E_i, m_i the row's affected rollouts; null for the baseline and the oracle",
        denominator="all tasks",
        source="as above",
        question="how much would pass@1 rise at most if the affected rollouts, scored or run again, all passed?",
    ),
    Metric(
        name="`ablation.<row>.mean_reward`",
        formula=(
            "mean reward of the same rollouts, of the least severe mode where a task has no other; rollouts "
            "without a score take the worst reward; null where that is unknown"
        ),
        denominator="all tasks",
        source="as above",
        question="the same for graded rewards; it may lie under the baseline",
    ),
    Metric(
        name=(
            "`ablation.<row>.mean_reward_gain`, `ablation.<row>.mean_reward_moved_tasks`, "
            "`ablation.mean_reward_unexplained`, `ablation.scale.<end>`"
        ),
        formula=(
            "in a run that goes by its mean score: how much better `mean_reward` is than the baseline's; tasks whose "
            "mean score differs from the baseline's; oracle minus all modes; the worst and the best possible score"
        ),
        denominator="all tasks",
        source="as above",
        question="the same for a run that goes by its mean score",
    ),
    Metric(
        name="`ablation.<row>.mean_reward_if_best`",
        formula=(
            "mean over tasks of the summed distances of the affected rollouts' scores from the best one, over E_i; "
            "null for the baseline and the oracle"
        ),
        denominator="all tasks",
        source="as above",
        question="how much would the mean score gain at most if the affected rollouts all had the best score?",
    ),
    Metric(
        name="`ablation.modes.<mode>.mean_reward_within_tasks.<number>`",
        formula=(
            "in tasks that hold measured rollouts with that primary mode and others: rollouts on either side; means "
            "over tasks of their mean scores"
        ),
        denominator="`ablation.modes.<mode>.mean_reward_within_tasks.tasks`",
        source="as above",
        question="do rollouts with the mode score lower than others of the same tasks?",
    ),
    Metric(
        name="`ablation.modes.<mode>.within_tasks.<number>`",
        formula=(
            "in tasks that hold measured rollouts with and without the symptom: passed rollouts and all on "
            "either side; mean over tasks of the share without minus with"
        ),
        denominator="`ablation.modes.<mode>.within_tasks.tasks`",
        source="as above",
        question="do rollouts with the symptom pass less often than others of the same tasks?",
    ),
    Metric(
        name="`ablation.references.<name>`",
        formula="the published pass@1 as a fraction",
        denominator="the reference's own",
        source="the reference file",
        question="how high does a published model stand?",
    ),
)
