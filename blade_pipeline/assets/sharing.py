"""What the two shareable stages have in common."""

import hashlib

from blade_pipeline.assets.check import Check, Finding
from blade_pipeline.reporting.sharing import Shareable
from blade_pipeline.storage import SHARING, Artifact

_MOST_TOLD = 5


def artifact_of(built: Shareable) -> Artifact:
    """The shared files, with their digests, the redaction list and the gate's hits as the document."""
    document = {
        "shared": {path: hashlib.sha256(content).hexdigest() for path, content in built.files.items()},
        "taken": [{"section": section, "kind": kind, "places": places} for section, kind, places in built.taken],
        "hits": [hit._asdict() for hit in built.hits],
    }
    return Artifact(document=document, shared=built.files)


def summary(artifact: Artifact) -> dict[str, object]:
    """How many files may leave the team, and what was taken out."""
    document = artifact.document or {}
    return {"files": len(document["shared"]), "taken out": document["taken"]}


def nothing_private_is_shared(artifact: Artifact) -> Finding:
    """No rule and no private term finds anything in the built files, however it is encoded."""
    document = artifact.document or {}
    told = [f"{hit['kind']} in {hit['file'].rpartition('/')[2]}, {hit['section']}" for hit in document["hits"]]
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    sentence = f"nothing was shared: {'; '.join(told[:_MOST_TOLD])}{more}" if told else "nothing private was found"
    return Finding(not told, sentence, {"hits": len(told), "files": len(document["shared"])})


CHECKS = tuple(
    Check(
        "nothing_private_is_shared",
        name,
        "ERROR",
        "The built files, decoded, hold nothing that looks private and no private term.",
        nothing_private_is_shared,
    )
    for name in SHARING
)
