"""One run of mlx-lm for `llm-host bench --compare`: the protocol of bench/run-protocol. The task comes on stdin."""

import json
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path


def say(**line) -> None:
    print(json.dumps(line), flush=True)


def peak_bytes() -> int:
    """As src/bench/measure-run.ts has it."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))


def measure(model, ids: list[int], count: int, on_first=lambda: None) -> dict:
    import mlx.core as mx
    from mlx_lm.generate import generate_step

    times = []
    start = time.perf_counter()
    for _ in generate_step(mx.array(ids), model, max_tokens=count):
        times.append(1000 * (time.perf_counter() - start))
        if len(times) == 1:
            on_first()
    return {
        "promptTokens": len(ids),
        "firstTokenMs": times[0],
        "generatedTokens": len(times),
        "decodeMs": times[-1] - times[0],
    }


def measure_graph(model, ids: list[int], steps: int) -> dict:
    """Host cost of a step as in mlx-lm's generate_step, which runs one step ahead of the reader."""
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache

    cache = make_prompt_cache(model)

    def step(tokens):
        logits = model(tokens[None], cache=cache)[:, -1, :]
        logprobs = logits - mx.logsumexp(logits, keepdims=True)
        return mx.argmax(logprobs, axis=-1), logprobs.squeeze(0)

    token, logprobs = step(mx.array(ids))
    mx.async_eval(token, logprobs)
    build, submit = [], []
    for _ in range(steps):
        start = time.thread_time()
        following = step(token)
        built = time.thread_time()
        mx.async_eval(*following)
        build.append(1e6 * (built - start))
        submit.append(1e6 * (time.thread_time() - built))
        mx.eval(token)
        token = following[0]
    mx.eval(token)
    return {
        "primitives": count_primitives(step(token)),
        "buildMicroseconds": build,
        "submitMicroseconds": submit,
    }


def count_primitives(outputs) -> int:
    import mlx.core as mx

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "step.dot")
        mx.export_to_dot(path, *outputs)
        return Path(path).read_text().count("shape=rectangle")


def run(spec: dict) -> None:
    import mlx.core as mx
    import mlx_lm
    from mlx_lm.utils import load_model

    start = time.perf_counter()
    # Without the tokenizer, which ids do not need; this favours mlx-lm.
    model, _ = load_model(Path(spec["model"]))
    load_ms = 1000 * (time.perf_counter() - start)
    if warm_up := spec.get("warmUp"):
        measure(model, warm_up["promptIds"], warm_up["generate"])
    prompts = []
    for ids in spec["prompts"]:
        first = (lambda: None) if prompts else (lambda: say(type="first"))
        prompts.append(measure(model, ids, spec["generate"], first))
    peak = peak_bytes()
    result = {
        "version": mlx_lm.__version__,
        "device": str(mx.default_device()).removeprefix("Device(").split(",")[0],
        "loadMs": load_ms,
        "prompts": prompts,
        "peakBytes": peak,
    }
    if spec.get("graph"):
        result["graph"] = measure_graph(model, spec["prompts"][0], spec["generate"])
    say(type="result", **result)


def end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    spec = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_stdin, daemon=True).start()
    try:
        run(spec)
    except Exception as error:  # Told to the program that measures.
        say(type="error", code="ENGINE", message=f"{type(error).__name__}: {error}")


main()
