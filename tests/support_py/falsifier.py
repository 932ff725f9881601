"""A server between a caller and acceptd that breaks the contract in one chosen way: broken servers on order."""
import http.server
import json
import threading

import httpx


class Exchange:
    """What passes: change it on its way. `canned` set by a request hook is answered without asking acceptd."""

    def __init__(self, method, path, query, headers, content):
        self.method, self.path, self.query, self.asked, self.asked_content = method, path, query, headers, content
        self.status, self.headers, self.content, self.canned = 0, {}, b"", False

    @property
    def lower(self):
        return self.path.lower()

    @property
    def is_status(self):
        return "/hcpoperationstatuses/" in self.lower

    @property
    def is_result(self):
        return "/hcpoperationresults/" in self.lower

    @property
    def is_resource(self):
        return not self.is_status and not self.is_result and len(self.path.strip("/").split("/")) % 2 == 0

    @property
    def is_list(self):
        return not self.is_resource and not self.is_status and not self.is_result

    @property
    def body(self):
        return json.loads(self.content) if self.content else None

    def put_body(self, body, status=None):
        self.content = json.dumps(body).encode()
        self.headers["content-type"] = "application/json"
        self.status = status or self.status

    def edit(self, change):
        body = self.body
        change(body)
        self.put_body(body)

    @property
    def state(self):
        body = self.body
        return body.get("properties", {}).get("provisioningState", "") if isinstance(body, dict) else ""

    def refuse(self, status, code):
        self.put_body({"error": {"code": code, "message": "Refused."}}, status)
        self.headers["x-ms-error-code"] = code


class Falsifier:
    """`ask(exchange)` before acceptd is asked, `answer(exchange)` before the caller is answered."""

    def __init__(self, url, ask=None, answer=None):
        keep = httpx.Client(base_url=url, timeout=30)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                path, _, query = self.path.partition("?")
                length = int(self.headers.get("Content-Length") or 0)
                exchange = Exchange(self.command, path, query, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(length))
                if ask:
                    ask(exchange)
                if not exchange.canned:
                    sent = {k: v for k, v in exchange.asked.items() if k not in ("content-length", "connection")}
                    target = exchange.path + ("?" + exchange.query if exchange.query else "")
                    got = keep.request(exchange.method, target, headers=sent, content=exchange.asked_content)
                    exchange.status, exchange.content = got.status_code, got.content
                    exchange.headers = {k.lower(): v for k, v in got.headers.items() if k.lower() not in ("content-length", "connection")}
                if answer:
                    answer(exchange)
                self.send_response_only(exchange.status)
                for name, value in exchange.headers.items():
                    self.send_header(name, value)
                if exchange.status not in (204, 304):
                    self.send_header("Content-Length", str(len(exchange.content)))
                self.end_headers()
                if exchange.status not in (204, 304):
                    self.wfile.write(exchange.content)

            do_GET = do_PUT = do_PATCH = do_POST = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.client = keep
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.client.close()
