#!/usr/bin/env python3
"""Somebody's slow API: appliances that take a while to be made, changed and removed, with jobs for actions.

Stands for the backends that acceptd is put in front of. It knows nothing of acceptd. Only the standard library.

  POST   /v1/appliances              {name, label?, spec?, callback?} -> 202 {id, status}; 409 if the name is taken
  GET    /v1/appliances?name=N       {items: [...]}
  GET    /v1/appliances/ID           {id, name, label, spec, status, progress, phase, endpoint?, error?}
  PATCH  /v1/appliances/ID           {spec} -> 202
  DELETE /v1/appliances/ID           202, later 404
  POST   /v1/appliances/ID/restart   202 {id: JOB}
  POST   /v1/appliances/ID/cancel    202: work that goes on ends as "stopped"
  GET    /v1/jobs/JOB                {id, status, progress, output?}

States: queued, building, changing, leaving; ready, broken, stopped. A spec {"fail": CODE} ends as broken with that code.
An Idempotency-Key that was seen before gets its first answer again.

For tests, without credentials and without faults:
  POST /control/hold                 {"hold": true}: nothing goes on until it is false; work then ends in its time
  POST /control/finish               {"id": ID, "fail"?: CODE}: its work ends now
  POST /control/fault                {"method"?, "path"?: prefix, "times"?: 1, "then"?: false, and one of
                                      "status": N with "body"? and "headers"?, "drop": true, "hang": seconds}
                                     `then`: the request is carried out before the fault answers it
  GET  /control/requests             what was asked: [{method, path, headers, body}]
"""
import argparse
import hashlib
import hmac
import json
import sys
import threading
import time
import urllib.parse
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REQUESTS_MAX = 100_000
BODY_BYTES_MAX = 1 << 20
CALLBACK_TIMEOUT_SECONDS = 5


class Refusal(Exception):
    def __init__(self, status, code, text):
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


class World:
    """All appliances and jobs. Every method is called with the lock held, but for run()."""

    def __init__(self, options):
        self.options = options
        self.changed = threading.Condition()
        self.appliances, self.jobs, self.keys = {}, {}, {}
        self.faults, self.requests = [], []
        self.held = False

    def find(self, appliance_id):
        if appliance_id not in self.appliances:
            raise Refusal(404, "NOT_FOUND", f"no appliance {appliance_id}")
        return self.appliances[appliance_id]

    def start(self, thing, state):
        """Work that is done when its time has passed and nothing is held."""
        thing.update(status=state, progress=0, phase="waiting", _ends=time.monotonic() + self.options.duration)
        self.changed.notify_all()

    def create(self, body):
        name = body.get("name")
        if not isinstance(name, str) or not name:
            raise Refusal(400, "BAD_NAME", "name: expected a text")
        if any(a["name"] == name for a in self.appliances.values()):
            raise Refusal(409, "NAME_TAKEN", f"{name} exists")
        if isinstance(body.get("spec"), dict) and body["spec"].get("size", 0) > 100:
            raise Refusal(422, "QUOTA", "size: at most 100")
        made = {"id": uuid.uuid4().hex[:12], "name": name, "label": body.get("label"), "spec": body.get("spec", {}),
                "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "_callback": body.get("callback")}
        self.appliances[made["id"]] = made
        self.start(made, "queued")
        return 202, shown(made)

    def change(self, thing, body):
        if thing["status"] == "leaving":
            raise Refusal(409, "LEAVING", "is being removed")
        thing["spec"] = {**thing["spec"], **body.get("spec", {})}
        thing["_callback"] = body.get("callback", thing["_callback"])
        self.start(thing, "changing")
        return 202, shown(thing)

    def remove(self, thing):
        if thing["status"] != "leaving":
            self.start(thing, "leaving")
        return 202, shown(thing)

    def restart(self, thing):
        job = {"id": "job-" + uuid.uuid4().hex[:8], "of": thing["id"], "_callback": None}
        self.jobs[job["id"]] = job
        self.start(job, "building")
        return 202, shown(job)

    def cancel(self, thing):
        if "_ends" not in thing or thing["status"] == "leaving":
            raise Refusal(409, "NOTHING_TO_CANCEL", "nothing goes on that can be canceled")
        del thing["_ends"]
        thing["status"] = "stopped"
        return 202, shown(thing)

    def finish(self, thing, code=None):
        thing.pop("_ends", None)
        code = code or (thing.get("spec") or {}).get("fail")
        if thing["status"] == "leaving":
            del self.appliances[thing["id"]]
            thing["status"] = "removed"
        elif code:
            thing.update(status="broken", error={"code": code, "text": f"internal: {code} at db-17.internal"})
        else:
            thing.update(status="ready", progress=100, phase="done")
            thing.pop("error", None)
            if "of" in thing:
                thing["output"] = {"restartedAt": time.time()}
            else:
                thing["endpoint"] = f"https://{thing['name']}.appliances.example"
        self.changed.notify_all()

    def run(self):
        """Ends work whose time has come, and reports it to who asked for that."""
        while True:
            with self.changed:
                now = time.monotonic()
                working = [t for t in [*self.appliances.values(), *self.jobs.values()] if "_ends" in t]
                due = [] if self.held else [t for t in working if t["_ends"] <= now]
                for thing in working:
                    if thing["status"] == "queued" and not self.held:
                        thing.update(status="building", phase="disks")
                    elapsed = now - (thing["_ends"] - self.options.duration)
                    if not self.held:
                        thing["progress"] = min(99, int(100 * elapsed / max(self.options.duration, 0.001)))
                for thing in due:
                    self.finish(thing)
                reports = [(t["_callback"], shown(t)) for t in due if t.get("_callback")]
                if not due:
                    next_end = min((t["_ends"] for t in working), default=None)
                    self.changed.wait(None if next_end is None or self.held else max(0.001, min(next_end - now, 0.1)))
            for callback, body in reports:
                self.report(callback, body)

    def report(self, url, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method="POST", headers={"Content-Type": "application/json"})
        secret = self.options.callback_secret
        if self.options.callback_proof == "hmac":
            stamp = str(int(time.time()))
            signature = hmac.new(secret.encode(), stamp.encode() + b"." + data, hashlib.sha256).hexdigest()
            request.add_header("X-Timestamp", stamp)
            request.add_header("X-Signature", "sha256=" + signature)
        else:
            request.add_header("Authorization", "Bearer " + secret)
        try:
            urllib.request.urlopen(request, timeout=CALLBACK_TIMEOUT_SECONDS).close()
        except OSError as error:
            print(f"report to {url}: {error}", file=sys.stderr)


def shown(thing):
    return {key: value for key, value in thing.items() if not key.startswith("_")}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, headers=None):
        text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_BYTES_MAX:
            raise Refusal(413, "TOO_LARGE", "body too large")
        raw = self.rfile.read(length)
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            raise Refusal(400, "NOT_JSON", "the body is not JSON") from None
        if not isinstance(body, dict):
            raise Refusal(400, "NOT_AN_OBJECT", "the body is not an object")
        return body

    def control(self, path, body):
        world = self.world
        if path == "/control/hold":
            world.held = bool(body["hold"])
            for thing in [*world.appliances.values(), *world.jobs.values()]:
                if "_ends" in thing and not world.held:
                    thing["_ends"] = time.monotonic() + world.options.duration
            world.changed.notify_all()
        elif path == "/control/finish":
            thing = world.appliances.get(body["id"]) or world.jobs.get(body["id"])
            if not thing:
                return 404, {}
            world.finish(thing, body.get("fail"))
            if thing.get("_callback"):
                threading.Thread(target=world.report, args=(thing["_callback"], shown(thing)), daemon=True).start()
        elif path == "/control/fault":
            world.faults.append({"times": 1, **body})
        elif path == "/control/requests":
            return 200, world.requests
        else:
            return 404, {}
        return 200, {}

    def take_fault(self, path):
        for fault in self.world.faults:
            if fault["times"] > 0 and fault.get("method", self.command) == self.command and path.startswith(fault.get("path", "/")):
                fault["times"] -= 1
                return fault
        return None

    def carry_out(self, parts, query, body):
        world, method = self.world, self.command
        if parts[:1] == ["jobs"] and len(parts) == 2 and method == "GET":
            if parts[1] not in world.jobs:
                raise Refusal(404, "NOT_FOUND", "no such job")
            return 200, shown(world.jobs[parts[1]])
        if parts[:1] != ["appliances"] or len(parts) > 3:
            raise Refusal(404, "NOT_FOUND", "no such path")
        if len(parts) == 1:
            if method == "GET":
                wanted = query.get("name")
                return 200, {"items": [shown(a) for a in world.appliances.values() if not wanted or a["name"] in wanted]}
            if method == "POST":
                return world.create(body)
        thing = world.find(parts[1]) if len(parts) > 1 else None
        if len(parts) == 3 and method == "POST" and parts[2] in ("restart", "cancel"):
            return getattr(world, parts[2])(thing)
        if len(parts) == 2:
            if method == "GET":
                return 200, shown(thing)
            if method == "PATCH":
                return world.change(thing, body)
            if method == "DELETE":
                return world.remove(thing)
        raise Refusal(405, "NO_METHOD", "no such method here")

    def once(self, parts, query, body):
        """With an idempotency key that is known, the first answer again."""
        key = self.headers.get("Idempotency-Key")
        if not key or self.command == "GET":
            return self.carry_out(parts, query, body)
        key = (self.command, self.path, key)
        if key not in self.world.keys:
            self.world.keys[key] = self.carry_out(parts, query, body)
        return self.world.keys[key]

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        headers = {}
        try:
            body = self.body()
            with self.world.changed:
                if url.path.startswith("/control/"):
                    return self.answer(*self.control(url.path, body))
                self.world.requests.append(
                    {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body})
                del self.world.requests[:-REQUESTS_MAX]
                fault = self.take_fault(url.path)
                if fault and not fault.get("then"):
                    status, answer = 0, None
                else:
                    status, answer = self.carry_out_checked(url, body)
            if self.world.options.retry_after is not None and self.command == "GET":
                headers["Retry-After"] = str(self.world.options.retry_after)
        except Refusal as refusal:
            fault, status, answer = None, refusal.status, {"error": {"code": refusal.code, "text": refusal.text}}
        if not fault:
            return self.answer(status, answer, headers)
        if fault.get("hang"):
            threading.Event().wait(fault["hang"])
        if fault.get("drop") or fault.get("hang"):
            self.close_connection = True
            return None
        return self.answer(fault["status"], fault.get("body"), fault.get("headers"))

    def carry_out_checked(self, url, body):
        token = self.world.options.token
        if token and self.headers.get("Authorization") != "Bearer " + token:
            raise Refusal(401, "WHO", "who are you?")
        parts = [urllib.parse.unquote(p) for p in url.path.strip("/").split("/")]
        if parts[:1] != ["v1"]:
            raise Refusal(404, "NOT_FOUND", "no such path")
        return self.once(parts[1:], urllib.parse.parse_qs(url.query), body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any


def main():
    parser = argparse.ArgumentParser(description="A slow API to try acceptd on.")
    parser.add_argument("--port", type=int, default=8300, help="0: any; the first line of the output says which")
    parser.add_argument("--duration", type=float, default=2.0, help="seconds that work takes")
    parser.add_argument("--token", help="the bearer token that callers must have")
    parser.add_argument("--retry-after", type=int, help="what answers to a GET say")
    parser.add_argument("--callback-secret", default="", help="what reports prove themselves with")
    parser.add_argument("--callback-proof", choices=["bearer", "hmac"], default="bearer")
    options = parser.parse_args()
    Handler.world = World(options)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    threading.Thread(target=Handler.world.run, daemon=True).start()
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
