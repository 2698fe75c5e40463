"""Lines of rollouts spoilt in every way that crashed jobs and foreign tools spoil them."""

import copy
import gzip
import json
import random
from collections.abc import Callable
from typing import Any

_TOKENS = [
    "NaN",
    "-Infinity",
    "1e400",
    "-0",
    "1" * 400,
    "9" * 5000,
    "[" * 900 + "]" * 900,
    '{"a":' * 300 + "0" + "}" * 300,
]
_VALUES: list[Any] = [
    None, True, False, "", " ", "NaN", "1.0", "true", -1, 0, 2**53 + 1, -(2**70), 1e308, 1e101, [], {}, [None],
    [[], {}], "\ud800", "\x00", "\u0085\u2028", "\u202egnp", "x" * 40_000, ["a", 1, {"b": None}], {"": {"": ""}},
    [0.5, "0.5"], "'; drop table samples; --", "{{ 7 * 7 }}", "<script>alert(1)</script>",
    "| a | b |\n|---|---|", "=1+1",
]  # fmt: skip
_TOKEN = "@token@"
_PAGE = b"<html><body>502 Bad Gateway</body></html>"


def _anywhere(draw: random.Random, row: Any) -> tuple[Any, Any]:
    """A container somewhere in a row and one of its keys; shallow places are as likely as all deep ones together."""
    while True:
        keys = list(row) if isinstance(row, dict) else list(range(len(row)))
        key = draw.choice(keys)
        inner = row[key]
        if not (isinstance(inner, (dict, list)) and inner) or draw.random() < 0.4:
            return row, key
        row = inner


def _other_value(draw: random.Random, line: bytes) -> bytes:
    row = json.loads(line)
    for _ in range(draw.randint(1, 3)):
        holder, key = _anywhere(draw, row)
        holder[key] = copy.deepcopy(draw.choice(_VALUES))
    return json.dumps(row, ensure_ascii=draw.random() < 0.9).encode("utf-8", "surrogatepass")


def _raw_token(draw: random.Random, line: bytes) -> bytes:
    row = json.loads(line)
    holder, key = _anywhere(draw, row)
    holder[key] = _TOKEN
    return json.dumps(row).replace(f'"{_TOKEN}"', draw.choice(_TOKENS)).encode()


def _lost_key(draw: random.Random, line: bytes) -> bytes:
    row = json.loads(line)
    holder, key = _anywhere(draw, row)
    del holder[key]
    return json.dumps(row).encode()


def _key_twice(draw: random.Random, line: bytes) -> bytes:
    row = json.loads(line)
    again = json.dumps({draw.choice(list(row)): draw.choice(_VALUES)})
    return json.dumps(row)[:-1].encode() + b", " + again[1:].encode()


def _flipped(draw: random.Random, line: bytes) -> bytes:
    spoilt = bytearray(line)
    for _ in range(draw.randint(1, 4)):
        spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
    return bytes(spoilt)


def _inserted(draw: random.Random, line: bytes) -> bytes:
    at = draw.randrange(len(line))
    extra = draw.choice(
        [b"\r", b"\x00", b"\xef\xbb\xbf", b"\n", b"\xff\xfe", b"\xe2\x80\xa8", b"}", b'"', b",", line[:40]]
    )
    return line[:at] + extra + line[at:]


def _torn(draw: random.Random, line: bytes) -> bytes:
    return line[: draw.randrange(len(line))]


def _cut_out(draw: random.Random, line: bytes) -> bytes:
    start, stop = sorted(draw.sample(range(len(line)), 2))
    return line[:start] + line[stop:]


def _glued(draw: random.Random, line: bytes) -> bytes:
    return _torn(draw, line) + line


def _other_format(draw: random.Random, line: bytes) -> bytes:
    return draw.choice(
        [gzip.compress(line, mtime=0), line.decode().encode("utf-16"), _PAGE, b"", b" \t", b"null", b"[]"]
    )


MUTATIONS: list[Callable[[random.Random, bytes], bytes]] = [
    _other_value, _other_value, _raw_token, _lost_key, _key_twice, _flipped, _inserted, _torn, _cut_out, _glued,
    _other_format,
]  # fmt: skip


def spoilt(draw: random.Random, line: bytes) -> bytes:
    """One line of JSON after one mutation; it may hold newlines and then is several physical lines."""
    return draw.choice(MUTATIONS)(draw, line)
