"""House rules that a machine can check (STYLE A7.13). Each test reads the sources and names the lines that break a rule."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".cpp", ".hpp"})

# Who may include whom: the house of the design. A folder may include itself and what is listed.
MAY_USE = {
    "model": set(),
    "runtime": set(),
    "http": {"runtime"},
    "schema": {"model"},
    "store": {"model", "runtime"},
    "locks": {"store", "model", "runtime"},
    "engine": {"locks", "store", "schema", "model", "runtime"},
    "types": {"engine", "schema", "model", "runtime"},
    "providers": {"engine", "model", "runtime", "http"},
    "contracts": {"engine", "schema", "model", "runtime", "http"},
    "apps": {"contracts", "providers", "types", "engine", "store", "locks", "schema", "http", "runtime", "model"},
}


def lines(path):
    return path.read_text().splitlines()


def where(path, number):
    return f"{path.relative_to(ROOT)}:{number}"


def test_includes_point_down_only():
    wrong = []
    for path in SOURCES:
        folder = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(lines(path), 1):
            m = re.match(r'#include "([a-z_]+)/', line)
            if m and m.group(1) in MAY_USE and m.group(1) != folder and m.group(1) not in MAY_USE[folder]:
                wrong.append(f"{where(path, number)}: {folder} may not use {m.group(1)}")
    assert not wrong, "\n".join(wrong)


def test_beast_stays_in_http():
    wrong = [where(p, n) for p in SOURCES if "src/http/" not in p.as_posix()
             for n, line in enumerate(lines(p), 1) if re.match(r"#include <boost/beast", line)]
    assert not wrong, wrong


def test_the_simulator_shares_nothing_with_the_adapter():
    wrong = [where(p, n) for p in SOURCES if "cluster-service-sim" in p.as_posix()
             for n, line in enumerate(lines(p), 1) if re.match(r'#include "(model|types|providers|engine|contracts)/', line)]
    assert not wrong, wrong


def test_only_the_system_clock_asks_for_the_time():
    wrong = [where(p, n) for p in SOURCES if p.name != "system_clock.cpp"
             for n, line in enumerate(lines(p), 1) if re.search(r"(system_clock|steady_clock)::now|\btime\(nullptr\)|gettimeofday", line)]
    assert not wrong, wrong


def test_no_coroutine_is_detached():
    wrong = [where(p, n) for p in SOURCES for n, line in enumerate(lines(p), 1)
             if re.search(r"\b(asio::)?detached\b", line) and not line.lstrip().startswith("//")]
    assert not wrong, wrong


def test_no_brace_or_lambda_inside_an_awaited_call():
    """STYLE B1: name the aggregate or lambda first."""
    wrong = []
    for path in SOURCES:
        for number, line in enumerate(lines(path), 1):
            m = re.search(r"co_await\s+[\w:.>\-\[\]]+\((.*)", line)
            if m and re.search(r"(\[[^\]]*\]\s*\(|\[[^\]]*\]\s*\{)", m.group(1)):
                wrong.append(f"{where(path, number)}: lambda")
            if m and re.search(r"\{[^}]*[\w\"]", m.group(1)) and "//" not in m.group(1):
                if re.search(r"[(,]\s*\{", "(" + m.group(1)):
                    wrong.append(f"{where(path, number)}: braces")
    assert not wrong, "\n".join(wrong)


def functions(path):
    """(first line, length) of each function body: a column-0 line that ends with '{' up to the next column-0 '}'."""
    start = None
    for number, line in enumerate(lines(path), 1):
        if start is None and re.match(r"[A-Za-z].*\)\s*(const|noexcept|override|->.*|\s)*(:.*)?\{$", line) and not re.match(
                r"(namespace|class|struct|enum|union|extern)\b", line):
            start = number
        elif start is not None and line.startswith("}"):
            yield start, number - start + 1
            start = None


FUNCTION_LINES_MAX = 100
FILE_LINES_MAX = 500


def test_a_function_fits_a_screen():
    wrong = [f"{where(p, start)}: {length} lines" for p in SOURCES for start, length in functions(p) if length > FUNCTION_LINES_MAX]
    assert not wrong, "\n".join(wrong)


def test_a_file_has_one_subject():
    wrong = [f"{p.relative_to(ROOT)}: {len(lines(p))} lines" for p in SOURCES if len(lines(p)) > FILE_LINES_MAX]
    assert not wrong, "\n".join(wrong)


def test_headers_have_pragma_once_and_say_what_they_are_for():
    wrong = []
    for path in SOURCES:
        if path.suffix != ".hpp":
            continue
        text = lines(path)
        if text[0] != "#pragma once" or not text[1].startswith("//"):
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong, wrong


def test_the_project_names_no_machine_path():
    bad = re.compile(r"/work/|/root/|\.library\b|registry\.npmjs|pypi\.org|proxy\.golang")
    wrong = []
    for path in ROOT.rglob("*"):
        relative = path.relative_to(ROOT)
        if not path.is_file() or relative.parts[0] in {".git", "build", "run"} or "node_modules" in relative.parts or ".venv" in relative.parts:
            continue
        if path.suffix not in {".md", ".cpp", ".hpp", ".py", ".sh", ".txt", ".json", ".yaml", ".yml", ".js", ".mjs", ".ts", ".cmake", ".tsp", ""}:
            continue
        if path == pathlib.Path(__file__).resolve() or path.stat().st_size > 1_000_000:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if bad.search(line):
                wrong.append(f"{relative}:{number}")
    assert not wrong, wrong[:40]
