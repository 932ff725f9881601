"""Sums up the JUnit reports of a folder: names what failed, then prints "N passed, N failed"; exit status 1 if anything
failed, was skipped, or nothing ran."""
import pathlib
import sys
import xml.etree.ElementTree as ET

passed, failed = 0, []
for report in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    for case in ET.parse(report).getroot().iter("testcase"):
        name = f"{report.stem}: {case.get('classname', '')} {case.get('name', '')}"
        bad = any(case.find(tag) is not None for tag in ("failure", "error", "skipped")) or case.get("status", "run") in ("fail", "notrun", "disabled")
        if bad:
            failed.append(name)
        else:
            passed += 1
for name in failed:
    print(f"failed: {name}")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed or not passed else 0)
