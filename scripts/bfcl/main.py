"""The simulated services of BFCL's conversations, for `llm-host bench --tools`.

    python3 main.py serve FOLDER CASE CLASS   an MCP server over stdio: one class, in the state in which a case begins
    python3 main.py score FOLDER              a line in: {"id", "turns": [[{"name", "arguments"}]]}; out: {"id", "fault"}
    python3 main.py check FOLDER CLASS...     a line out for each class that cannot run here: {"class", "why"}

FOLDER: the data of bfcl-eval, and its classes in the folder `classes`.
"""

import json
import sys

from benchmark import Benchmark
from score import scored_lines
from server import serve


def main(command, folder, *names):
    # What a class prints must not get between the lines of the protocol.
    out, sys.stdout = sys.stdout, sys.stderr
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    benchmark = Benchmark(folder)
    if command == "serve":
        case, class_name = names
        serve(benchmark, case, class_name, sys.stdin, out)
    elif command == "score":
        for line in scored_lines(benchmark, sys.stdin):
            print(line, file=out, flush=True)
    elif command == "check":
        for name in names:
            why = benchmark.fault_of(name)
            if why is not None:
                print(json.dumps({"class": name, "why": why}), file=out)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
