import copy
import importlib
import json
import re
import sys
import types
from pathlib import Path

PACKAGE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"


class Benchmark:
    """The cases, classes and descriptions of functions of bfcl-eval."""

    def __init__(self, folder):
        self._folder = Path(folder)
        self._files = {}
        # By the name that the classes use for each other, without what the packages above them import.
        for name in _packages(PACKAGE):
            package = types.ModuleType(name)
            package.__path__ = []
            sys.modules.setdefault(name, package)
        sys.modules[PACKAGE].__path__ = [str(self._folder / "classes")]

    def case(self, case_id):
        return self._entry("", case_id)

    def ground_truth(self, case_id):
        return self._entry("possible_answer", case_id)["ground_truth"]

    def functions(self, class_name):
        """As BFCL describes them."""
        return self._lines(self._folder / "multi_turn_func_doc" / f"{self._module_of(class_name)}.json")

    def instances(self, case_id):
        """New instances of the classes of a case, by name, in the state in which it begins."""
        return {name: self.instance(case_id, name) for name in self.case(case_id)["involved_classes"]}

    def instance(self, case_id, class_name):
        module = importlib.import_module(f"{PACKAGE}.{self._module_of(class_name)}")
        instance = getattr(module, class_name)()
        if hasattr(instance, "_load_scenario"):
            config = self.case(case_id)["initial_config"].get(class_name, {})
            instance._load_scenario(copy.deepcopy(config), long_context=False)
        return instance

    def fault_of(self, class_name):
        """Why a class cannot run here; None: it can."""
        try:
            importlib.import_module(f"{PACKAGE}.{self._module_of(class_name)}")
        except ModuleNotFoundError as error:
            return f"needs the Python package {error.name}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    def _module_of(self, class_name):
        for path in sorted((self._folder / "classes").glob("*.py")):
            if re.search(rf"^class {re.escape(class_name)}\b", path.read_text("utf-8"), re.MULTILINE):
                return path.stem
        raise LookupError(f"no file has the class {class_name}")

    def _entry(self, below, case_id):
        category = case_id.rsplit("_", 1)[0]
        path = self._folder / below / f"BFCL_v4_{category}.json"
        if path not in self._files:
            self._files[path] = {entry["id"]: entry for entry in self._lines(path)}
        return self._files[path][case_id]

    @staticmethod
    def _lines(path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip() != ""]


def _packages(name):
    parts = name.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]
