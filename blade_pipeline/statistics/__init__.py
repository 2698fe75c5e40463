"""Pure numbers: pass@k, intervals, paired tests, bounds and power. No files, no tables, no Dagster.

Arrays go in, one entry per task unless a docstring says otherwise; fractions come out. NaN marks "not measured" in an
array, null (None) "cannot be known" in a result; neither ever turns into 0. ``native`` holds NeMo Gym's own numbers.
"""

from blade_pipeline.rewards import ABSENT, RewardStatus, reward_status
from blade_pipeline.statistics import native
from blade_pipeline.statistics.accountings import RULES, accountings, bounds
from blade_pipeline.statistics.agreement import repeat_agreement
from blade_pipeline.statistics.bayes import BayesAtN, bayes_at_n
from blade_pipeline.statistics.best_of_k import best_of_k, best_of_k_by_task
from blade_pipeline.statistics.bootstrap import cluster_bootstrap_se
from blade_pipeline.statistics.buckets import Buckets, buckets
from blade_pipeline.statistics.cochran import CochranQ, cochran_q
from blade_pipeline.statistics.completions import PassBounds, pass_at_k_bounds
from blade_pipeline.statistics.equivalence import Equivalence, tost
from blade_pipeline.statistics.fisher import fisher_p
from blade_pipeline.statistics.friedman import Friedman, friedman
from blade_pipeline.statistics.g_pass import g_pass_at_k, mg_pass_at_k
from blade_pipeline.statistics.interval import Bounds, Difference, Interval
from blade_pipeline.statistics.mcnemar import McNemar, bonett_price, mcnemar
from blade_pipeline.statistics.multiplicity import benjamini_hochberg, holm
from blade_pipeline.statistics.pair_bounds import PairBounds, TippingPoint, pair_bounds, tipping_point
from blade_pipeline.statistics.paired import differences, paired_difference
from blade_pipeline.statistics.pass_at_k import pass_at_k, pass_hat_k
from blade_pipeline.statistics.permutation import SignFlip, SignTest, sign_flip, sign_flip_p, sign_test
from blade_pipeline.statistics.power import (
    NoiseFloor,
    Omega2,
    harmonic_repeats,
    minimum_detectable_effect,
    noise_floor,
    omega2,
    repeats_needed,
    tasks_needed,
)
from blade_pipeline.statistics.proportions import clopper_pearson, jeffreys, wilson
from blade_pipeline.statistics.rewards import PASS_TOLERANCE, passes
from blade_pipeline.statistics.sampled_mean import sampled_mean_p
from blade_pipeline.statistics.score_interval import cluster_se, score_interval
from blade_pipeline.statistics.strata import strata_p
from blade_pipeline.statistics.stratified import stratified_difference
from blade_pipeline.statistics.superiority import Superiority, stratified_superiority
from blade_pipeline.statistics.variance_split import VarianceSplit, variance_split
from blade_pipeline.statistics.welch import SuiteCell, suite_welch, welch_of_means, welch_over_repeats
from blade_pipeline.statistics.welch_by_task import welch_by_task
from blade_pipeline.statistics.within_task import within_task_interval

__all__ = [
    "ABSENT",
    "PASS_TOLERANCE",
    "RULES",
    "BayesAtN",
    "Bounds",
    "Buckets",
    "CochranQ",
    "Difference",
    "Equivalence",
    "Friedman",
    "Interval",
    "McNemar",
    "NoiseFloor",
    "Omega2",
    "PairBounds",
    "PassBounds",
    "RewardStatus",
    "SignFlip",
    "SignTest",
    "SuiteCell",
    "Superiority",
    "TippingPoint",
    "VarianceSplit",
    "accountings",
    "bayes_at_n",
    "benjamini_hochberg",
    "best_of_k",
    "best_of_k_by_task",
    "bonett_price",
    "bounds",
    "buckets",
    "clopper_pearson",
    "cluster_bootstrap_se",
    "cluster_se",
    "cochran_q",
    "differences",
    "fisher_p",
    "friedman",
    "g_pass_at_k",
    "harmonic_repeats",
    "holm",
    "jeffreys",
    "mcnemar",
    "mg_pass_at_k",
    "minimum_detectable_effect",
    "native",
    "noise_floor",
    "omega2",
    "pair_bounds",
    "paired_difference",
    "pass_at_k",
    "pass_at_k_bounds",
    "pass_hat_k",
    "passes",
    "repeat_agreement",
    "repeats_needed",
    "reward_status",
    "sampled_mean_p",
    "score_interval",
    "sign_flip",
    "sign_flip_p",
    "sign_test",
    "strata_p",
    "stratified_difference",
    "stratified_superiority",
    "suite_welch",
    "tasks_needed",
    "tipping_point",
    "tost",
    "variance_split",
    "welch_by_task",
    "welch_of_means",
    "welch_over_repeats",
    "wilson",
    "within_task_interval",
]
