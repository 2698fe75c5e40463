"""What services, sandboxes, networks and storage print when they give way, and what only sounds like it."""

import duckdb
import pytest

from blade_pipeline.gym.error_lines import telling_line
from blade_pipeline.gym.gave_way import GAVE_WAY, environment_line, gave_way, may_have_given_way
from blade_pipeline.gym.given_way_in_logs import given_way_in_logs
from blade_pipeline.gym.toolerrors import looks_like_error

PRINTED = """
openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o'}}
botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling InvokeModel
google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded for quota metric 'Queries'
You exceeded your current quota, please check your plan and billing details.
HTTP/1.1 503 Service Unavailable
<html><head><title>502 Bad Gateway</title></head>
504 Gateway Time-out
upstream connect error or disconnect/reset before headers. reset reason: connection failure
anthropic.InternalServerError: Error code: 529 - {'type': 'overloaded_error', 'message': 'Overloaded'}
curl: (7) Failed to connect to api.example.com port 443 after 3 ms: Connection refused
requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection'))
urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='x', port=443): Max retries exceeded with url: /simple/
httpx.RemoteProtocolError: Server disconnected without sending a response.
aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected
ssh: connect to host 10.0.0.4 port 22: No route to host
Get "https://registry-1.docker.io/v2/": dial tcp 34.1.2.3:443: i/o timeout
rpc error: code = DeadlineExceeded desc = context deadline exceeded
net/http: TLS handshake timeout
httpx.ReadTimeout: The read operation timed out
openai.APITimeoutError: Request timed out.
ssh: connect to host 10.0.0.4 port 22: Connection timed out
Error: connect ETIMEDOUT 34.9.8.7:443
<urlopen error [Errno -3] Temporary failure in name resolution>
curl: (6) Could not resolve host: pypi.org
Error: getaddrinfo EAI_AGAIN registry.npmjs.org
dial tcp: lookup db.svc on 10.96.0.10:53: no such host
ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate
playwright._impl._errors.Error: Page.goto: net::ERR_NAME_NOT_RESOLVED at https://a.example/
Page.goto: NS_ERROR_UNKNOWN_HOST
OSError: [Errno 28] No space left on device
cp: error writing 'a': Disk quota exceeded
touch: cannot touch 'x': Read-only file system
OSError: [Errno 116] Stale file handle
bash: fork: Cannot allocate memory
Killed (exit code 137)
command terminated with exit code 137
Last State: Terminated, Reason: OOMKilled
slurmstepd: error: Detected 1 oom_kill event in StepId=81.0. Some of the step tasks have been OOM Killed.
slurmstepd: error: *** JOB 81 ON n3 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***
srun: error: n3: task 0: Out Of Memory
Failed to pull image "team/box:3": ErrImagePull: manifest unknown
Back-off restarting failed container: CrashLoopBackOff
Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
Error response from daemon: Container 5f2a is not running
OCI runtime exec failed: exec failed: unable to start container process: error executing setns process
Error: No such container: a1b2c3
Warning FailedScheduling 0/3 nodes are available: 3 Insufficient memory.
The pod box-7 was evicted
sandbox exec failed: deadline
Sandbox not found: it has been deleted
Session expired or not found
browserType.launch: Target page, context or browser has been closed
playwright._impl._errors.TargetClosedError: Target closed
Page crashed
Our systems have detected unusual traffic from your computer network.
Verify you are human by completing the action below.
Access to this page has been denied because we believe you are using automation tools
403 Forbidden. You don't have permission to access this resource.
sqlite3.OperationalError: database is locked
FATAL: sorry, too many clients already
FATAL: remaining connection slots are reserved for superuser connections
ERROR 2002 (HY000): Can't connect to local MySQL server through socket
MySQLdb.OperationalError: (2006, 'MySQL server has gone away')
FATAL: the database system is starting up
psycopg2.OperationalError: server closed the connection unexpectedly
ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.
ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this task.
ray.exceptions.ObjectLostError: Failed to retrieve object
vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.
NODE_FAIL: node failure on n17
grpc._channel._InactiveRpcError: StatusCode.UNAVAILABLE
""".strip().splitlines()

ORDINARY = """
FileNotFoundError: [Errno 2] No such file or directory: '/data/a.parquet'
ModuleNotFoundError: No module named 'lifelines'
Error: HTTP 404: no such page
PermissionError: [Errno 13] Permission denied: '/srv/x'
403 Forbidden: only an administrator may delete an account
FAILED tests/test_pool.py::test_limit - AssertionError: expected 500 got 429
src/main.rs:4:9: error: unused variable `timeout`
{"busy_timeout": 5000, "max_connections": 40}
def set_rate(self, limit): self.limit = limit
element [12] not found on the page
Error: connect ECONNREFUSED 127.0.0.1:5432
curl: (7) Failed to connect to localhost port 8000: Connection refused
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
The session is open. The browser shows the page.
node index.js printed 3 lines; the worker pool has 4 workers
""".strip().splitlines()


@pytest.mark.parametrize("text", PRINTED)
def test_what_is_printed_when_something_gives_way_is_known(text: str) -> None:
    assert gave_way(text)
    assert may_have_given_way(["done", text])
    assert environment_line(f"{text}\n$ ", None) == text
    [found] = duckdb.execute("select regexp_matches(lower($1), $2)", [text, "|".join(GAVE_WAY)]).fetchone() or [None]
    assert found, "SQL knows other words"


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_sounds_like_it_is_none(text: str) -> None:
    assert not gave_way(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"status": 403, "error": "Forbidden"}',
        "Error: 403 Client Error: Forbidden for url: https://files.example/memo/7",
        "403 Forbidden: you do not have permission to access folder 'board'",
        '{"fehler": "Zeit\\u00fcberschreitung: Der Lagerdienst antwortet nicht (30 s)"}',
        "Erreur : la connexion refusée par le serveur",
        "Error: el servidor no responde",
        "错误：请求超时",
    ],
)
def test_a_bare_denial_and_a_silent_service_of_any_language_are_the_environment_s(text: str) -> None:
    assert looks_like_error(text)
    assert environment_line(text, telling_line(text)) is not None


@pytest.mark.parametrize(
    "text", ["403 Forbidden: only an administrator may delete an account", "Fehler: Zutat unbekannt"]
)
def test_a_refusal_with_a_reason_is_an_answer(text: str) -> None:
    assert environment_line(text, telling_line(text)) is None


def test_a_word_for_an_error_without_content_is_none() -> None:
    assert not looks_like_error('{"fehler": null, "bestand": 3}')


def test_plain_outputs_are_not_looked_into() -> None:
    assert not may_have_given_way(["Edited src/a.py (1 replacement)", "3 passed in 1.2s", '{"results": [{"id": 1}]}'])


def test_a_long_line_is_cut_to_whole_words_from_what_gave_way_on() -> None:
    text = "a" * 300 + " then: 503 Service Unavailable from the search backend " + "b" * 300
    assert environment_line(text, None) == "503 Service Unavailable from the search backend"


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"test_output": "collected 9 items\nKilled (exit code 137)\n"}, [["test_output", "Killed (exit code 137)"]]),
        ({"build_output": {"stderr": "ld: final link failed: No space left on device", "stdout": ""}},
         [["build_output_stderr", "ld: final link failed: No space left on device"]]),
        ({"check_output": "9 items\nall well"}, []),
        ({"model_output": "The cause is: No space left on device"}, []),
        ({"sandbox_log": "No space left on device"}, []),
    ],
)  # fmt: skip
def test_what_a_checker_printed_at_its_end_is_kept(row: dict[str, object], found: list[list[str]]) -> None:
    assert given_way_in_logs(row, tuple(row)) == found
