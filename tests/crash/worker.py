"""One client: lives through clusters, one after the other, whatever dies meanwhile. Its resources are its own, so that what
they must become is known."""
import random
import threading
import uuid

import httpx

from arm import TERMINAL, Arm, cluster_body, cluster_id, node_pool_body, node_pool_id, operation_of, state

POLL_SECONDS = 0.15
PATIENCE_POLLS = 600  # of one wait (90 s); beyond it something hangs


class Hung(AssertionError):
    pass


class InFlight:
    """Writes that are on their way, for who kills."""

    def __init__(self):
        self.condition = threading.Condition()
        self.ids, self.lost, self.begun = {}, set(), 0

    def begin(self, request_id, what):
        with self.condition:
            self.ids[request_id] = what
            self.begun += 1
            self.condition.notify_all()

    def end(self, request_id, lost):
        with self.condition:
            self.ids.pop(request_id)
            if lost:
                self.lost.add(request_id)
            self.condition.notify_all()

    def wait_for_next(self, seconds):
        with self.condition:
            seen = self.begun
            self.condition.wait_for(lambda: self.begun > seen, seconds)

    def snapshot(self):
        with self.condition:
            return dict(self.ids)

    def lost_of(self, ids, seconds):
        """Of these, the ones that ended without an answer."""
        with self.condition:
            self.condition.wait_for(lambda: not ids & self.ids.keys(), seconds)
            return ids & self.lost


class Worker(threading.Thread):
    def __init__(self, number, url, subscription, log, in_flight, stop, seed):
        super().__init__(name=f"worker-{number}", daemon=True)
        self.arm = Arm(url)
        self.number, self.subscription, self.log, self.in_flight, self.stop = number, subscription, log, in_flight, stop
        self.random = random.Random(f"{seed}/{number}")
        self.pause = threading.Event()  # never set
        self.failure = None
        self.lives = 0

    def run(self):
        try:
            while not self.stop.is_set():
                self.live(cluster_id(self.subscription, f"w{self.number}-{self.lives % 2}"), keep=False)
                self.lives += 1
            self.last_will()
        except BaseException as failure:  # told to who started this thread
            self.failure = failure
        finally:
            self.arm.http.close()

    def last_will(self):
        """Even workers leave a finished cluster with a node pool, odd ones nothing."""
        last = cluster_id(self.subscription, f"w{self.number}-last")
        self.live(last, keep=self.number % 2 == 0)

    # -- one life ----------------------------------------------------------------------------------------------------

    def live(self, cluster, keep):
        created = self.write("PUT", cluster, cluster_body(cluster))
        if not keep and self.random.random() < 0.25:
            return self.remove(cluster)  # supersedes the creation
        self.follow(created, cluster)
        if keep:
            return self.step("np1", cluster, wait=True)
        for _ in range(self.random.randint(0, 3)):
            step = self.random.choice(["np1", "np2", "np3", "patch", "credential", "revoke"])
            self.step(step, cluster, wait=self.random.random() < 0.7)
        return self.remove(cluster)

    def step(self, step, cluster, wait):
        if step.startswith("np"):
            target = node_pool_id(cluster, step)
            answer = self.write("PUT", target, node_pool_body())
        elif step == "patch":
            target = cluster
            answer = self.write("PATCH", target, {"properties": {"nodeDrainTimeoutMinutes": self.random.randint(1, 1000)}})
        else:
            target = cluster
            answer = self.write("POST", cluster + ("/requestAdminCredential" if step == "credential" else "/revokeCredentials"))
        if wait:
            self.follow(answer, target)

    def remove(self, cluster):
        self.follow(self.write("DELETE", cluster), cluster)
        self.quiet(cluster)
        assert self.read(cluster).status_code == 404, f"{cluster} was deleted"

    # -- requests that survive a dead server -----------------------------------------------------------------------------

    def write(self, verb, path, body=None):
        """The answer, or None if what is there already answers for it (409 after a lost answer, 404, 204)."""
        for _ in range(PATIENCE_POLLS):
            request_id = str(uuid.uuid4())
            self.log.write("attempt", verb=verb, path=path, request=request_id)
            self.in_flight.begin(request_id, (verb, path))
            lost = True
            try:
                answer = self.arm.request(verb, path, json=body, headers={"x-ms-client-request-id": request_id})
                lost = False
            except httpx.TransportError:
                answer = None
            finally:
                self.in_flight.end(request_id, lost)
            if answer is None or answer.status_code in (429, 503):
                self.pause.wait(POLL_SECONDS)
                continue
            if answer.status_code in (200, 201, 202):
                self.log.write("accepted", verb=verb, path=path, request=request_id, operation=operation_of(answer))
                return answer
            assert answer.status_code in (204, 404, 409), f"{verb} {path}: {answer.status_code} {answer.text}"
            return None
        raise Hung(f"{verb} {path} is never answered")

    def read(self, path):
        for _ in range(PATIENCE_POLLS):
            try:
                answer = self.arm.get(path)
            except httpx.TransportError:
                self.pause.wait(POLL_SECONDS)
                continue
            if answer.status_code not in (429, 503):
                return answer
            self.pause.wait(POLL_SECONDS)
        raise Hung(f"GET {path} is never answered")

    def follow(self, answer, resource):
        """Until the operation of `answer` has ended; without one, until the resource is quiet."""
        if answer is None:
            return self.quiet(resource)
        for _ in range(PATIENCE_POLLS):
            polled = self.read(self.arm.status_url(answer))
            assert polled.status_code == 200, f"{operation_of(answer)} of {resource}: {polled.status_code}"
            status = polled.json()["status"]
            if status in TERMINAL:
                self.log.write("ended", operation=operation_of(answer), path=resource, status=status)
                return self.quiet(resource)
            self.pause.wait(POLL_SECONDS)
        raise Hung(f"the operation {operation_of(answer)} of {resource} never ends: {polled.text}")

    def quiet(self, resource):
        """Until nothing goes on at the resource."""
        for _ in range(PATIENCE_POLLS):
            shown = self.read(resource)
            if shown.status_code == 404 or state(shown) in TERMINAL:
                return
            self.pause.wait(POLL_SECONDS)
        raise Hung(f"{resource} never comes to rest: {shown.text}")
