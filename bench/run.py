#!/usr/bin/env python3
"""Measures acceptd on this machine and prints one table, each figure beside its limit or a peer measured in the same run.

  bench/run.py [--quick] [--build build/release]

Loopback only; every load is bounded in count or time. Everything that it starts, it stops.
"""
import argparse
import http.client
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ap = argparse.ArgumentParser()
ap.add_argument("--quick", action="store_true", help="shorter phases, for trying the script")
ap.add_argument("--build", default="build/release")
ap.add_argument("--only", default="", help="comma separated parts: store,nginx,accept,inline,status,noop,recovery,idle")
args = ap.parse_args()
BUILD = pathlib.Path(args.build)
SECONDS = 3 if args.quick else 10
ACTIVE = 5_000 if args.quick else 100_000
TENANTS_IDLE = 1_000 if args.quick else 10_000
only = set(filter(None, args.only.split(",")))
rows = []


def wanted(part):
    return not only or part in only


def row(what, figure, beside):
    rows.append((what, figure, beside))
    print(f"  {what}: {figure}   [{beside}]", flush=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Program:
    started = []

    def __init__(self, command, log):
        Program.started.append(self)
        self.log = log
        self.process = subprocess.Popen(command, stdout=open(log, "ab"), stderr=subprocess.STDOUT)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=60)

    def resident_mb(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def get(port, path, timeout=5):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def wait_until_serving(program, port, path="/healthz", seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if get(port, path, 1)[0] == 200:
                return
        except OSError:
            pass
        if program.process.poll() is not None:
            sys.exit("ended at once:\n" + pathlib.Path(program.log).read_text()[-2000:])
        time.sleep(0.005)
    sys.exit("does not serve: " + program.log)


class Acceptd:
    """acceptd on a fresh (or given) folder."""

    def __init__(self, folder, backend):
        self.folder = pathlib.Path(folder)
        self.port, self.admin = free_port(), free_port()
        config = self.folder / "acceptd.yaml"
        config.write_text(f"""region: westus3
log: {{level: warn}}
listeners:
  arm: {{address: 127.0.0.1, port: {self.port}}}
  admin: {{address: 127.0.0.1, port: {self.admin}}}
store:
  sqlite: {{path: {self.folder}/acceptd.db}}
{backend}
""")
        self.config = config
        self.start()

    def start(self):
        self.program = Program([str(BUILD / "src/acceptd"), "serve", "--config", str(self.config)], str(self.folder / "acceptd.log"))
        wait_until_serving(self.program, self.port)

    def metrics(self):
        text = get(self.admin, "/metrics")[1]
        return {m.group(1): float(m.group(2)) for m in re.finditer(r"^(acceptd_\S+) (\S+)$", text, re.M)}

    def load(self, phases, **options):
        command = [str(BUILD / "bench/load"), "--url", f"http://127.0.0.1:{self.port}", "--phases", phases]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        out = subprocess.run(command, capture_output=True, text=True, timeout=900)
        results = [json.loads(line) for line in out.stdout.splitlines()]
        for result in results:
            if result["failures"]:
                sys.exit(f"the load met failures, so the figure would be worth nothing: {result}")
        if not results:
            sys.exit("the load said nothing: " + out.stderr)
        return {result["phase"]: result for result in results}


def per_second(result):
    return f"{result['per_second']:,.0f}/s (p50 {result['p50_us'] / 1000:.2f} ms, p99 {result['p99_us'] / 1000:.2f} ms)"


def simulated(work):
    return f"simulated_backend: {{work: {work}}}"


def measure_store(folder):
    out = subprocess.run([str(BUILD / "bench/store_loop"), folder], capture_output=True, text=True, timeout=300)
    print(out.stdout)
    for line in out.stdout.splitlines():
        if re.match(r"\s*(group|\d+)", line):
            row("store loop: " + line.strip(), "", "bare SQLite on the same schema, same run")


def measure_nginx(folder):
    port = free_port()
    root = pathlib.Path(folder)
    (root / "file").write_bytes(b"x" * 1024)
    (root / "nginx.conf").write_text(f"""daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; keepalive_requests 100000000;
  client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
  server {{ listen 127.0.0.1:{port}; root {root}; }} }}
""")
    program = Program(["nginx", "-c", str(root / "nginx.conf"), "-p", str(root), "-e", str(root / "error.log")], str(root / "nginx.log"))
    wait_until_serving(program, port, "/file")
    out = subprocess.run(["wrk", "-t1", "-c32", f"-d{SECONDS}s", f"http://127.0.0.1:{port}/file"], capture_output=True, text=True).stdout
    program.stop(signal.SIGQUIT)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def measure_wrk(server, path, headers):
    command = ["wrk", "-t1", "-c32", f"-d{SECONDS}s"]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    out = subprocess.run(command + [f"http://127.0.0.1:{server.port}{path}"], capture_output=True, text=True).stdout
    if "Non-2xx" in out:
        sys.exit("wrk met failures:\n" + out)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def measure_accept(folder):
    server = Acceptd(folder, simulated("20m"))
    # acceptd refuses to open a database that it cannot keep at synchronous=FULL, so whatever is measured is durable.
    server.load("register")
    before, used = server.metrics(), server.program.cpu_seconds()
    result = server.load("accept-timed", connections=32, seconds=SECONDS, prefix="a")["accept"]
    after, used = server.metrics(), server.program.cpu_seconds() - used
    per_fsync = (after["acceptd_store_batches_total"] - before["acceptd_store_batches_total"]) / max(
        after["acceptd_store_commits_total"] - before["acceptd_store_commits_total"], 1)
    row("durable accept, 32 connections, background submit", per_second(result) + f", {per_fsync:.1f} batches per fsync, "
        f"{used / result['count'] * 1e6:.0f} µs of server CPU each, its submission included", "at least 8,000/s")
    one = server.load("accept-timed", connections=1, seconds=SECONDS, prefix="o")["accept"]
    row("durable accept, 1 connection", per_second(one), "p50 at most 0.8 ms")
    server.program.stop()


def measure_inline(folder):
    port = free_port()
    sim = Program([str(BUILD / "src/cluster-service-sim"), "--listen", f"127.0.0.1:{port}", "--data", f"{folder}/sim.db",
                   "--create-seconds", "3000"], f"{folder}/sim.log")
    wait_until_serving(sim, port, "/")
    server = Acceptd(folder, f"cluster_service:\n  url: http://127.0.0.1:{port}")
    server.load("register")
    result = server.load("accept-timed", connections=32, seconds=SECONDS, prefix="i")["accept"]
    row("accept through Cluster Service's simulator (inline, its own fsync)", per_second(result), "no limit set")
    server.program.stop()
    sim.stop()


def measure_status(folder, nginx):
    server = Acceptd(folder, simulated("60m"))
    count = 10_000 if args.quick else 100_000
    results = server.load("register,accept,status", connections=32, operations=count, seconds=SECONDS)
    beside = f"at least 60,000/s; nginx, 1 KB file: {nginx:,.0f}/s" if nginx else "at least 60,000/s"
    row(f"status read, {count:,} different operations, 1 % verified (our load generator, 1 core)", per_second(results["status"]), beside)
    # The same with wrk, which costs less than our generator, on one of them.
    name = "b0"
    subscription = "00000000-0000-4000-8000-000000000000"
    headers = {"x-ms-home-tenant-id": "10000000-0000-4000-8000-000000000000", "x-ms-client-object-id": "20000000-0000-4000-8000-000000000001"}
    path = f"/subscriptions/{subscription}/resourceGroups/bench/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/{name}?api-version=2024-06-10-preview"
    row("resource read (1.3 KB) by wrk, 32 connections", f"{measure_wrk(server, path, headers):,.0f}/s", beside)
    server.program.stop()


def measure_noop(folder):
    server = Acceptd(folder, simulated("0s") + "\nengine: {poll_first: 1ms, poll_max: 100ms}")
    server.load("register")
    result = server.load("noop", connections=32, seconds=SECONDS)["noop"]
    row("end to end, no work, 32 in flight (PUT to Succeeded, polled every 2 ms)", per_second(result), "at least 2,500/s (through an HTTP backend)")
    server.program.stop()


def put_subscription(port, number):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("PUT", f"/subscriptions/0f000000-0000-4000-8000-{number:012x}?api-version=2.0", json.dumps({"state": "Registered"}),
                           {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def read_cluster(port, name, tenant):
    """A resource that the load generator made: its status and provisioningState."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", f"/subscriptions/00000000-0000-4000-8000-{tenant:012x}/resourceGroups/bench/providers/"
                           f"Microsoft.RedHatOpenShift/hcpOpenShiftClusters/{name}?api-version=2024-06-10-preview",
                           headers={"x-ms-home-tenant-id": f"10000000-0000-4000-8000-{tenant:012x}",
                                    "x-ms-client-object-id": "20000000-0000-4000-8000-000000000001"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())["properties"]["provisioningState"]
    finally:
        connection.close()


def measure_memory(server, half):
    """Fills the server with active operations in two halves: the first fills the caches, which are bounded, too."""
    sizes = []
    for prefix in ("r", "s"):
        server.load("accept", connections=32, operations=half, prefix=prefix)
        sizes.append(server.program.resident_mb())
    each = (sizes[1] - sizes[0]) * 1024 * 1024 / half
    row(f"memory with {2 * half:,} active operations", f"{sizes[1]:.0f} MB resident; {each:,.0f} bytes for each of the second half",
        "at most 400 MB; 512 bytes each")


def measure_recovery(folder):
    server = Acceptd(folder, simulated("60m"))
    server.load("register")
    measure_memory(server, ACTIVE // 2)
    server.program.stop(signal.SIGKILL)
    begin = time.monotonic()
    server.program = Program([str(BUILD / "src/acceptd"), "serve", "--config", str(server.config)], str(server.folder / "acceptd.log"))
    while True:
        try:
            if put_subscription(server.port, 0) == 200:
                break
        except OSError:
            pass
        if server.program.process.poll() is not None:
            sys.exit("did not start again:\n" + pathlib.Path(server.program.log).read_text()[-2000:])
        time.sleep(0.002)
    first = time.monotonic() - begin
    last = ACTIVE // 2 - 1
    status, state = read_cluster(server.port, f"s{last}", last % 1000)
    if status != 200 or state not in ("Accepted", "Provisioning"):
        sys.exit(f"what was accepted last reads {status} {state} after the restart")
    row(f"SIGKILL to the first durable write, {ACTIVE:,} active operations; what was accepted last reads {state}",
        f"{first * 1000:.0f} ms", "at most 300 ms")
    seen = 0
    while seen < ACTIVE and time.monotonic() - begin < 120:
        time.sleep(0.5)
        seen = server.metrics().get('acceptd_engine_backend_calls_total{purpose="observe"}', 0)
    done = f"{time.monotonic() - begin:.0f} s" if seen >= ACTIVE else f"only {seen:,.0f} after 120 s"
    row("… until as many looks at the backend as there are operations, at most 2,000 per second", done, "at most 60 s")
    server.program.stop()


def measure_idle(folder):
    server = Acceptd(folder, simulated("0s"))
    server.load("register,accept", connections=32, tenants=TENANTS_IDLE, operations=TENANTS_IDLE)
    end = time.monotonic() + 120
    while server.metrics()["acceptd_operations_active"] > 0 and time.monotonic() < end:
        time.sleep(0.5)
    server.program.stop()
    server.start()
    time.sleep(2)
    before, begin = server.program.cpu_seconds(), time.monotonic()
    time.sleep(20)
    used = (server.program.cpu_seconds() - before) / (time.monotonic() - begin)
    row(f"idle, {TENANTS_IDLE:,} tenants with a resource and a finished operation each",
        f"{used * 100:.2f} % of a core, {server.program.resident_mb():.0f} MB resident", "at most 0.3 %, 60 MB")
    server.program.stop()


def main():
    base = tempfile.mkdtemp(prefix="acceptd-bench-")
    os.chmod(base, 0o755)  # nginx's worker may be another user

    def folder(name):
        path = os.path.join(base, name)
        os.mkdir(path)
        return path

    try:
        nginx = measure_nginx(folder("nginx")) if wanted("nginx") and shutil.which("nginx") and shutil.which("wrk") else 0
        if nginx:
            row("nginx, 1 KB file, wrk, 32 connections", f"{nginx:,.0f}/s", "peer")
        if wanted("store"):
            measure_store(folder("store"))
        if wanted("accept"):
            measure_accept(folder("accept"))
        if wanted("inline"):
            measure_inline(folder("inline"))
        if wanted("status"):
            measure_status(folder("status"), nginx)
        if wanted("noop"):
            measure_noop(folder("noop"))
        if wanted("recovery"):
            measure_recovery(folder("recovery"))
        if wanted("idle"):
            measure_idle(folder("idle"))
    finally:
        for program in Program.started:
            program.stop(signal.SIGKILL)
        shutil.rmtree(base, ignore_errors=True)
    print(f"\nMeasured {time.strftime('%Y-%m-%d')} on {os.cpu_count()} cores, {platform.system()} {platform.release()}, everything on one machine.\n")
    print("| what | figure | beside |\n|---|---|---|")
    for what, figure, beside in rows:
        print(f"| {what} | {figure} | {beside} |")


main()
