"""A loop of one's own, tuned in process: which batch size trains this little network fastest?

    PYTHONPATH=build/release/python python3 examples/study.py

Plain Python stands in for a framework; `optimize` times what lies between two minibatches.
"""
import random

import flyball


def train(trial: flyball.Trial) -> None:
    batch_size = int(trial["batch_size"])
    weights = [0.0] * 32
    while not trial.enough:
        for _ in range(batch_size):
            sample = [random.random() for _ in weights]
            error = sum(w * x for w, x in zip(weights, sample)) - sum(sample)
            weights = [w - 0.01 * error * x for w, x in zip(weights, sample)]
        flyball.minibatch()


study = flyball.create_study({"batch_size": [8, 16, 32]}, profiles=3)
best = study.optimize(train, trial_time=0.3, warm_up=0.1)
assert best is not None
print(f"best: {best.config}, {best.minibatch_ms:.3g} ms a minibatch")
print(f"{len(study.trials)} trials; the search ended: {study.stopped}")
