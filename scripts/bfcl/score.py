import json

from calls import Player, call_text


def scored_lines(benchmark, lines):
    for line in lines:
        answer = json.loads(line)
        turns = [[call_text(call["name"], call["arguments"]) for call in turn] for turn in answer["turns"]]
        yield json.dumps({"id": answer["id"], "fault": fault_of(benchmark, answer["id"], turns)})


def fault_of(benchmark, case_id, turns):
    """What is wrong with the calls of all turns, by the rules of BFCL's multi_turn_checker; None: nothing."""
    truth = benchmark.ground_truth(case_id)
    # A conversation that was broken off in its last turn is judged by what it did.
    if len(turns) != len(truth):
        return "too many steps"
    model = Player(benchmark.instances(case_id), f"model_{case_id}")
    right = Player(benchmark.instances(case_id), f"right_{case_id}")
    results = []
    for calls, wanted in zip(turns, truth):
        results += [model.run(call) for call in calls]
        wanted_results = [right.run(call) for call in wanted]
        if len(wanted) == 0:
            continue
        if len(calls) == 0:
            return "no call"
        if not same_states(model.instances, right.instances):
            return "wrong state"
        if not contains(results, wanted_results):
            return "missing result"
    return None


def same_states(model, right):
    return all(same_state(model[name], instance) for name, instance in right.items())


def same_state(model, right):
    """Of the attributes that are not private."""
    absent = object()
    return not any(
        getattr(model, name, absent) != value
        for name, value in vars(right).items()
        if not name.startswith("_")
    )


def contains(results, wanted):
    """Whether the wanted results are among all so far, in any order, each as often."""
    left = list(results)
    for result in wanted:
        if result not in left:
            return False
        left.remove(result)
    return True
