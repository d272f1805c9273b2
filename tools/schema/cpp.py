"""What every writer of C++ tables from the schema needs: names, literals and files."""

import os
import re
import sys

import model


def identifier(text):
    return re.sub(r"[^A-Za-z0-9]", "_", text)


def message_symbol(message):
    return f"kMessage_{identifier(message.gv.path)}_{message.name}"


def c_bytes(data):
    """A C string literal; octal escapes, since hexadecimal ones have no end."""
    out = ""
    for byte in data:
        c = chr(byte)
        out += c if 32 <= byte < 127 and c not in '"\\?' else f"\\{byte:03o}"
    return f'"{out}"'


def c_text(text):
    return c_bytes(text.encode())


def string_view(data):
    """A string_view of bytes that may hold zeros."""
    if isinstance(data, str):
        data = data.encode()
    return f"std::string_view({c_bytes(data)}, {len(data)})" if data else "{}"


def cpp_bool(value):
    return "true" if value else "false"


def write_if_changed(path, text):
    try:
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    except FileNotFoundError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def run(main):
    """Calls main(API_DIR, OUT_DIR) with the words of the command line."""
    try:
        main(*sys.argv[1:3])
    except model.SchemaError as error:
        sys.exit(str(error))
