"""Writes what Mach-O files are, import and export to OUT, as JSON. Usage: macho_symbols.py OUT FILE..."""

import json
import sys

import lief


def describe(path):
    binary = lief.MachO.parse(path).at(0)
    own_name = next((library.name for library in binary.libraries if is_own_name(library)), None)
    return {
        "cpu": str(binary.header.cpu_type).rpartition(".")[2],
        "type": str(binary.header.file_type).rpartition(".")[2],
        "name": own_name,
        "libraries": [library.name for library in binary.libraries if not is_own_name(library)],
        "rpaths": [rpath.path for rpath in binary.rpaths],
        "minimum": ".".join(str(part) for part in binary.build_version.minos[:2]),
        "signed": binary.has_code_signature,
        "imports": sorted({str(symbol.name) for symbol in binary.imported_symbols}),
        "exports": sorted({str(symbol.name) for symbol in binary.exported_symbols}),
    }


def is_own_name(library):
    return library.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB


with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump({path: describe(path) for path in sys.argv[2:]}, out)
