"""Ultralytics: flyball.integrations.ultralytics.add_callbacks(YOLO("yolov8n.yaml")).train(…)."""
from __future__ import annotations

from typing import Any, Optional, TypeVar

from .._study import Trial
from ._loop import Figures, Loop

Model = TypeVar("Model")


def add_callbacks(model: Model, trial: Optional[Trial] = None, figures: Figures = ()) -> Model:
    """Marks each training batch of the model, which is returned.

    trial      of Study.optimize(): training stops at the end of an epoch in which it has seen enough
    figures    metrics to report after each epoch: {"map50": "metrics/mAP50(B)"}

    On several GPUs Ultralytics starts processes of its own, without these callbacks."""
    loop = Loop(trial, figures)

    def batch_end(trainer: Any) -> None:
        if loop.end():
            trainer.stop = True

    def fit_epoch_end(trainer: Any) -> None:
        loop.report(trainer.metrics or {})

    events = {"on_train_epoch_start": lambda trainer: loop.wait(),
              "on_train_batch_start": lambda trainer: loop.begin(),
              "on_train_batch_end": batch_end, "on_fit_epoch_end": fit_epoch_end}
    for event, function in events.items():
        model.add_callback(event, function)  # type: ignore[attr-defined]
    return model
