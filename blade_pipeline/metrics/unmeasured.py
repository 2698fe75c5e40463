"""What is missing, and what that can do to a score."""

from blade_pipeline import statistics as st
from blade_pipeline.metrics.metric import Metric

UNMEASURED = (
    Metric(
        name="`coverage`",
        formula="(measured + masked + unscored)/expected",
        denominator="expected rollouts",
        source="row accounting",
        question="how many planned rollouts left a row?",
    ),
    Metric(
        name="`measured_share`",
        formula="measured/expected",
        denominator="expected rollouts",
        source="row accounting",
        question="how many planned rollouts have a score?",
    ),
    Metric(
        name="`task_coverage.measured.<number>`, `task_coverage.complete.<number>`",
        formula=(
            "tasks with a measured rollout; with every expected rollout measured; `tasks` of `of`, their "
            "`share`, and Wilson's `low` and `high` at `level`, null where a task counts once per agent or "
            "shares a family"
        ),
        denominator="tasks with an expected rollout",
        source="Wilson 1927",
        question="new tasks: how many would get a score?",
        functions=(st.wilson,),
    ),
    Metric(
        name="`accountings.observed`",
        formula="sum x_ij/K_i, mean over tasks",
        denominator="measured rollouts",
        source="-",
        question="the score of what was measured",
        functions=(st.accountings,),
    ),
    Metric(
        name="`accountings.failures_as_zero`",
        formula="sum x_ij/(K_i + failed_i)",
        denominator="measured and failed rollouts",
        source="-",
        question="the score if failures count as fails",
        functions=(st.accountings,),
    ),
    Metric(
        name="`pass_at.<k>.failures_as_zero`, `pass_hat.<k>.failures_as_zero`",
        formula="pass@k and pass^k with K_i + failed_i in place of K_i",
        denominator="tasks with K_i + failed_i >= k",
        source="-",
        question="the same if failures count as fails",
        functions=(
            st.pass_at_k,
            st.pass_hat_k,
        ),
    ),
    Metric(
        name="`accountings.all_unscored_as_zero`, `bounds.<metric>.low`",
        formula=(
            "sum x_ij/E_i; for `mean_reward` unknown scores take the low end of the profile's "
            "`reward_range`, else 0 where every score seen lies in [0, 1], else there are no bounds"
        ),
        denominator="planned rollouts",
        source="Manski 2003",
        question="unknown rows, worst case",
        functions=(
            st.accountings,
            st.bounds,
        ),
    ),
    Metric(
        name="`mean_reward_accountings.<rule>`, `mean_reward_scale.<end>`",
        formula=(
            "as `accountings.<rule>` with the sum of scores for c_i, the worst score of the scale for zero and the "
            "best for one, in a run that goes by its mean score; the scale is the profile's `reward_range`, else 0 to 1"
        ),
        denominator="as there",
        source="Manski 2003",
        question="which mean score does each rule for rollouts without a score give?",
        functions=(st.accountings,),
    ),
    Metric(
        name="`accountings.all_as_one`, `bounds.<metric>.high`",
        formula="(sum x_ij + unmeasured_i)/E_i; for `mean_reward` the high end, else 1",
        denominator="planned rollouts",
        source="Manski 2003",
        question="unknown rows, best case",
        functions=(
            st.accountings,
            st.bounds,
        ),
    ),
    Metric(
        name="`pass_at.<k>.low`, `pass_at.<k>.high`, `pass_hat.<k>.low`, `pass_hat.<k>.high`",
        formula="pass@k and pass^k at c_i and at c_i + unknown_i of E_i",
        denominator="tasks with E_i >= k",
        source="Manski 2003",
        question="unknown rows, for k attempts",
        functions=(st.pass_at_k_bounds,),
    ),
    Metric(
        name=(
            "`always_pass_tasks`, `sometimes_pass_tasks`, `always_fail_tasks`, `indeterminate_tasks`, "
            "`missing_tasks`, `masked_tasks`"
        ),
        formula="a pass and a fail: sometimes; all planned measured and alike: always; else what completions allow",
        denominator="planned tasks; the report adds Wilson's interval of each share, where tasks are independent",
        source="Manski 2003, Wilson 1927",
        question="does the task always, sometimes or never pass?",
        functions=(st.buckets,),
    ),
    Metric(
        name="`difference.bounds`",
        formula="mean(L_Bi - U_Ai), mean(U_Bi - L_Ai)",
        denominator="common planned tasks",
        source="Manski 2003",
        question="could the lost rows turn the sign?",
        functions=(st.pair_bounds,),
    ),
    Metric(
        name="tipping point",
        formula="q with score_A(q) = score_B(q), unscored rows passing at rate q",
        denominator="planned rollouts",
        source="Yan, Lee and Li 2009",
        question="from which pass rate of lost rows on does the sign turn?",
        functions=(st.tipping_point,),
    ),
    Metric(
        name="`accounting.expected`",
        formula=(
            "measured + masked + unscored + failed + missing; null without materialized inputs and without a"
            " reward profile's `expected_num_rollouts`"
        ),
        denominator="-",
        source="row accounting",
        question="how many rollouts were planned?",
    ),
    Metric(
        name=(
            "`accounting.measured`, `accounting.masked`, `accounting.unscored`, `accounting.failed`, "
            "`accounting.missing`, `accounting.passed`"
        ),
        formula="counts of the one outcome of each planned rollout; of the measured ones those that pass",
        denominator="expected rollouts",
        source="row accounting",
        question="what became of each planned rollout?",
    ),
    Metric(
        name="`accounting.unexpected`, `accounting.duplicates`",
        formula="rollouts that the inputs do not name; further lines of a rollout",
        denominator="outside the sum",
        source="row accounting",
        question="what is there besides the plan?",
    ),
    Metric(
        name=(
            "`accounting.lines`, `accounting.blank_lines`, `accounting.malformed_lines`, "
            "`line_classes.<class>`, `unscored_reasons.<reason>`"
        ),
        formula=(
            "lines = rows + blank + malformed; lines by class, unscored rollouts by reason. A row of a "
            "reward profile holds every rollout of its task"
        ),
        denominator="physical lines of the rollouts",
        source="line classes",
        question="could every line be read?",
    ),
    Metric(
        name="`by.<part>.<count>` of `coverage.json`",
        formula="the accounting by agent, repeat, slice, task and health verdict",
        denominator="rollouts of the part",
        source="row accounting",
        question="where was something lost?",
    ),
    Metric(
        name="`by.health.mean_reward`, `health_checks.<check>` of `coverage.json`",
        formula="mean score of measured rollouts with this verdict or finding",
        denominator="measured rollouts of the verdict",
        source="NeMo Gym's health check, joined per rollout",
        question="are unhealthy rollouts scored lower?",
    ),
    Metric(
        name="`failure_messages.<number>` of `coverage.json`",
        formula="rollouts lost to a last attempt with this class, stage, status and message, and their tasks",
        denominator="rollouts lost with a failure record",
        source="failures sidecar",
        question="what was said when rollouts failed?",
    ),
    Metric(
        name="`failures.<class>` of `coverage.json`",
        formula=(
            "attempts, terminal attempts, rollouts lost (by the class of their last attempt; sums to "
            "`failed`) and recovered"
        ),
        denominator="failures sidecar",
        source="row accounting",
        question="which failures cost rollouts?",
    ),
    Metric(
        name="`aggregates.<file>` of `coverage.json`",
        formula="shipped numbers compared and differing by more than 1e-9",
        denominator="shipped numbers that the rows give as well",
        source="recomputation",
        question="do the shipped numbers say what the rows say?",
    ),
)
