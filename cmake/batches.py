"""Which files of a folder are compiled together: batches.py SOURCE_DIR OUTPUT.cmake

Most of the time of a compilation goes into the headers, which neighbours share: eight files in one
go take a third of the time that they take one by one. Each file has an unnamed namespace of its own
with short names in it (Validate, kGroup). It must not meet a file that mentions such a name, be it
for a thing of its own or for one of a header: that file would get the wrong one, or none. So every
file goes into the first batch of its library that has room and where all is well. A library is a
folder that has a CMakeLists.txt, with those below it that have none. A folder of `tests` may have
several programs; files of one batch that belong to different ones are not compiled together.

Writes one line for each file, set("SKIFF_BATCH_src/base/log.cc" 2). Tests have their own batches.
"""
import re
import sys
from pathlib import Path

FILES_PER_BATCH = 8
TEST_MACROS = {"TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P"}

UNNAMED_NAMESPACE = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
OUTSIDE_OF_IT = re.compile(r"^(?:#define|static) .*", re.M)
ALIAS = re.compile(r"^namespace (\w+) = (.*);", re.M)
BORROWED = re.compile(r"^using ((?!std::)\w+(?:::\w+)+);", re.M)
USING_NAMESPACE = re.compile(r"^using namespace ", re.M)

# What a line that begins in the first column can declare.
DECLARATIONS = [re.compile(pattern) for pattern in (
    r"(?:class|struct|union|enum class|enum)\s+(\w+)",
    r"(?:inline |static |thread_local )*"
    r"(?:constexpr|constinit|const)\b[^=({]*?\b(\w+)(?:\[\w*\])?\s*[={]",
    r"using\s+(\w+)\s*=",
    r"#define\s+(\w+)",
    r"[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*](\w+)\(",
    r"[A-Za-z_][\w:<>,&*\s]*?[\s&*](\w+)(?:\{.*\})?;",
)]


class File:
    """What a file declares for itself alone, and all that it mentions."""

    def __init__(self, path):
        text = path.read_text()
        self.path = path
        self.words = set(re.findall(r"\w+", text))
        own = "\n".join(UNNAMED_NAMESPACE.findall(text) + OUTSIDE_OF_IT.findall(text))
        found = (declaration.match(line) for line in own.splitlines()
                 for declaration in DECLARATIONS)
        # Tests are named by two words, which GoogleTest wants to be unique in a program anyway.
        self.names = {match.group(1) for match in found if match} - TEST_MACROS
        self.aliases = dict(ALIAS.findall(text))
        self.borrowed = {whole.split("::")[-1]: whole for whole in BORROWED.findall(text)}
        self.is_open = USING_NAMESPACE.search(text) is not None

    def can_meet(self, other):
        return (self.bears(other) and other.bears(self)
                and not self.is_open and not other.is_open)

    def bears(self, other):
        """Whether nothing of the other changes what this one says."""
        return (not other.names & self.words
                and all(self.aliases.get(name, meant) == meant
                        for name, meant in other.aliases.items())
                and all(name not in self.words or self.borrowed.get(name) == whole
                        for name, whole in other.borrowed.items()))


def batches_of(paths):
    batches = []
    for file in map(File, paths):
        for batch in batches:
            if len(batch) < FILES_PER_BATCH and all(map(file.can_meet, batch)):
                batch.append(file)
                break
        else:
            batches.append([file])
    return batches


def library_of(path):
    return next(folder for folder in path.parents if (folder / "CMakeLists.txt").exists())


def main():
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    lines = []
    libraries = {}
    for top in ("src", "tests"):
        for path in sorted((source / top).rglob("*.cc")):
            libraries.setdefault(library_of(path), []).append(path)
    for paths in libraries.values():
        for wanted in (True, False):
            group = [path for path in paths if path.name.endswith("_test.cc") == wanted]
            for number, batch in enumerate(batches_of(group)):
                lines += [f'set("SKIFF_BATCH_{file.path.relative_to(source)}" {number})'
                          for file in batch]
    output.write_text("\n".join(lines) + "\n")


main()
