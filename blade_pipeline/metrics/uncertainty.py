"""How sure the numbers of one run are."""

from blade_pipeline import statistics as st
from blade_pipeline.metrics.metric import Metric

UNCERTAINTY = (
    Metric(
        name="`intervals.<metric>.se`",
        formula="sqrt(G/(G-1) sum over clusters (sum of deviations)^2)/n",
        denominator="tasks, or families of tasks",
        source="Miller 2024, appendix A",
        question="how far would other tasks move the score?",
        functions=(st.cluster_se,),
    ),
    Metric(
        name="`intervals.<metric>.low`, `intervals.<metric>.high`, new tasks",
        formula="Wilson on p(1-p)/SE^2 with t_{G-1}; mean outside [1/4, 3/4]: t on the logit scale; other scores: t",
        denominator="tasks, or families",
        source="Korn and Graubard 1998; Dean and Pagano 2015",
        question="new tasks",
        functions=(st.score_interval,),
    ),
    Metric(
        name="`slices.interval.<number>`",
        formula="as `intervals.pass_at_1`, over the tasks of a slice; null below 5 measured tasks or families",
        denominator="tasks, or families, of the slice",
        source="Korn and Graubard 1998; Dean and Pagano 2015",
        question="new tasks of that slice",
        functions=(st.score_interval,),
    ),
    Metric(
        name="`intervals.pass_at_1_these_tasks.low`, `intervals.pass_at_1_these_tasks.high`, these tasks",
        formula="SE = sqrt(sum s_i^2/K_i)/n, Satterthwaite df",
        denominator="tasks",
        source="Satterthwaite 1946",
        question="these tasks",
        functions=(st.within_task_interval,),
    ),
    Metric(
        name="share of tasks",
        formula="Wilson; Clopper-Pearson; Jeffreys",
        denominator="tasks",
        source="Wilson 1927; Clopper and Pearson 1934; Brown, Cai and DasGupta 2001",
        question="how sure is a share, such as always-pass tasks?",
        functions=(
            st.wilson,
            st.clopper_pearson,
            st.jeffreys,
        ),
    ),
    Metric(
        name="`variance.sigma2_within`",
        formula="mean of s_i^2",
        denominator="tasks with K_i >= 2",
        source="Miller 2024",
        question="how much do repeats of a task vary?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`variance.between`",
        formula="max(0, Var(xbar_i) - mean s_i^2/K_i)",
        denominator="tasks",
        source="Miller 2024; Wang 2025",
        question="how much do tasks differ?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`variance.icc`, `variance.design_effect`",
        formula="(MSB-MSW)/(MSB+(K-1)MSW); 1+(K-1) ICC",
        denominator="tasks and rollouts",
        source="Shrout and Fleiss 1979; Kish 1965",
        question="how many independent rollouts are these worth?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`repeats.cochran_q`, `repeats.cochran_p`",
        formula=(
            "(k-1)(k sum G_j^2-(sum G_j)^2)/(k sum L_i-sum L_i^2), chi-square with k-1 df; null where fewer "
            "than two tasks hold repeats that differ"
        ),
        denominator="tasks with every repeat measured that at least half of the tasks have",
        source="Cochran 1950",
        question="was one repeat run under other conditions?",
        functions=(st.cochran_q,),
    ),
    Metric(
        name="bootstrap error",
        formula="exact for means; else seeded draws of whole tasks",
        denominator="tasks",
        source="Davison and Hinkley 1997",
        question="error of a number without a formula",
        functions=(st.cluster_bootstrap_se,),
    ),
    Metric(
        name=(
            "`intervals.<metric>.estimate`, `intervals.<metric>.level`, `intervals.<metric>.df`, `intervals.<metric>.n`"
        ),
        formula="value, nominal level, degrees of freedom, tasks",
        denominator="-",
        source="as the interval",
        question="what does the interval stand on?",
    ),
    Metric(
        name="family-clustered error",
        formula=(
            "the standard error with the families of the profile's `family_field` as clusters; of two runs "
            "whichever states it; a task without one is its own, with all agents and stages that attempted "
            "it"
        ),
        denominator="families, df G - 1",
        source="Miller 2024, appendix A",
        question="how far would other sources of tasks move the score?",
        functions=(
            st.cluster_se,
            st.score_interval,
        ),
    ),
    Metric(
        name="`variance.var_task_means`, `variance.share_sampling_noise`",
        formula="Var(xbar_i); mean of s_i^2/K_i over it",
        denominator="tasks",
        source="Miller 2024; Wang 2025",
        question="how much of the tasks' spread is luck of the repeats?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`variance.n_eff`",
        formula="rollouts / design effect",
        denominator="measured rollouts",
        source="Kish 1965",
        question="how many independent rollouts are these worth?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`repeats.cochran_df`, `repeats.cochran_tasks`",
        formula="repeats - 1; tasks in the test",
        denominator="the same tasks",
        source="Cochran 1950",
        question="what does the test stand on?",
        functions=(st.cochran_q,),
    ),
    Metric(
        name="`intervals.mean_reward_these_tasks.low`, `intervals.mean_reward_these_tasks.high`, these tasks",
        formula="as of `intervals.pass_at_1_these_tasks`, in a run that goes by its mean score",
        denominator="tasks",
        source="Satterthwaite 1946",
        question="these tasks",
        functions=(st.within_task_interval,),
    ),
    Metric(
        name="`mean_reward_variance.<part>`",
        formula="as `variance.<part>`, of scores instead of passes, in a run that goes by its mean score",
        denominator="as there",
        source="Miller 2024; Shrout and Fleiss 1979; Kish 1965",
        question="how much of the spread of scores is between tasks?",
        functions=(st.variance_split,),
    ),
    Metric(
        name="`mean_reward_drift.q`, `mean_reward_drift.p`, `mean_reward_drift.df`, `mean_reward_drift.tasks`",
        formula=(
            "r_ij the rank of a score among its task's k repeats, ties sharing ranks, R_j their sums: (k-1) sum "
            "(R_j-n(k+1)/2)^2 / sum (r_ij-(k+1)/2)^2, chi-square with k-1 df; null where fewer than two tasks hold "
            "repeats that differ; in a run that goes by its mean score"
        ),
        denominator="tasks with every repeat measured that at least half of the tasks have",
        source="Friedman 1937",
        question="did one repeat score otherwise than the others?",
        functions=(st.friedman,),
    ),
    Metric(
        name="share of longer rollouts",
        formula="sum w U / sum w m n over strata; U of their m n pairs have the longer failing rollout (ties half), "
        "w = 1/(m+n+1); z by exchanging tasks of a stratum and rollouts inside a task",
        denominator="pairs of a failing and a passing rollout of one stratum",
        source="Mann and Whitney 1947; van Elteren 1960; Hoeffding 1951",
        question="are failing rollouts longer, tasks being alike?",
        functions=(st.stratified_superiority,),
    ),
    Metric(
        name="chance p of a met error",
        formula="share of the convolution of hypergeometric laws, one per task with its margins given, at the observed "
        "number of failed rollouts that met the error or above",
        denominator="tasks with passed and failed rollouts",
        source="Gart 1970",
        question="do rollouts that met an error fail more often than others of the same task?",
        functions=(st.strata_p,),
    ),
)
