"""Generates clients from the service's own OpenAPI document and plays the tour's story with them: clients.py PATH/TO/cardscape FOLDER

`openapi-typescript` (used through `openapi-fetch`, checked by `tsc --strict`) and `openapi-python-client` write into FOLDER. Fails when a
generator drops an operation or warns, when the TypeScript does not type-check, and when an answer is not the expected one.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from service import running

ROOT = pathlib.Path(__file__).parent.parent
GAMES = ROOT / "seed-data" / "games"


def main():
    folder = pathlib.Path(sys.argv[2]).absolute()
    with running(sys.argv[1], ROOT / "seed-data") as service:
        service.admin("clients")
        document = folder / "openapi.json"
        document.parent.mkdir(parents=True, exist_ok=True)
        document.write_text(json.dumps(service.document()), encoding="utf-8")
        cards = printed_cards(service)
        decks = sample_decks()
        for generate, play in [(generate_python, play_python), (generate_typescript, play_typescript)]:
            client = generate(folder, document, service)
            story = folder / f"{client.name}.json"
            story.write_text(json.dumps(next(cards) | {"decks": decks}), encoding="utf-8")
            play(client, service.base, story)
        if panics := service.panics():
            sys.exit("a panic in the log:\n" + "\n".join(panics[:5]))
    print("clients passed")


def operations(document):
    """The ids of all operations."""
    paths = json.loads(document.read_text(encoding="utf-8"))["paths"].values()
    return {operation["operationId"] for path in paths for operation in path.values()}


def expect_all(document, generated, generator):
    dropped = operations(document) - generated
    if dropped:
        sys.exit(f"{generator} dropped {', '.join(sorted(dropped))}")
    print(f"{generator}: {len(generated)} operations", flush=True)


def generate_python(folder, document, service):
    client = folder / "python"
    shutil.rmtree(client, ignore_errors=True)
    generator = pathlib.Path(sys.executable).parent / "openapi-python-client"
    config = ROOT / "tests" / "clients" / "python" / "config.yml"
    command = [generator, "generate", "--path", document, "--output-path", client, "--config", config, "--fail-on-warning"]
    subprocess.run(command, check=True)
    modules = (client / "cardscape_client" / "api").glob("*/*.py")
    expect_all(document, {module.stem for module in modules} - {"__init__"}, "openapi-python-client")
    (client / "example.py").write_text(example("python", service), encoding="utf-8")
    return client


def play_python(client, url, story):
    environment = os.environ | {"PYTHONPATH": str(client)}
    script = ROOT / "tests" / "clients" / "python" / "story.py"
    subprocess.run([sys.executable, script, url, story], check=True, env=environment)
    expect_report("Python", [sys.executable, client / "example.py"], env=environment)


def generate_typescript(folder, document, service):
    client = folder / "typescript"
    client.mkdir(parents=True, exist_ok=True)
    for file in (ROOT / "tests" / "clients" / "typescript").iterdir():
        shutil.copy(file, client)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel", "error"], check=True, cwd=client)
    tools = client / "node_modules" / ".bin"
    command = [tools / "openapi-typescript", document, "--empty-objects-unknown", "--output", "schema.d.ts"]
    told = subprocess.run(command, check=True, cwd=client, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(told.stdout, end="")
    if re.search(r"warn|⚠", told.stdout, re.IGNORECASE):
        sys.exit("openapi-typescript has a warning")
    types = (client / "schema.d.ts").read_text(encoding="utf-8")
    listed = types.split("export interface operations {", 1)[1]
    expect_all(document, set(re.findall(r"^    (\w+): \{$", listed, re.MULTILINE)), "openapi-typescript")
    (client / "example.ts").write_text(example("ts", service), encoding="utf-8")
    subprocess.run([tools / "tsc"], check=True, cwd=client)
    return client


def play_typescript(client, url, story):
    subprocess.run(["node", "story.js", url, story], check=True, cwd=client)
    expect_report("TypeScript", ["node", "example.js"], cwd=client)


def example(language, service):
    """The example of docs/CLIENTS.md, for this service."""
    page = (ROOT / "docs" / "CLIENTS.md").read_text(encoding="utf-8")
    code = re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    return code.replace("http://127.0.0.1:8080", service.base)


def expect_report(language, command, **options):
    """Runs an example: three cards, and a deck that is judged."""
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout
    if len(told.splitlines()) < 4 or "ttcg/standard" not in told:
        sys.exit(f"the {language} example of docs/CLIENTS.md printed\n{told}")
    print(f"{language}: the example of docs/CLIENTS.md runs")


def printed_cards(service):
    """Cards of the hidden sample set, each with its name, five codes and one that is typed wrong."""
    codes = service.print_codes("ttcg", "veil", 6)
    sample = json.loads((GAMES / "ttcg" / "sets" / "veil.json").read_text(encoding="utf-8"))
    for card in sample["cards"]:
        mine = codes[card["number"]]
        head, (digit, last) = mine[0][:-2], mine[0][-2:]
        mistyped = head + ("8" if digit == "7" else "7") + last
        yield {"number": card["number"], "name": card["name"], "codes": mine[:5], "mistyped": mistyped}


def sample_decks():
    """The decks that ship with the games."""
    decks = []
    for file in sorted(GAMES.glob("*/decks/*.txt")):
        text = file.read_text(encoding="utf-8")
        made_for = re.search(r"^// format: (.+)$", text, re.MULTILINE)[1].strip()
        decks.append({"name": file.stem, "format": made_for, "list": text, "legal": file.stem.startswith("legal")})
    return decks


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{' '.join(map(str, failed.cmd))} failed")
