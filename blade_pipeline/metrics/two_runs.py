"""What may be said of the difference of two runs."""

from blade_pipeline import statistics as st
from blade_pipeline.metrics.metric import Metric

TWO_RUNS = (
    Metric(
        name="`difference.value`",
        formula="mean of d_i, B minus A",
        denominator="tasks measured in both",
        source="Miller 2024, section 4",
        question="how far apart are they on common tasks?",
        functions=(st.differences,),
    ),
    Metric(
        name="`difference.new_tasks`",
        formula="mean d +- t_{n-1} sd(d)/sqrt(n)",
        denominator="common tasks, or families",
        source="Miller 2024, section 4",
        question="new tasks",
        functions=(st.paired_difference,),
    ),
    Metric(
        name="`difference.these_tasks`",
        formula="SE = sqrt(sum s_Ai^2/K_Ai + s_Bi^2/K_Bi)/n, Satterthwaite df",
        denominator="common tasks",
        source="Satterthwaite 1946",
        question="these tasks",
        functions=(st.stratified_difference,),
    ),
    Metric(
        name="Welch over repeats",
        formula="t on each side's repeat means",
        denominator="repeats",
        source="Welch 1947",
        question="these tasks, as `gym eval compare` answers it",
        functions=(
            st.welch_over_repeats,
            st.suite_welch,
        ),
    ),
    Metric(
        name="`difference.sign_flip_p`",
        formula=(
            "share of sign vectors with a sum as large; exact to 20 differing tasks, else 20,000 seeded "
            "draws and one more"
        ),
        denominator="common tasks that differ",
        source="Fisher 1935; Phipson and Smyth 2010",
        question="is the difference luck, without a normal curve?",
        functions=(
            st.sign_flip_p,
            st.sign_flip,
        ),
    ),
    Metric(
        name="sign test",
        formula="2 P(X <= min(wins, losses)), ties dropped",
        denominator="common tasks that differ",
        source="Dixon and Mood 1946",
        question="do more tasks gain than lose?",
        functions=(st.sign_test,),
    ),
    Metric(
        name="gap to a published score",
        formula="Welch's interval from the run's standard error and the reference's sqrt(p(1-p)/n)",
        denominator="measured tasks; the reference's sample size",
        source="Welch 1947",
        question="new tasks; only where the reference states its sample size",
        functions=(st.welch_of_means,),
    ),
    Metric(
        name="McNemar, Bonett-Price",
        formula="binomial p of discordant tasks, exact and mid-p; adjusted Wald interval",
        denominator="common tasks, one repeat a side",
        source="McNemar 1947; Fagerland et al. 2013; Bonett and Price 2012",
        question="the same with one repeat",
        functions=(
            st.mcnemar,
            st.bonett_price,
        ),
    ),
    Metric(
        name="`difference.noise_floor`",
        formula="sd = sqrt((sigma2_A/K_A + sigma2_B/K_B)/n); 1.96 sd; sqrt(2/pi) sd",
        denominator="common tasks",
        source="Miller 2024; Wang 2025",
        question="how far apart do two runs of one system fall?",
        functions=(
            st.noise_floor,
            st.harmonic_repeats,
        ),
    ),
    Metric(
        name="`difference.mde`",
        formula=(
            "(t_{1-a/2} + t_power) sqrt((omega2 + sigma2_A/K_A + sigma2_B/K_B)/n) with the paired test's n -"
            " 1 (families: G - 1 and their standard error); at one repeat a side from the spread of the "
            'differences; null under five tasks or families, "more than" under 8 (30 at one repeat)'
        ),
        denominator="common tasks",
        source="Miller 2024, section 5",
        question="which true difference would have been seen?",
        functions=(
            st.minimum_detectable_effect,
            st.tasks_needed,
            st.repeats_needed,
        ),
    ),
    Metric(
        name="omega2",
        formula="max(0, Var(d_i) - mean(sigma2_A/K_A + sigma2_B/K_B))",
        denominator="common tasks",
        source="Miller 2024",
        question="do the systems differ task by task?",
        functions=(st.omega2,),
    ),
    Metric(
        name="`difference.tost`",
        formula="two one-sided t tests against the margin",
        denominator="common tasks",
        source="Schuirmann 1987; Lakens 2017",
        question="are they equal up to the margin?",
        functions=(st.tost,),
    ),
    Metric(
        name="`flips.candidates.p`, `.q`",
        formula="Fisher's exact p per task; Benjamini-Hochberg over tasks",
        denominator="measured repeats of the task",
        source="Fisher 1935; Benjamini and Hochberg 1995",
        question="did this one task change?",
        functions=(
            st.fisher_p,
            st.benjamini_hochberg,
        ),
    ),
    Metric(
        name="`moves.candidates.p`, `.q`",
        formula="Welch's p of equal mean scores per task; Benjamini-Hochberg over the tasks that have one",
        denominator="measured repeats of the task, two or more a side",
        source="Welch 1947; Benjamini and Hochberg 1995",
        question="did the mean score of this one task change?",
        functions=(
            st.welch_by_task,
            st.benjamini_hochberg,
        ),
    ),
    Metric(
        name="`modes.rows.change`, `.p`, `.holm_p`",
        formula="mean over tasks of (failed rollouts whose primary mode it is)/(measured), second run minus first; "
        "mid-p of the sign-flip test over tasks; Holm over the modes that have a p",
        denominator="tasks that both runs measured; the changes of all modes add up to minus the change of pass@1",
        source="Fisher 1935; Lancaster 1961; Holm 1979",
        question="which failures made the score move?",
        functions=(
            st.sign_flip,
            st.holm,
        ),
    ),
    Metric(
        name="`tools.rows.change`, `.p`, `.holm_p`",
        formula="mean over tasks of (rollouts that call the tool)/(rollouts with recorded steps), second run minus "
        "first; mid-p of the sign-flip test over tasks; Holm over the 40 tools that most rollouts call",
        denominator="measured rollouts with recorded steps that no outage or limit ended, of tasks with some in both",
        source="Fisher 1935; Lancaster 1961; Holm 1979",
        question="what does the model do otherwise?",
        functions=(
            st.sign_flip,
            st.holm,
        ),
    ),
    Metric(
        name="Holm",
        formula="running maximum of (m-i+1) p_(i)",
        denominator="named secondary comparisons",
        source="Holm 1979",
        question="does a secondary finding survive the others?",
        functions=(st.holm,),
    ),
)
