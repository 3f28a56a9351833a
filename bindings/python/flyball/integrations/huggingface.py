"""Hugging Face: Trainer(…, callbacks=[flyball.integrations.huggingface.MarkCallback()])."""
from __future__ import annotations

import importlib
from typing import Any, Mapping, Optional

from .._error import Error
from .._study import Trial
from ._loop import Figures, Loop


def _base() -> Any:
    try:
        return importlib.import_module("transformers").TrainerCallback
    except ImportError:
        raise Error("Hugging Face's transformers is not installed",
                    "pip install transformers") from None


class MarkCallback(_base()):  # type: ignore[misc]
    """Marks each step of the optimiser: a minibatch of per_device_train_batch_size ·
    gradient_accumulation_steps samples.

    trial      of Study.optimize(): training stops when it has seen enough
    figures    metrics to report after each evaluation: ["eval_accuracy"], or
               {"accuracy": "eval_accuracy"}

    Process 0 marks where there are several."""

    def __init__(self, trial: Optional[Trial] = None, figures: Figures = ()) -> None:
        self._loop = Loop(trial, figures)

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._loop.wait()

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self._loop.begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero and self._loop.end():
            control.should_training_stop = True

    def on_evaluate(self, args: Any, state: Any, control: Any,
                    metrics: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self._loop.report(metrics or {})
        self._loop.wait()

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._loop.wait()
