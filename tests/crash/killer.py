"""Kills acceptd and the simulator at random moments, half of them while a write is on its way, and says where each kill landed."""
import collections
import random
import sqlite3
import threading

from stack import read_documents

OPERATION_TYPE = "microsoft.redhatopenshift/hcpoperationsstatus"
BETWEEN_KILLS_SECONDS = (0.3, 1.2)
AFTER_A_WRITE_BEGAN_SECONDS = 0.08
RESOLVE_SECONDS = 10

# Where a write was when the process died, from the operation document that its request left.
BEFORE_INTENT, INTENT, CALL, OUTCOME = ("before the intent", "intent written, call not begun", "call begun, outcome unknown",
                                        "outcome written, not answered")
NOTHING = "no write on its way"
BACKEND = "backend, while a call was under way"
BACKEND_IDLE = "backend, between calls"


def place_of(operation):
    if operation is None:
        return BEFORE_INTENT
    if operation["stage"] == "submit" and operation.get("attempts", 0) == 0 and not operation.get("internalId"):
        return INTENT
    return CALL if operation["stage"] in ("sending", "search") else OUTCOME


class Killer:
    def __init__(self, stack, in_flight, seed):
        self.stack, self.in_flight = stack, in_flight
        self.random = random.Random(seed)
        self.pause = threading.Event()  # never set
        self.table = collections.Counter()

    def operations(self):
        try:
            return [d["properties"] for _, kind, d in read_documents(self.stack.acceptd.database) if kind == OPERATION_TYPE]
        except sqlite3.OperationalError:  # killed before the file was made
            return []

    def aim(self):
        if self.random.random() < 0.65:
            self.in_flight.wait_for_next(2.0)
            self.pause.wait(self.random.uniform(0, AFTER_A_WRITE_BEGAN_SECONDS))
        else:
            self.pause.wait(self.random.uniform(*BETWEEN_KILLS_SECONDS))

    def kill_one(self):
        self.pause.wait(self.random.uniform(*BETWEEN_KILLS_SECONDS))
        self.aim()
        if self.random.random() < 0.3:
            self.kill_simulator()
        else:
            self.kill_acceptd()

    def kill_acceptd(self):
        on_their_way = set(self.in_flight.snapshot())
        self.stack.acceptd.program.kill()
        lost = self.in_flight.lost_of(on_their_way, RESOLVE_SECONDS)
        by_request = {o.get("clientRequestId"): o for o in self.operations()}
        places = {place_of(by_request.get(request)) for request in lost}
        for place in places or {NOTHING}:
            self.table["acceptd: " + place] += 1
        self.table["acceptd"] += 1
        self.table["between intent and answer"] += bool(places & {INTENT, CALL, OUTCOME})
        self.stack.acceptd.start()

    def kill_simulator(self):
        self.stack.simulator.program.kill()
        calls = any(o["stage"] == "sending" for o in self.operations() if o["status"] not in ("Succeeded", "Failed", "Canceled"))
        self.table["simulator: " + (BACKEND if calls else BACKEND_IDLE)] += 1
        self.table["simulator"] += 1
        self.table["between intent and answer"] += calls
        self.stack.simulator.program.start()
        self.stack.simulator.wait_ready()

    def kills(self):
        return self.table["acceptd"] + self.table["simulator"]

    def report(self):
        width = max(len(row) for row in self.table)
        return "\n".join(f"  {row:<{width}} {self.table[row]:>5}" for row in sorted(self.table))
