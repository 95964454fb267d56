"""Writes what Mach-O files import and export to OUT, as JSON. Usage: macho_symbols.py OUT FILE..."""

import json
import sys

import lief


def describe(path):
    binary = lief.MachO.parse(path).at(0)
    return {
        "cpu": str(binary.header.cpu_type).rpartition(".")[2],
        "type": str(binary.header.file_type).rpartition(".")[2],
        "libraries": [library.name for library in binary.libraries],
        "imports": sorted({str(symbol.name) for symbol in binary.imported_symbols}),
        "exports": sorted({str(symbol.name) for symbol in binary.exported_symbols}),
    }


with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump({path: describe(path) for path in sys.argv[2:]}, out)
