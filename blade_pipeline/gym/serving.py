"""What a submitted job's config says about the model's server, the driver and the code that scored."""

import re
from typing import Any

from blade_pipeline.gym.config import Config, Configs, Value, key_path
from blade_pipeline.gym.public import image_reason, shown_image
from blade_pipeline.gym.values import mapping

_FLAGS = {
    "precision": ("--dtype",),
    "quantization": ("--quantization", "-q"),
    "context_limit": ("--max-model-len", "--context-length", "--max-seq-len"),
    "reasoning_parser": ("--reasoning-parser",),
    "tool_call_parser": ("--tool-call-parser",),
    "chat_template": ("--chat-template",),
}
_PARALLEL = (
    ("tensor_parallel_size", "tensor parallel", ("--tensor-parallel-size", "-tp", "--tp-size", "--tp")),
    ("pipeline_parallel_size", "pipeline parallel", ("--pipeline-parallel-size", "-pp")),
    ("data_parallel_size", "data parallel", ("--data-parallel-size", "-dp", "--dp-size")),
    ("number_of_instances", "instances", ()),
)
_GPU = re.compile(r"--(?:gres|gpus)[= ](?:gpu:)?([A-Za-z][\w.-]*)(?=[:,\s]|$)")


def serving_values(configs: Configs) -> dict[str, Value]:
    """Values that only the submit config and the job record hold; absent keys are unknown."""
    submit = configs.submit
    name, service = _policy_service(submit)
    found: dict[str, Value | None] = {
        "gym_version": configs.job.at("gym_version"),
        "submitter_commit": configs.job.at("gym_commit"),
        "scoring_commit": _scoring_commit(submit),
        "driver_container": _image(submit.at("driver", "container")),
        "gpu_type": _gpu_type(submit),
    }
    if service:
        path = key_path("services", name)
        found |= {
            "model": submit.at("services", name, "served_model_name"),
            "checkpoint": submit.at("services", name, "model"),
            "serving_engine": submit.at("services", name, "type"),
            "image": _image(submit.at("services", name, "container")),
            "serving_version": _tag(_image(submit.at("services", name, "container"))),
            "parallelism": _parallelism(submit, path, service),
            **{key: _flag(submit, path, service, key) for key in _FLAGS if key != "quantization"},
        }
        found["precision"] = _quantized(found["precision"], _flag(submit, path, service, "quantization"))
    return {key: value for key, value in found.items() if value is not None}


def _policy_service(submit: Config) -> tuple[str, dict[str, Any]]:
    services = mapping(submit.tree.get("services"))
    named = mapping(submit.tree.get("driver")).get("policy_model")
    if isinstance(named, str) and isinstance(services.get(named), dict):
        return named, services[named]
    only = [(str(name), service) for name, service in services.items() if isinstance(service, dict)]
    return only[0] if len(only) == 1 else ("", {})


def _scoring_commit(submit: Config) -> Value | None:
    if not submit.tree:
        return None
    found = submit.at("driver", "gym_install", "ref")
    return found or Value(None, None, f"{submit.name} has no driver.gym_install.ref: the driver container's Gym scored")


def _image(value: Value | None) -> Value | None:
    if value is None or not isinstance(value.value, str):
        return value
    image = shown_image(value.value)
    reason = image_reason(image)
    return value._replace(value=image) if reason is None else Value(None, value.source, reason)


def _tag(value: Value | None) -> Value | None:
    if value is None or not isinstance(value.value, str):
        return value
    name, colon, tag = value.value.rpartition(":")
    if not colon or "/" in tag or "@" in name:
        return None
    return Value(tag, f"{value.source} (tag)")


def _parallelism(submit: Config, path: str, service: dict[str, Any]) -> Value | None:
    parts = []
    for key, label, flags in _PARALLEL:
        size = service.get(key)
        size = _argument(service, flags) if size is None else size
        if isinstance(size, (int, str)) and str(size) not in ("1", "****") and not isinstance(size, bool):
            parts.append(f"{label} {size}")
        elif str(size) == "1" and key == "tensor_parallel_size":
            parts.append(f"{label} 1")
    return Value(", ".join(parts), f"{submit.name} {path}") if parts else None


def _flag(submit: Config, path: str, service: dict[str, Any], key: str) -> Value | None:
    text = _argument(service, _FLAGS[key])
    if text is None:
        return None
    value = submit.resolved(text, f"{path}.extra_args {_FLAGS[key][0]}")
    if value is not None and isinstance(value.value, str) and key == "context_limit" and value.value.isdigit():
        return value._replace(value=int(value.value))
    return value


def _quantized(precision: Value | None, quantization: Value | None) -> Value | None:
    if quantization is None or quantization.value is None:
        return precision
    if precision is None or precision.value is None:
        return quantization
    return precision._replace(value=f"{precision.value}, {quantization.value} quantization")


def _argument(service: dict[str, Any], flags: tuple[str, ...]) -> str | None:
    """Value of the first of these command line flags in ``extra_args``, a string or a list."""
    raw = service.get("extra_args")
    words = raw.split() if isinstance(raw, str) else [str(word) for word in raw] if isinstance(raw, list) else []
    if isinstance(raw, dict):
        words = [word for name, value in raw.items() for word in (f"--{str(name).lstrip('-')}", str(value))]
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in flags:
            return value if equals else words[index + 1] if index + 1 < len(words) else None
    return None


def _gpu_type(submit: Config) -> Value | None:
    for name, compute in mapping(submit.tree.get("compute")).items():
        pools = mapping(compute).get("node_pools")
        for pool, settings in mapping(pools).items():
            key = key_path("compute", str(name), "node_pools", str(pool))
            direct = mapping(settings).get("gpu_type")
            if isinstance(direct, str):
                return submit.resolved(direct, f"{key}.gpu_type")
            extra = mapping(settings).get("extra_args")
            text = extra if isinstance(extra, str) else " ".join(map(str, extra)) if isinstance(extra, list) else ""
            if found := _GPU.search(text):
                return Value(found.group(1), f"{submit.name} {key}.extra_args")
    return None
