"""HTTP itself, by raw bytes: what clients' libraries would not send."""
import socket

import httpx
import pytest

from arm import REGION, assert_error, cluster_id


def talk(stack, head, body=b""):
    """One request on a connection of its own; the answer as httpx reads it."""
    with socket.create_connection(("127.0.0.1", stack.acceptd.port), timeout=30) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n" + body)
        received = b""
        while block := connection.recv(65536):
            received += block
    head, _, content = received.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = [tuple(line.split(": ", 1)) for line in lines[1:]]
    return httpx.Response(int(lines[0].split()[1]), headers=headers, content=content)


@pytest.mark.parametrize("origin", ["http://proxy.example", "HTTP://Proxy.Example:8080", "https://[2001:db8::1]:8443"])
def test_a_target_in_absolute_form_is_served(stack, arm, origin):
    answer = talk(stack, f"GET {origin}/location HTTP/1.1\nHost: other.example\nConnection: close\n")
    assert (answer.status_code, answer.text) == (200, REGION)


def test_ARM_012_the_authority_of_an_absolute_target_stands_for_host(stack, arm, subscription):
    resource = cluster_id(subscription)
    arm.make_cluster(resource)
    answer = talk(stack, f"DELETE http://public.example:444{resource}?api-version=2025-12-23-preview HTTP/1.1\nHost: other.example\nConnection: close\n")
    assert answer.status_code == 202
    for name in ("location", "azure-asyncoperation"):
        assert answer.headers[name].startswith("http://public.example:444/subscriptions/"), answer.headers[name]


@pytest.mark.parametrize("target", ["http:///location", "http://u:p@h/location", "http://h:port/location", "http://h:99999999/location",
                                    "ftp://h/location", "//", "*", "h:80", "http://h/a/../location", "http://h/location#x"])
def test_a_target_of_another_form_is_refused(stack, arm, target):
    answer = talk(stack, f"GET {target} HTTP/1.1\nHost: h\nConnection: close\n")
    error = assert_error(answer, 400, "BadRequest")
    assert error["message"].startswith("The request is not valid HTTP.")
    assert arm.get("/location").status_code == 200
