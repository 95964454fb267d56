"""Checks that are shown one by one, and do not end the others when they fail."""

FAILED = []


def check(name: str):
    """Runs the function at once; goes on after a failure."""

    def run(function):
        try:
            seen = function()
            print(f"ok   {name}: {str(seen)[:90]!r}", flush=True)
        except Exception as error:  # noqa: BLE001
            FAILED.append(name)
            print(f"FAIL {name}: {type(error).__name__}: {str(error)[:400]}", flush=True)
        return function

    return run


def must(holds: bool, seen: object) -> object:
    if not holds:
        raise AssertionError(f"unexpected: {seen}")
    return seen
