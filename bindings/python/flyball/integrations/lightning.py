"""PyTorch Lightning: Trainer(callbacks=[flyball.integrations.lightning.MarkCallback()])."""
from __future__ import annotations

import importlib
import sys
from typing import Any, Optional

from .._error import Error
from .._study import Trial
from ._loop import Figures, Loop


def _base() -> Any:
    """The callback of the package that the program has imported, of the two that there are."""
    names = ["lightning.pytorch", "pytorch_lightning"]
    for name in sorted(names, key=lambda name: name not in sys.modules):
        try:
            return importlib.import_module(name + ".callbacks").Callback
        except ImportError:
            continue
    raise Error("PyTorch Lightning is not installed", "pip install lightning")


class MarkCallback(_base()):  # type: ignore[misc]
    """Marks each training batch; with gradients that are accumulated, each of their parts.

    trial      of Study.optimize(): training stops when it has seen enough
    figures    metrics to report after each validation: ["val_acc"], or {"accuracy": "val_acc"}

    Process 0 marks where there are several."""

    def __init__(self, trial: Optional[Trial] = None, figures: Figures = ()) -> None:
        super().__init__()
        self._loop = Loop(trial, figures)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self._loop.wait()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any,
                             batch_idx: int) -> None:
        if trainer.is_global_zero:
            self._loop.begin()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any,
                           batch_idx: int) -> None:
        if trainer.is_global_zero and self._loop.end():
            trainer.should_stop = True

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if trainer.is_global_zero and not trainer.sanity_checking:
            self._loop.report(trainer.callback_metrics)
        self._loop.wait()
