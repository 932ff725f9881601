"""docs/declaring-a-provider.md: its example works as printed."""
import re
import subprocess

from processes import ROOT, Program, binary, free_port, until
from stack import healthy

PAGE = (ROOT / "docs" / "declaring-a-provider.md").read_text()


def printed(language, after=""):
    """The text of the first block of a language after a phrase."""
    return re.search(rf"```{language}\n(.*?)```", PAGE[PAGE.index(after):], re.S).group(1)


def test_the_example_works_as_printed(tmp_path):
    ports = {"8202": str(free_port()), "8204": str(free_port())}

    def with_ports(text):
        return re.sub("8202|8204", lambda found: ports[found.group()], text)

    (tmp_path / "kites").mkdir()
    (tmp_path / "kites" / "provider.yaml").write_text(printed("yaml", "`kites/provider.yaml`"))
    (tmp_path / "kites" / "kites.json").write_text(printed("json"))
    (tmp_path / "acceptd.yaml").write_text(with_ports(printed("yaml", "`acceptd.yaml`")))
    checked = subprocess.run([binary("acceptd"), "check", "acceptd.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "Contoso.Kites/kites (1 API versions)" in checked.stdout
    server = Program(["env", "-C", tmp_path, binary("acceptd"), "serve", "--config", "acceptd.yaml"], tmp_path / "acceptd.log").start()
    try:
        until(lambda: healthy(f"http://127.0.0.1:{ports['8202']}/healthz"), "acceptd answers")
        shown = subprocess.run(["bash", "-eu", "-c", with_ports(printed("sh"))], capture_output=True, text=True, timeout=60, check=False)
        assert shown.returncode == 0, shown.stderr
        assert '"colour":"Red"' in shown.stdout and "provisioningState" in shown.stdout
        assert "open sesame" not in shown.stdout
    finally:
        server.stop()


def test_every_key_of_the_file_is_on_the_page():
    """What the reader asks for, the page explains."""
    source = (ROOT / "src" / "types" / "declared" / "provider.cpp").read_text()
    keys = set(re.findall(r'section\.\w+\("(\w+)"', source))
    assert {"namespace", "deadlines", "unique"} <= keys
    assert not [key for key in keys if f"`{key}`" not in PAGE and f".{key}`" not in PAGE]
