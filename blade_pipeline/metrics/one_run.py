"""The scores of one run."""

from blade_pipeline import statistics as st
from blade_pipeline.metrics.metric import Metric

ONE_RUN = (
    Metric(
        name="`pass_at_1`",
        formula="mean over tasks of c_i/K_i (macro)",
        denominator="tasks with a measured rollout",
        source="Miller 2024",
        question="how often does an attempt pass, tasks weighing equally?",
        functions=(st.pass_at_k,),
    ),
    Metric(
        name="`pass_at_1_micro`",
        formula="sum c_i / sum K_i",
        denominator="measured rollouts",
        source="Miller 2024",
        question="the same, rollouts weighing equally",
        functions=(st.accountings,),
    ),
    Metric(
        name="`pass_at_k`, `pass_at.<k>.value`",
        formula="1 - C(K_i-c_i,k)/C(K_i,k), mean over tasks",
        denominator="tasks with K_i >= k; shown as eligible of all",
        source="Chen et al. 2021",
        question="does one of k attempts pass?",
        functions=(st.pass_at_k,),
    ),
    Metric(
        name="`consistency`, `pass_hat.<k>.value`",
        formula="C(c_i,k)/C(K_i,k), mean over tasks",
        denominator="tasks with K_i >= k",
        source="Yao et al. 2024",
        question="do all k attempts pass?",
        functions=(st.pass_hat_k,),
    ),
    Metric(
        name="`retry_value`",
        formula="pass@k - pass@1",
        denominator="as its parts",
        source="difference of the two",
        question="what do retries buy?",
        functions=(st.pass_at_k,),
    ),
    Metric(
        name="G-Pass@k, mG-Pass@k",
        formula="sum over j >= ceil(tau k) of C(c,j) C(K-c,k-j)/C(K,k); mean over the upper half of tau",
        denominator="tasks with K_i >= k",
        source="Liu et al. 2024",
        question="do most of k attempts pass?",
        functions=(
            st.g_pass_at_k,
            st.mg_pass_at_k,
        ),
    ),
    Metric(
        name="`best_of.<k>.value`",
        formula="sum over i of x_(i) C(i-1,k-1)/C(K,k)",
        denominator="one task's measured scores",
        source="order statistics",
        question="how good is the best of k attempts when scores are not 0/1?",
        functions=(
            st.best_of_k,
            st.best_of_k_by_task,
        ),
    ),
    Metric(
        name="`mean_reward`",
        formula="mean over tasks of xbar_i",
        denominator="tasks with a measured rollout",
        source="Miller 2024",
        question="how high is the raw score?",
        functions=(st.score_interval,),
    ),
    Metric(
        name=(
            "`mean_reward_repeats.mean_reward`, `mean_reward_repeats.sd`, `mean_reward_repeats.num_rollouts`, "
            "`mean_reward_repeats.repeat`"
        ),
        formula="mean and standard deviation (ddof 1) of x_ij over i, in a run that goes by its mean score",
        denominator="measured rollouts of one agent and repeat",
        source="Miller 2024",
        question="how high does each repeat score, and how far apart are its rollouts?",
    ),
    Metric(
        name="`mean_reward_spread.<number>`",
        formula="lowest, median and highest xbar_i, in a run that goes by its mean score",
        denominator="tasks with a measured rollout",
        source="order statistics",
        question="how far apart are the mean scores of tasks?",
    ),
    Metric(
        name="`repeats.repeat_agreement`",
        formula="(C(c,2)+C(K-c,2))/C(K,2)",
        denominator="tasks with K_i >= 2",
        source="pair agreement, 1 - 2 s^2",
        question="do two repeats agree?",
        functions=(st.repeat_agreement,),
    ),
    Metric(
        name="Bayes@N",
        formula="mean of (c_i+1)/(K_i+2)",
        denominator="all tasks",
        source="Hariri et al. 2025",
        question="score under a uniform prior; ranks as pass@1 does",
        functions=(st.bayes_at_n,),
    ),
    Metric(
        name="`passed`",
        formula="score >= threshold - 1e-6",
        denominator="measured rollouts",
        source="declared pass mark",
        question="does this rollout pass?",
        functions=(st.passes,),
    ),
    Metric(
        name="`reward_status`",
        formula="finite number below 1e100 in size or boolean: scored; else a reason, `too_large` for a number beyond",
        denominator="all rows",
        source="the row itself",
        question="is this reward a measurement?",
        functions=(st.reward_status,),
    ),
    Metric(
        name="`k`",
        formula="fewest measured repeats of a measured task",
        denominator="measured tasks",
        source="Chen et al. 2021",
        question="at which k do all measured tasks speak?",
    ),
    Metric(
        name="`pass_threshold`",
        formula="the profile's pass mark, 1 without one",
        denominator="-",
        source="declared",
        question="from which score on does a rollout pass?",
    ),
    Metric(
        name="`headline_metric`",
        formula=(
            "`mean_reward` where there are more than two different scores on a known scale, the pass mark is not the "
            "team's own, and rollouts below it earned more of the sum of scores than those that reach it; else "
            "`pass_at_1`"
        ),
        denominator="-",
        source="declared",
        question="by which of its scores does a run go?",
    ),
    Metric(
        name="`num_tasks`, `num_rollouts`",
        formula="counts with a measured score",
        denominator="-",
        source="row accounting",
        question="what do the scores stand on?",
    ),
    Metric(
        name="`total_tasks`, `total_rollouts`",
        formula="counts of what was expected, else of what was seen",
        denominator="-",
        source="row accounting",
        question="how large is the benchmark?",
    ),
    Metric(
        name="`passed_rollouts`, `failed_rollouts`",
        formula="counts; sum to `num_rollouts`",
        denominator="measured rollouts",
        source="row accounting",
        question="how many rollouts pass?",
    ),
    Metric(
        name="`pass_at.<k>.eligible_tasks`, `pass_hat.<k>.eligible_tasks`, `best_of.<k>.eligible_tasks`",
        formula="tasks with K_i >= k",
        denominator=(
            "all tasks: `pass_at.<k>.total_tasks`, `pass_hat.<k>.total_tasks`; of best of k the measured"
            " ones: `best_of.<k>.total_tasks`"
        ),
        source="Chen et al. 2021",
        question="which tasks does this k speak of?",
    ),
    Metric(
        name="`repeats.measured_per_task.<statistic>`, `repeats.planned_per_task.<statistic>`",
        formula="least, median and most repeats of a task",
        denominator="all tasks",
        source="row accounting",
        question="are the repeats even?",
    ),
    Metric(
        name="`repeats.agreement_tasks`",
        formula="tasks with K_i >= 2",
        denominator="-",
        source="row accounting",
        question="what does the agreement stand on?",
    ),
    Metric(
        name="`repeats.identical_tasks`, `repeats.identical_share`, `repeats.identical_unequal_tasks`",
        formula="tasks whose measured repeats all gave one output; of them those with several scores",
        denominator="tasks with two outputs, `repeats.compared_tasks`",
        source="digest of the output without ids",
        question="are the repeats copies of each other?",
    ),
    Metric(
        name=(
            "`slices.total_tasks`, `slices.total_rollouts`, `slices.num_tasks`, `slices.num_rollouts`, "
            "`slices.passed_rollouts`"
        ),
        formula="the counts of the run, over the tasks whose field has that value",
        denominator="-",
        source="row accounting",
        question="what does the score of a slice stand on?",
    ),
    Metric(
        name="`slices.pass_at_1`",
        formula="mean of c_i/K_i over its tasks",
        denominator="measured tasks of the slice",
        source="Miller 2024",
        question="how often does an attempt at such a task pass?",
        functions=(st.pass_at_k,),
    ),
    Metric(
        name="`slices.mean_reward`, `slices.mean_reward_interval.<number>`",
        formula="mean of xbar_i over its tasks, in a run that goes by its mean score; the interval as of `mean_reward`",
        denominator="measured tasks of the slice",
        source="Miller 2024",
        question="how high do attempts at such tasks score?",
        functions=(st.score_interval,),
    ),
    Metric(
        name="`slices.against_rest.<number>`",
        formula=(
            "mean of c_i/K_i (in a run that goes by its mean score: of xbar_i) over its tasks, `score`, and over the "
            "other `rest_tasks` that have its field, `rest`; `p` of exchanging tasks, moments exact and tail Pearson's "
            "type III; `q` over all slices of the run; null where a side has fewer than 5 tasks or families"
        ),
        denominator="measured tasks of the slice, and the others",
        source="Mielke and Berry 2001; Benjamini and Hochberg 1995",
        question="does the slice score otherwise than the rest, beyond chance?",
        functions=(st.sampled_mean_p,),
    ),
    Metric(
        name="`slices.never_pass_tasks`",
        formula="its measured tasks with c_i = 0",
        denominator="measured tasks of the slice, `slices.num_tasks`",
        source="row accounting",
        question="on how many of its tasks did no measured attempt pass?",
    ),
    Metric(
        name="`slices.failure_modes.<mode>`",
        formula="its failed rollouts with that primary failure mode; they sum to `num_rollouts` - `passed_rollouts`",
        denominator="failed rollouts of the slice",
        source="exclusive modes",
        question="how do such tasks fail?",
    ),
)
