"""Proxies between a caller and the server, each of which falsifies answers in one way: bugs on order, for a test of the model."""
import json

import httpx


class Falsifier(httpx.BaseTransport):
    """Passes everything on. `request` and `answer` may change what passes."""

    def __init__(self):
        self.inner = httpx.HTTPTransport()

    def handle_request(self, request):
        request = self.request(request)
        received = self.inner.handle_request(request)
        received.read()
        answer = Answer(request, received.status_code, received.headers.copy(), received.content)
        self.answer(answer)
        answer.headers.pop("content-length", None)
        return httpx.Response(answer.status, headers=answer.headers, content=answer.content)

    def request(self, request):
        return request

    def answer(self, answer):
        pass

    def close(self):
        self.inner.close()


class Answer:
    def __init__(self, request, status, headers, content):
        self.method, self.path = request.method, request.url.path.lower()
        self.status, self.headers, self.content = status, headers, content

    @property
    def json(self):
        return json.loads(self.content)

    @json.setter
    def json(self, value):
        self.content = json.dumps(value).encode()

    @property
    def is_resource(self):
        return self.status in (200, 201) and "etag" in self.headers and "/operation" not in self.path


class DropsTheLocation(Falsifier):
    def answer(self, answer):
        if answer.status == 202 and answer.method == "PATCH":
            answer.headers.pop("location", None)


class CreatesWith200(Falsifier):
    def answer(self, answer):
        if answer.method == "PUT" and answer.status == 201 and "/nodepools/" in answer.path:
            answer.status = 200


class KeepsTheEtag(Falsifier):
    """The etag of before a change is shown after it, in header and body."""

    def __init__(self):
        super().__init__()
        self.first = {}

    def answer(self, answer):
        if answer.is_resource and answer.method in ("GET", "PUT"):
            etag = self.first.setdefault(answer.path, answer.headers["etag"])
            answer.headers["etag"] = etag
            answer.json = {**answer.json, "etag": etag}


class EndsTooEarly(Falsifier):
    """The first answer to an update shows a final state."""

    def answer(self, answer):
        if answer.method == "PUT" and answer.status == 200 and answer.is_resource:
            body = answer.json
            body["properties"]["provisioningState"] = "Succeeded"
            answer.json = body


class ListsWhatIsGone(Falsifier):
    """A list still has a resource whose GET says 404."""

    def __init__(self):
        super().__init__()
        self.last = {}

    def answer(self, answer):
        if answer.is_resource and answer.method == "GET":
            self.last[answer.path] = answer.json
        elif answer.method == "GET" and answer.status == 200 and answer.path.endswith("/hcpopenshiftclusters"):
            body = answer.json
            there = {item["id"].lower() for item in body["value"]}
            subscription = answer.path.split("/providers/")[0].split("/resourcegroups/")[0]
            body["value"] += [old for path, old in self.last.items()
                              if path.startswith(subscription + "/") and "/nodepools/" not in path and path not in there]
            answer.json = body


class RefusesARepeatedDelete(Falsifier):
    """A DELETE of what is not there answers 404."""

    def answer(self, answer):
        if answer.method == "DELETE" and answer.status == 204:
            answer.status = 404
            answer.headers.update({"content-type": "application/json", "x-ms-error-code": "ResourceNotFound"})
            answer.json = {"error": {"code": "ResourceNotFound", "message": "There is no such resource."}}


class ShowsOperationsToEverybody(Falsifier):
    """Whoever asks for an operation is taken for its initiator."""

    def __init__(self):
        super().__init__()
        self.callers = {}
        self.asking = None

    def request(self, request):
        self.asking = {name: request.headers[name] for name in ("x-ms-home-tenant-id", "x-ms-client-object-id")}
        request.headers.update(self.callers.get(request.url.path.rsplit("/", 1)[1], {}))
        return request

    def answer(self, answer):
        link = answer.headers.get("azure-asyncoperation")
        if link:
            self.callers[httpx.URL(link).path.rsplit("/", 1)[1]] = self.asking


class SaysDoneWhileItRuns(Falsifier):
    """The result route answers 200 before the end."""

    def answer(self, answer):
        if "/hcpoperationresults/" in answer.path and answer.status == 202:
            answer.status = 200


class ForgetsThatItWasCanceled(Falsifier):
    """A superseded operation is later shown as having succeeded."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def answer(self, answer):
        if "/hcpoperationstatuses/" in answer.path and answer.status == 200 and answer.json["status"] == "Canceled":
            if answer.path in self.seen:
                answer.json = {name: value for name, value in {**answer.json, "status": "Succeeded"}.items() if name != "error"}
            self.seen.add(answer.path)


class IgnoresTheCondition(Falsifier):
    """If-Match does not reach the server."""

    def request(self, request):
        request.headers.pop("if-match", None)
        return request


ALL = Falsifier.__subclasses__()
