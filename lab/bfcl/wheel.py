"""The wheel bfcl-eval, fetched from PyPI into build/lab and checked; its modules without the packages that its models need.

BFCL's command needs the clients of every maker of models, torch among them. Here only its data, its wording of tools and
its checkers are used: packages that are not installed are replaced by nothing.
"""

import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from unittest.mock import MagicMock

VERSION = "2026.3.23"
SHA256 = "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"
FOLDER = Path(__file__).resolve().parents[2] / "build" / "lab" / f"bfcl-{VERSION}"
# The checkers look up whether a model's names of functions have dots.
MODEL = "served"

SINGLE_TURN = [
    *("simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple"),
    *("irrelevance", "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"),
    *("live_irrelevance", "live_relevance"),
]


def fetch():
    """The folder of the unpacked wheel."""
    if FOLDER.exists():
        return FOLDER
    draft = FOLDER.with_suffix(".new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wheel = ["--only-binary=:all:", "--ignore-requires-python", "--dest", str(draft), f"bfcl-eval=={VERSION}"]
    subprocess.run([*pip, *wheel], check=True)
    (file,) = draft.glob("*.whl")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"{file.name} has the sha256 {found} instead of {SHA256}")
    zipfile.ZipFile(file).extractall(draft)
    file.unlink()
    draft.rename(FOLDER)
    return FOLDER


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for packages that are not installed; comes last in the search."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("bfcl_eval"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__spec__ = spec
        return module

    def exec_module(self, module):
        pass


def prepare(model=MODEL):
    """Makes `import bfcl_eval` work."""
    sys.path.insert(0, str(fetch()))
    sys.meta_path.append(Nothing())
    # A mock would replace the methods that its decorators mark.
    if importlib.util.find_spec("overrides").loader.__class__ is Nothing:
        overrides = types.ModuleType("overrides")
        overrides.final = overrides.override = overrides.EnforceOverrides = lambda method: method
        sys.modules["overrides"] = overrides
    # The list of all models imports a client library for each of their makers.
    models = types.ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {model: types.SimpleNamespace(underscore_to_dot=True)}
    sys.modules["bfcl_eval.constants.model_config"] = models
