"""Words of services, sandboxes, networks and storage that gave way, in lower-case texts."""

import re
from collections.abc import Iterable

from blade_pipeline.gym.error_lines import LONGEST_LINE
from blade_pipeline.gym.errors_in_languages import gave_no_answer

_BY_WORDS = {
    # quotas and HTTP answers of a service
    "requests rate ratelimit ratelimiterror payment quota insufficient throttlingexception requestlimitexceeded "
    "exhausted resourceexhausted": (
        r"too many requests|rate.?limit|payment required|quota.{0,20}exceeded|exceeded.{0,30}quota",
        r"insufficient.{0,20}(quota|credit|balance|funds)|throttlingexception|requestlimitexceeded|resource.?exhausted",
    ),
    "402 429 500 501 502 503 504 529": (
        r"(http|status|code|error|failed)[^a-z0-9]{1,12}(402|429|50[0-4]|529)\b",
        r"\b(402|429|50[0-4]|529)\s+(payment|too many|internal server|bad gateway|service)",
        r"(429|5\d\d)[^a-z0-9]{0,4}overloaded",
    ),
    "gateway unavailable upstream overloaded apistatuserror internalservererror serviceunavailableerror": (
        r"bad gateway|service (is )?(temporarily )?unavailable|gateway time-?out|upstream connect error",
        r"overloaded_error|\b(server|service|model|engine) .{0,20}overloaded|statuscode\.unavailable",
        r"rpc error: code = unavailable|(apistatus|internalserver|serviceunavailable)error",
    ),
    # connections, names and certificates
    "connection refused reset econnrefused econnreset connectionerror connecterror apiconnectionerror disconnected "
    "remoteprotocolerror network route hang retries dial incompleteread": (
        r"connection (was |has been )?(refused|reset|aborted|error|closed|lost|timed out)|econnrefused|econnreset",
        r"connect(ion)?error|remoteprotocolerror|server disconnected|network is unreachable|no route to host",
        r"socket hang up|remote end closed connection|max retries exceeded with url|\bdial (tcp|unix)\b",
        r"lost connection to|server closed the connection|incompleteread\(",
    ),
    "timed timeout etimedout readtimeout connecttimeout pooltimeout apitimeouterror deadline deadlineexceeded "
    "handshake": (
        r"(request|connection|connect|read|call|rpc) (has |was )?timed out|(read|connect|pool)timeout\b",
        r"apitimeouterror|i/o timeout|(context|code =) ?deadline.?exceeded|handshake (timeout|failed|failure)",
        r"etimedout|lock wait timeout exceeded",
    ),
    "resolution resolve known getaddrinfo enotfound eai host servname certificate err ns sslv3": (
        r"name or service not known|name resolution|could not resolve host|getaddrinfo|\benotfound\b|eai_again",
        r"no such host|nodename nor servname|certificate[ _]verify[ _]failed|alert_handshake_failure",
        r"net::err_(connection|name|internet|address|network|timed|proxy|tunnel|empty_response|ssl|cert|http2)\w*",
        r"ns_error_unknown_host",
    ),
    # memory and storage
    "memory oom oomkilled oomkill oomkiller 137 disk left only enospc edquot stale eio": (
        r"out of memory|cannot allocate memory|\boom\b|oom.?kill|\bkilled\b.{0,20}\b137\b|exit (code|status):? 137\b",
        r"no space left|disk quota|read-only file system|\benospc\b|\bedquot\b|\[errno 5\]|\beio\b|stale file handle",
    ),
    # containers, sandboxes and schedulers
    "image imagepull imagepullbackoff errimagepull pull pulling manifest toomanyrequests crashloopbackoff daemon oci "
    "failedscheduling createcontainererror slurmstepd srun preempted failure fail nodefailure": (
        r"image.?pull|errimagepull|pull(ing)? (access|image)|manifest unknown|toomanyrequests|crashloopbackoff",
        r"docker daemon|response from daemon|oci runtime|failedscheduling|createcontainererror",
        r"preempted|slurmstepd|srun: error|node.?failure|\bnode_fail\b",
    ),
    "sandbox sandboxes container containers pod pods node nodes worker workers actor actors session kernel browser "
    "actordiederror actorunavailableerror rayactorerror workercrashederror objectlosterror raylet due": (
        r"(sandbox|container|pod|node|worker|actor)s? .{0,30}(failed to start|not start|unavailable|died|lost|evicted"
        r"|not running|unreachable|terminated|(has|have) been deleted|was deleted)",
        r"failed to create (pod )?(sandbox|container)|no such container|unable to start container",
        r"(sandbox|kernel|browser|worker|container) session .{0,20}(expired|lost|terminated)",
        r"session expired or not found|sandbox (exec|creation|start|call|request|connection)\w* (failed|error|timed)",
        r"sandbox (not found|has expired|expired|is gone)|actordied|actorunavailable|rayactorerror|workercrashed"
        r"|objectlost|\braylet\b|due to (time limit|node)",
    ),
    # browsers, and walls before sites
    "targetclosederror page context target closed crashed websocket disconnected": (
        r"targetclosederror|(page|context|browser|target) has been closed|target (closed|crashed)|page crashed",
        r"browser (has )?(closed|disconnected)|websocket (error|closed)",
    ),
    "human traffic denied permission forbidden cloudflare cookies checking attention": (
        r"checking your browser|verify (that )?you are (a )?human|unusual traffic from",
        r"access to this page has been denied|permission to access .{0,60}on this server",
        r"403 forbidden\W+(you don.t have permission|reference #|<|cloudfront)",
        r"attention required! \| cloudflare|cloudflare ray id|enable javascript and cookies to continue",
    ),
    # databases
    "locked many slots gone connect database": (
        r"database (table )?is locked|too many (connections|clients)|connection slots are reserved",
        r"server has gone away|can.t connect to (\w+ )?(mysql|server|local)",
        r"could not connect to (the )?(server|database)|database system is (starting up|shutting down|in recovery)",
    ),
    # servers of models
    "enginedeaderror enginecore engine server backend replica": (
        r"enginedead|enginecore.{0,30}(error|issue|died|failed)",
        r"(engine|server|backend|replica) (process )?(is dead|died|has died|crashed|is not ready|is shutting down)",
    ),
}
"""Patterns, under words of which one stands in every text where one of them is found."""

GAVE_WAY = tuple(pattern for patterns in _BY_WORDS.values() for pattern in patterns)
_GROUPS = [(frozenset(words.split()), re.compile("|".join(patterns))) for words, patterns in _BY_WORDS.items()]
_ANY_KEY = frozenset().union(*(keys for keys, _ in _GROUPS))
_PARTS = tuple(
    part.replace("_", " ")
    for part in """
    many_ limit quota payment_req insufficient throttl exhausted 402 429 500 501 502 503 504 529 gateway unavailable
    upstream overload statuserror servererror conn remoteprotocol network_is no_route hang_up retries_exc dial_
    incompleteread timed_out timeout deadline handshake resol not_known getaddrinfo notfound eai such_host servname
    certificate net:: unknown memory oom 137 left_on read-only enosp edquot errno eio stale pull manifest crashloop
    daemon oci_ sched containererror preempt slurm srun fail lost died evict not_run unreach terminated deleted
    not_start container expired sandbox actor workercrash objectlost raylet due_to been_closed target_c browser_c
    page_c websocket human unusual been_denied permission forbidden cloudflare checking_your cookies locked slots
    gone_away database enginedead enginecore is_dead not_ready shutting
    """.split()
)
"""One of these stands in every text in which a pattern is found; plain searches take less time than a pattern."""

_WORD = re.compile(r"[a-z]+|[0-9]+")
OWN = r"\b(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)\b|\[?::1\b|heap out of memory|cuda out of memory"
"""Servers and limits of the rollout's own programs."""

_OWN = re.compile(OWN)

_DENIALS = frozenset({"403", "forbidden"})
_OF_A_DENIAL = _DENIALS | frozenset(
    "http https status code error errors message detail details title type client server response request reason url "
    "resource page file folder directory document item object record endpoint api site for at the to of you do does "
    "don t not have is was this that access permission permissions denied refused failed read get post put open call "
    "returned with 1 0 2 false true null none ok success "
    "httperror httpstatuserror clienterror requests exceptions urllib".split()
)
"""Words of a message that access is denied, and by no rule that it names."""

_NAMED = re.compile(r"https?://\S+|'[^']*'|`[^`]*`|(?<=[\w:] )/\S+")
"""What access is denied to."""

_SHORT = 2_000
"""Characters of an output that is read line by line where no line of it names an error."""

_SPEAKER = re.compile(r"\b(?:i(?![/\w])|i'm|i've|we|my|our)\b")


def environment_line(text: str, line: str | None) -> str | None:
    """The line of a failed tool's output that names what the rollout's own calls do not bring about; null for none.

    Args:
        text: the output.
        line: the line of it that says most.
    """
    if line is not None and (gave_way(line) or gave_no_answer(line)):
        return line
    if len(text) <= LONGEST_LINE and _only_denies(text):
        return text.strip().partition("\n")[0]
    if len(text) > _SHORT or not gave_way(text):
        return None
    return next((_cut(each) for each in reversed(text.splitlines()) if gave_way(each)), None)


def _only_denies(text: str) -> bool:
    """Whether a text is no more than HTTP 403: a refusal that gives a rule as its reason answers what was asked."""
    words = frozenset(_WORD.findall(_NAMED.sub(" ", text.lower())))
    return bool(words & _DENIALS) and words <= _OF_A_DENIAL


def message_of_environment(answer: str) -> str | None:
    """The first line of a final message that is no more than an error of the environment; null for any other."""
    brief = len(answer) <= LONGEST_LINE and gave_way(answer) and _SPEAKER.search(answer.lower()) is None
    return answer.strip().partition("\n")[0] if brief else None


def may_have_given_way(texts: Iterable[str]) -> bool:
    """Whether it is worth the time to look into texts of which nothing is known."""
    lower = "\n".join(texts).lower()
    return any(map(lower.__contains__, _PARTS))


def gave_way(text: str) -> bool:
    """Whether a text names a service, sandbox, network or storage that gave way, and not one of the rollout's own."""
    return _found(text) is not None


def _found(text: str) -> re.Match[str] | None:
    lower = text.lower()
    words = _ANY_KEY.intersection(_WORD.findall(lower))
    for keys, pattern in _GROUPS if words else ():
        if not keys.isdisjoint(words) and (found := pattern.search(lower)) is not None:
            return None if _OWN.search(lower) else found
    return None


def _cut(line: str) -> str:
    """A line, or of a longer one whole words from the place on that names what gave way."""
    found = _found(line)
    if len(line) <= LONGEST_LINE or found is None:
        return line.strip()
    return line[line.rfind(" ", 0, found.start()) + 1 :][:LONGEST_LINE].rpartition(" ")[0] or found[0]
