#!/usr/bin/env python3
"""Takes what only debuggers need out of an executable, and leaves it the names of its functions.

    pack_symbols.py EXECUTABLE DEBUG_FILE OBJCOPY

Debug information and the symbol table, two thirds of the file, go to DEBUG_FILE, where debuggers
find them by the link that is left (.gnu_debuglink). Profiles and stacks in the log are named by the
process itself, from the section .skiff.functions: a line for each function,

    ADDRESS SIZE NAME

in the order of addresses, numbers in hexadecimal and each address as the distance from the one
before, compressed as ELF compresses sections: an Elf64_Chdr, then a zlib stream.
src/profiling/symbols.cc reads it.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

SYMBOL_TABLE, FUNCTION, INDIRECT_FUNCTION = 2, 2, 10  # SHT_SYMTAB, STT_FUNC, STT_GNU_IFUNC
ZLIB = 1  # ELFCOMPRESS_ZLIB


def functions(elf):
    """(address, size, name) of each address that has one."""
    start, = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, start + size * i) for i in range(count)]
    table = next(section for section in sections if section[1] == SYMBOL_TABLE)
    names = sections[table[6]][4]
    found = {}
    for at in range(table[4], table[4] + table[5], 24):
        name, info, _, _, address, length = struct.unpack_from("<IBBHQQ", elf, at)
        if info & 15 not in (FUNCTION, INDIRECT_FUNCTION) or address == 0:
            continue
        text = elf[names + name:elf.index(b"\0", names + name)].decode()
        found[address] = max(found.get(address, (0, "")), (length, text))
    return [(address, *found[address]) for address in sorted(found)]


def packed(elf):
    lines, before = [], 0
    for address, size, name in functions(elf):
        lines.append(f"{address - before:x} {size:x} {name}\n")
        before = address
    text = "".join(lines).encode()
    return struct.pack("<IIQQ", ZLIB, 0, len(text), 1) + zlib.compress(text, 9)


def main():
    executable, debug_file, objcopy = sys.argv[1:]
    os.makedirs(os.path.dirname(debug_file), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(executable)) as folder:
        table = os.path.join(folder, "functions")
        with open(executable, "rb") as elf, open(table, "wb") as out:
            out.write(packed(elf.read()))
        subprocess.check_call([objcopy, "--only-keep-debug", executable, debug_file])
        small = os.path.join(folder, "executable")
        subprocess.check_call([objcopy, "--strip-all", f"--add-section=.skiff.functions={table}",
                               f"--add-gnu-debuglink={debug_file}", executable, small])
        os.replace(small, executable)


if __name__ == "__main__":
    main()
