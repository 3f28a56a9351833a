"""Optuna asks for hyperparameters; Flyball says what a minibatch of each takes in time and energy, and then
in which power mode the best of them should train.

    PYTHONPATH=build/release/python python3 examples/optuna_energy.py         (python3-optuna)

Plain Python stands in for a network: it learns the sum of its inputs. Without a power sensor the second
objective is time, and the line below says why.
"""
import random

import flyball
import optuna


def train(batch_size: int, rate: float, minibatches: int = 40) -> float:
    """Its error after so many minibatches."""
    numbers = random.Random(1)
    weights = [0.0] * 16
    error = 0.0
    for _ in flyball.mark(range(minibatches)):
        for _ in range(batch_size):
            sample = [numbers.random() for _ in weights]
            error = sum(w * x for w, x in zip(weights, sample)) - sum(sample)
            weights = [w - rate * error * x for w, x in zip(weights, sample)]
    return abs(error)


def objective(trial: optuna.Trial) -> "tuple[float, float]":
    batch_size = trial.suggest_categorical("batch_size", [8, 16, 32])
    rate = trial.suggest_float("rate", 1e-3, 1e-1, log=True)
    with flyball.window("trial") as window:
        error = train(batch_size, rate)
    trial.set_user_attr("gap", window.gap)
    joules = window.energy.get("module", window.energy.get("package", {})).get("energy_j")
    return error, joules if joules is not None else window.seconds


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(directions=["minimize", "minimize"],
                            sampler=optuna.samplers.TPESampler(seed=1))
study.optimize(objective, n_trials=12)
for best in study.best_trials:
    print(f"{best.params}: error {best.values[0]:.3g}, {best.values[1]:.3g} J or s")
gap = study.best_trials[0].user_attrs["gap"]
if gap:
    print("in seconds, for there is no energy:", gap)

# The power mode, once the batch size is known: on a board without device=….
best = min(study.best_trials, key=lambda trial: trial.values[0])
answer = flyball.tune("resnet18", device="twin:orin_nano", power_budget="10W", no_store=True,
                      axis={"batch_size": [best.params["batch_size"]]}, quiet=True)
print(answer.choice)
