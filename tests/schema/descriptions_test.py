"""Do the descriptions in api/**/*.doc fit the schema, and are the checks of them sharp?

    python3 tests/schema/descriptions_test.py

A file that exists is complete and without faults. Then small files with one fault each, every one
of which must be told, and one without a fault, whose texts are compared with what it says, as are
the lines that the executable has of it.
"""

import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "schema"))

import descriptions  # noqa: E402
import emit_openapi  # noqa: E402
import model  # noqa: E402

API = os.path.join(ROOT, "api")
# They lie compressed in the executable, and all of them in memory would cost a server no more.
MOST_BYTES = 500_000

META = """# Metadata.
group meta.k8s.io
version v1
class common
proto meta.v1
openapi meta.v1
type ObjectMeta {
  name? 1 string
}
type ListMeta {
  continue? 1 string
}
"""
SHAPES = """# Shapes.
group shapes
version {version}
class served
proto shapes.{version}
openapi shapes.{version}
kind Box {{
  metadata? 1 meta/v1.ObjectMeta
  width     2 int32
  inline    3 Colour
}}
list BoxList of Box
type Colour {{
  red? 1 int32
}}
type Size form=quantity {{
  string 1 string
}}
"""
OTHER = "type Circle {\n  radius 1 int32\n  depth 2 int32\n}\n"

GOOD = """# Descriptions of shapes.

Box: Something with a width
      that can be seen.
  width: Breadth in millimetres.

Colour: What light it reflects.
  red: Share of red: 0 to 255.

Size: An amount with a unit.
"""
OLD = """Box like shapes/v1
  width: Breadth in inches, rounded down.
Colour like shapes/v1
Size like shapes/v1
Circle like shapes/v1.Box
  radius: Half of the diameter.
  depth: Always zero, since circles are flat.
"""
BAD = [  # what GOOD is changed into, and part of the fault that must be told
    (("Box:", "Bax:"), "no message Bax"),
    (("Box:", "Bax:"), "Box is missing"),
    (("  width: Breadth in millimetres.\n", ""), "Box.width is missing"),
    (("  width:", "  length:"), "Box has no field length"),
    (("Breadth in millimetres.", "Breadth in millimetres"), "no full stop"),
    (("Breadth in millimetres.", "Its breadth."), "fewer than 3 words"),
    (("Breadth in", "Breadth " + "very " * 90 + "\n      in"), "at most 400"),
    (("Breadth in", "Breadth " + "very " * 30 + "in"), "more than 100 columns"),
    (("Share of red: 0 to 255.", "Breadth in millimetres."), "the same text as width"),
    (("What light it reflects.", "An amount with a unit."), "the same text as"),
    (("Size:", "Colour: It is told again.\nSize:"), "Colour is described twice"),
    (("Size:", "  red: It is told again.\nSize:"), "red is described twice"),
    (("  width:", "   width:"), "expected: NAME: TEXT"),
    (("Size: An amount with a unit.", "Size like shapes/v1.None"), "no message shapes/v1.None"),
    (("Size: An amount with a unit.", "Size like shapes/v2"), "shapes/v2.Size has no description"),
    (("Size: An amount with a unit.", "Size like shapes/v1"), "goes round in a circle"),
    (("# Descriptions of shapes.\n", "  width: Breadth in metres.\n"), "without a message"),
    (("# Descriptions of shapes.\n", "      and so on\n"), "nothing to continue"),
    (("that can be seen.", "that can be seen. "), "trailing blank"),
]


class Report:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, text):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print(f"FAIL {text}")


def write(directory, name, text):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def made(directory, doc, old=None):
    """A small schema in two versions; its descriptions are `doc` and, if there are any, `old`."""
    write(directory, "meta/v1.api", META)
    write(directory, "shapes/v1.api", SHAPES.format(version="v1"))
    write(directory, "shapes/v2.api", SHAPES.format(version="v2") + OTHER)
    write(directory, "shapes/v1.doc", doc)
    if old:
        write(directory, "shapes/v2.doc", old)
    return model.load(directory)


def check_files(report):
    schema = model.load(API)
    for line in descriptions.check(API, schema):
        report.check(False, line)
    present = set(descriptions.files(API))
    for path in sorted(present):
        report.check(path in schema.versions, f"{path}.doc stands beside a schema")
    texts = descriptions.load(API, schema)
    for path in sorted(present & set(schema.versions)):
        for name in schema.versions[path].messages:
            report.check(texts.of(f"{path}.{name}")[0], f"{path}.{name} is described")
    missing = [path for path in schema.versions if path not in present]
    packed = sum(len(emit_openapi.description_block(schema, texts, gv))
                 for gv in schema.versions.values())
    report.check(not missing, f"{', '.join(missing)} are described")
    report.check(packed <= MOST_BYTES, f"{packed} bytes are no more than {MOST_BYTES}")
    print(f"{len(present)} files, {len(missing)} still to come; {packed} bytes of the executable")


def check_faults(report):
    for (old, new), fault in BAD:
        with tempfile.TemporaryDirectory() as directory:
            schema = made(directory, GOOD.replace(old, new, 1))
            lines = descriptions.check(directory, schema)
        report.check(any(fault in line for line in lines),
                     f"{old!r} changed into {new[:60]!r} is told as {fault!r}: {lines}")


def check_texts(report):
    with tempfile.TemporaryDirectory() as directory:
        schema = made(directory, GOOD, OLD)
        lines = descriptions.check(directory, schema)
        texts = descriptions.load(directory, schema)
    check_block(report, schema, texts)
    report.check(not lines, f"a good file has no faults: {lines}")
    text, fields = texts.of("shapes/v1.Box")
    report.check(text == "Something with a width that can be seen.", f"lines are joined: {text}")
    report.check(fields["width"] == "Breadth in millimetres.", "a field has its own text")
    report.check(fields["red"] == "Share of red: 0 to 255.", "members of inlined messages too")
    report.check("shapes/v1" in fields["apiVersion"] and "Box" in fields["kind"]
                 and fields["metadata"], "what all kinds have is told by rule")
    text, fields = texts.of("shapes/v1.BoxList")
    report.check("Box" in text and "Box" in fields["items"], "lists are told by rule")
    text, fields = texts.of("shapes/v2.Box")
    report.check(text.startswith("Something"), "like takes the text of the other message")
    report.check(fields["width"].endswith("rounded down."), "a line below like overrides")
    report.check("shapes/v2" in fields["apiVersion"], "rules hold for the version itself")
    text, fields = texts.of("shapes/v2.Circle")
    report.check(text.startswith("Something") and set(fields) == {"radius", "depth"},
                 f"like brings no fields that the message does not have: {fields}")


def check_block(report, schema, texts):
    """What the executable has: each text once, and a reference where a message is like another."""
    lines = emit_openapi.description_lines(schema, texts, schema.versions["shapes/v2"])
    version = schema.versions["shapes/v2"].messages["Box"].gv.api_version
    report.check(lines == [
        "Box=shapes.v1.Box\t\n",
        f" apiVersion\tGroup and version of the schema that this document follows: {version}.\n",
        " width\tBreadth in inches, rounded down.\n",
        "BoxList\tA list of Box objects, as one request reads them.\n",
        *[f" {name}\t{text}\n" for name, text in sorted(texts.of("shapes/v2.BoxList")[1].items())],
        "Circle=shapes.v1.Box\t\n",
        " depth\tAlways zero, since circles are flat.\n",
        " radius\tHalf of the diameter.\n",
        "Colour=shapes.v1.Colour\t\n",
        "Size=shapes.v1.Size\t\n",
    ], f"a block has what is not told elsewhere: {lines}")


def main():
    report = Report()
    check_files(report)
    check_faults(report)
    check_texts(report)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
