"""One conversation with a running server: sends requests and checks what holds for every answer."""
import email.utils
import re
import uuid

import httpx

from shapes import NEW

CALLERS = {name: {"x-ms-home-tenant-id": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
                  "x-ms-client-object-id": str(uuid.uuid5(uuid.NAMESPACE_URL, name))} for name in ("kim", "lee")}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ALWAYS = {"x-ms-request-id", "date", "content-length", "content-type", "x-ms-error-code", "x-ms-client-request-id"}


class Disagreement(AssertionError):
    """The server and the model say different things."""


def agree(condition, what, *seen):
    if not condition:
        raise Disagreement(f"{what}: {' '.join(str(s) for s in seen)}")


def same(seen, expected, what):
    agree(seen == expected, what, *[f"\n  {line}" for line in differences(seen, expected)])


def differences(seen, expected, place=""):
    """What differs, member by member."""
    if isinstance(seen, dict) and isinstance(expected, dict):
        for key in sorted(seen.keys() | expected.keys()):
            if seen.get(key, Session) != expected.get(key, Session):
                yield from differences(seen.get(key, "(absent)"), expected.get(key, "(absent)"), f"{place}.{key}")
    else:
        yield f"{place or 'it'}: answered {seen!r}, expected {expected!r}"


class Session:
    def __init__(self, url, transport=None, on_failure=lambda error: None):
        self.url = url
        self.http = httpx.Client(base_url=url, timeout=30, transport=transport)
        self.trace = []
        self.request_ids = set()
        self.on_failure = on_failure

    def failed(self, error):
        error.add_note("the conversation:\n" + "\n".join(self.trace))
        self.on_failure(error)

    def close(self):
        self.http.close()

    def send(self, method, path, caller="kim", version=NEW, headers=None, **more):
        """Checks ARM-001 to ARM-006, ARM-040 and ARM-044 on the answer. Every third request has an id of the client's."""
        headers = {**CALLERS[caller], **(headers or {})}
        if len(self.request_ids) % 3 == 0:
            headers |= {"x-ms-client-request-id": "the-callers-own", "x-ms-return-client-request-id": ("true", "false")[len(self.request_ids) % 2]}
        url = httpx.URL(path)
        if version is not None and "api-version" not in url.params:
            url = url.copy_merge_params({"api-version": version})
        answer = self.http.request(method, url, headers=headers, **more)
        conditions = {name: value for name, value in headers.items() if name.startswith("if-")}
        self.trace.append(f"{caller}: {method} {url} {conditions or ''} {more.get('json', more.get('content', ''))}\n"
                          f"   -> {answer.status_code} {answer.text[:1500]}")
        self._check(answer, headers)
        return answer

    def _check(self, answer, headers):
        request_id = answer.headers.get("x-ms-request-id", "")
        agree(UUID.fullmatch(request_id) and request_id not in self.request_ids, "x-ms-request-id is new", request_id)
        self.request_ids.add(request_id)
        date = answer.headers.get("date", "")
        agree(date.endswith("GMT") and email.utils.parsedate_to_datetime(date), "Date", date)
        echo = headers["x-ms-client-request-id"] if headers.get("x-ms-return-client-request-id") == "true" else None
        same(answer.headers.get("x-ms-client-request-id"), echo, "x-ms-client-request-id")
        if answer.content:
            same(answer.headers.get("content-type", "").split(";")[0], "application/json", "Content-Type")
        if answer.status_code >= 400 and answer.content:
            error = answer.json()["error"]
            agree(error["code"] and error["message"], "an error has code and message", error)
            same(answer.headers.get("x-ms-error-code"), error["code"], "x-ms-error-code")

    @staticmethod
    def has_headers(answer, *wanted):
        """Exactly these, beside those that every answer has."""
        same(set(answer.headers) - ALWAYS, set(wanted), f"headers of {answer.request.method} {answer.request.url} ({answer.status_code})")

    def choose(self, answer, outcomes):
        """The allowed outcome that was answered."""
        error = answer.json()["error"] if answer.status_code >= 400 and answer.content else {}
        fitting = [outcome for outcome in outcomes if fits(outcome, answer, error)]
        agree(fitting, "the answer", f"{answer.request.method} {answer.request.url}\n  answered {answer.status_code} {answer.text}\n"
              f"  allowed {outcomes}")
        if answer.status_code >= 400:
            agree(answer.content, "an error has a body")
            self.has_headers(answer, *(["retry-after"] if fitting[0].retry_after else []))
        return fitting[0]


def fits(outcome, answer, error):
    """Names in messages and targets are compared without regard to case: the rules do not say whose casing they have."""
    return (outcome.status == answer.status_code and outcome.code in (None, error.get("code"))
            and (outcome.message is None or outcome.message.lower() == error.get("message", "").lower())
            and (outcome.target is None or outcome.target.lower() == error.get("target", "").lower())
            and (outcome.retry_after is None or outcome.retry_after == answer.headers.get("retry-after")))
