"""The configs that NeMo Gym leaves beside a run, and the record of a submitted job.

Nothing in them names an address, a person or a machine; masked values carry Gym's own marker.
"""

from datetime import UTC, datetime

from blade_pipeline.example.benchmark import Benchmark, Json
from blade_pipeline.example.plan import Run, Size

MASKED = "****"
GYM_VERSION = "0.7.0"


def gym_config(size: Size, run: Run) -> Json:
    """The merged Gym config; Gym masks every key that contains ``token`` or ``key``."""
    benchmark = run.benchmark
    name = benchmark.name
    config: Json = {
        "policy_model_name": run.model.name,
        "policy_api_key": MASKED,
        "num_repeats": size.repeats,
        "route_failures_to_sidecar": True,
        "responses_create_params": _sampling(run) | {"max_output_tokens": MASKED},
        "policy_model": {
            "responses_api_models": {
                "vllm_model": {
                    "model": "${policy_model_name}",
                    "chat_template_kwargs": {"enable_thinking": True},
                    "uses_reasoning_parser": True,
                }
            }
        },
        benchmark.agent["name"]: {"responses_api_agents": {"simple_agent": _agent(size, benchmark)}},
        name: {"resources_servers": {name: _resources(benchmark)}},
    }
    if benchmark.judge is not None:
        config["judge_model"] = {"responses_api_models": {"openai_model": {"openai_model": benchmark.judge}}}
    return config


def job_config(size: Size, run: Run) -> Json:
    """``resolved-config.yaml`` of a submitted job."""
    model = run.model.name
    large = "30b" in model
    return {
        "services": {
            "policy": {
                "type": "vllm",
                "container": "serving/vllm:0.12.1",
                "model": f"checkpoints/{model}",
                "served_model_name": model,
                "tensor_parallel_size": 4 if large else 1,
                "extra_args": "--dtype bfloat16 --max-model-len 16384 --tool-call-parser plain",
            }
        },
        "compute": {
            "main": {"type": "slurm", "node_pools": {"gpu": {"nodes": 1, "extra_args": "--gres=gpu:h100:4"}}},
        },
        "driver": {
            "container": "gym/driver:2026.10",
            "gym_install": {"repo": "gym", "ref": f"v{GYM_VERSION}"},
            "policy_model": "policy",
            "env": {},
            "benchmarks": {
                run.benchmark.name: {
                    "run": {
                        "num_repeats": size.repeats,
                        "policy_model_name": model,
                        "responses_create_params": _sampling(run)
                        | {"max_output_tokens": run.benchmark.max_output_tokens},
                    }
                }
            },
        },
        "job": {"output_path": "results"},
    }


def job_record(run: Run) -> Json:
    """``gym-job.json`` of a submitted job."""
    submitted = datetime.fromtimestamp(run.started - 120, UTC)
    return {
        "schema_version": 1,
        "gym_job_id": run.name,
        "gym_version": GYM_VERSION,
        "gym_commit": None,
        "submitted_at": submitted.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "run_dir": f"results/{run.name}",
        "cluster": "example",
        "executor": "slurm",
        "submitted_by": "example",
        "benchmarks": [
            {"benchmark": run.benchmark.name, "job_dir": run.benchmark.name, "job_id": "1", "error": None},
        ],
        "hostname": None,
        "executor_metadata": {},
    }


def _sampling(run: Run) -> Json:
    return {"temperature": run.temperature, "top_p": run.benchmark.top_p, "reasoning": {"effort": "low"}}


def _agent(size: Size, benchmark: Benchmark) -> Json:
    dataset = {
        "name": benchmark.dataset_id,
        "type": "benchmark",
        "num_repeats": size.repeats,
        "license": "CC0-1.0",
    }
    return {
        "resources_server": {"type": "resources_servers", "name": benchmark.name},
        "max_turns": benchmark.max_turns,
        "timeout": 120,
        "datasets": [dataset],
    }


def _resources(benchmark: Benchmark) -> Json:
    if benchmark.judge is None:
        return {"use_judge": False}
    return {"judge_model_server": {"type": "responses_api_models", "name": "judge_model"}}
