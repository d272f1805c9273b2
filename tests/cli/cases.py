"""Test cases as text: command lines and what they must print.

A .case file holds cases, each with a title and sections:

    ==== A misspelt field is an error with its place
    == args
    convert --to json pod.yaml
    == file pod.yaml
    apiVersion: v1
    == stderr
    pod.yaml:8:5: spec.containers[0].imagee: unknown field
    == exit
    1

Sections: args (one shell-quoted line; required), stdin, file NAME (there before the run), stdout,
stderr, exit, result NAME (a file's content after the run). What is left out is empty, 0, or as it
was; a run may leave no other files behind. A section ends with the line break before the next
one; with the word `hex` after its name it holds bytes in hexadecimal, with `cut` it has no line
break at its end. Text before the first case is a comment.
"""

import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

TIMEOUT_SECONDS = 120


class Section(NamedTuple):
    name: str
    words: tuple  # what follows the name
    text: str

    def content(self):
        if "hex" in self.words:
            return bytes.fromhex(self.text)
        if "cut" in self.words:
            return self.text[:-1].encode()
        return self.text.encode()


class Case(NamedTuple):
    path: Path
    title: str
    sections: list

    def get(self, name, default=b""):
        return next((s.content() for s in self.sections if s.name == name), default)

    def files(self, name):
        return {s.words[0]: s.content() for s in self.sections if s.name == name}


class Outcome(NamedTuple):
    exit: int
    stdout: bytes
    stderr: bytes
    files: dict


def read_cases(path):
    cases = []
    for block in ("\n" + path.read_text("utf-8")).split("\n==== ")[1:]:
        title, _, body = block.partition("\n")
        body = body.rstrip("\n") + "\n"
        sections = []
        for part in ("\n" + body).split("\n== ")[1:]:
            head, _, text = part.partition("\n")
            if text and not text.endswith("\n"):
                text += "\n"
            name, *words = head.split()
            sections.append(Section(name, tuple(words), text))
        cases.append(Case(path, title, sections))
    return cases


def run(binary, arguments, cwd, stdin=b""):
    return subprocess.run([binary, *arguments], cwd=cwd, input=stdin, capture_output=True,
                          timeout=TIMEOUT_SECONDS)


def run_case(binary, case):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in case.files("file").items():
            Path(folder, name).write_bytes(content)
        done = run(binary, shlex.split(case.get("args").decode()), folder, case.get("stdin"))
        files = {p.name: p.read_bytes() for p in Path(folder).iterdir()}
    return Outcome(done.returncode, done.stdout, done.stderr, files)


def faults_of(case, outcome):
    """What differs from what the case wants, as (what, wanted, got)."""
    wanted_files = {**case.files("file"), **case.files("result")}
    pairs = [("exit", int(case.get("exit", b"0")), outcome.exit),
             ("stdout", case.get("stdout"), outcome.stdout),
             ("stderr", case.get("stderr"), outcome.stderr),
             ("files", sorted(wanted_files), sorted(outcome.files))]
    pairs += [(name, content, outcome.files.get(name)) for name, content in wanted_files.items()]
    return [(what, wanted, got) for what, wanted, got in pairs if wanted != got]


def hex_lines(content):
    lines = (content[i:i + 32] for i in range(0, len(content), 32))
    return "\n".join(line.hex(" ", -4) for line in lines)


def record(path, binary):
    """Writes the outcomes of a file's cases into it, to be read before they are believed."""
    text = path.read_text("utf-8")
    head = ("\n" + text).split("\n==== ")[0].lstrip("\n")
    out = [head.rstrip("\n")] if head.strip() else []
    for case in read_cases(path):
        outcome = run_case(binary, case)
        lines = [f"==== {case.title}"]
        for section in case.sections:
            if section.name in ("args", "stdin", "file"):
                lines += [" ".join(["==", section.name, *section.words]),
                          *section.text.rstrip("\n").split("\n")]
        got = [("stdout", outcome.stdout), ("stderr", outcome.stderr)]
        got += [(f"result {name}", content) for name, content in sorted(outcome.files.items())
                if case.files("file").get(name) != content]
        for name, content in got:
            if not content:
                continue
            is_text = content.endswith(b"\n") and b"\0" not in content
            lines += [f"== {name}" + ("" if is_text else " hex"),
                      content.decode().rstrip("\n") if is_text else hex_lines(content)]
        if outcome.exit:
            lines += ["== exit", str(outcome.exit)]
        out.append("\n".join(lines))
    path.write_text("\n\n".join(out) + "\n", "utf-8")
