"""Runs expand.py over the reference cases of the effect-text tools: reference.py [FOLDER]

Each case is a folder with `case.json`, `in/` and `expected/`. Prints what differs; the exit code is 1 when anything does.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "tests" / "effect-cases"


def contents(folder):
    """Every file below a folder: path → bytes."""
    files = folder.rglob("*") if folder.is_dir() else []
    return {str(file.relative_to(folder)): file.read_bytes() for file in files if file.is_file()}


def faults(folder):
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as copy:
        copy = pathlib.Path(copy)
        if (folder / "in").is_dir():
            shutil.copytree(folder / "in", copy, dirs_exist_ok=True)
        run = subprocess.run(
            [sys.executable, HERE / "expand.py", case["tool"], *case["args"]], cwd=copy, capture_output=True, check=False
        )
        after = contents(copy)
    if run.returncode != case["exit"]:
        yield f"exit {run.returncode} instead of {case['exit']}: {run.stderr.decode()}"
    if "lines" in case:
        *lines, total = run.stdout.decode().splitlines()
        if [line for line in lines if line] != case["lines"]:
            yield f"lines {lines}"
        if total != f"Total combinations: {case['total']}":
            yield total
    warnings = run.stderr.decode().count("warning: ")
    if warnings != case.get("warnings", 0):
        yield f"{warnings} warnings"
    wanted = contents(folder / "in") | contents(folder / "expected")
    for name in sorted(wanted | after):
        if after.get(name) != wanted.get(name):
            yield f"{name} is {after.get(name)} instead of {wanted.get(name)}"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    cases = sorted(file.parent for file in folder.glob("*/case.json"))
    if not cases:
        sys.exit(f"there are no cases in {folder}")
    wrong = 0
    for case in cases:
        found = list(faults(case))
        wrong += bool(found)
        print("FAIL" if found else "ok  ", case.name, *found, sep="\n     " if found else " ")
    print(f"{len(cases) - wrong} of {len(cases)} cases pass")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
