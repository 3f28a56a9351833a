"""As lightning.pytorch.Trainer calls its callbacks: a sanity check first, then epochs with a validation."""
import time

from .callbacks import Callback


class Trainer:
    def __init__(self, callbacks=(), max_epochs=1, global_rank=0):
        assert all(isinstance(callback, Callback) for callback in callbacks)
        self.callbacks, self.max_epochs, self.global_rank = callbacks, max_epochs, global_rank
        self.should_stop, self.sanity_checking, self.callback_metrics = False, False, {}

    @property
    def is_global_zero(self):
        return self.global_rank == 0

    def _call(self, hook, *operands):
        for callback in self.callbacks:
            getattr(callback, hook)(self, None, *operands)

    def _validate(self, accuracy):
        time.sleep(0.2)
        if accuracy is not None:
            self.callback_metrics["val_acc"] = accuracy
        self._call("on_validation_end")

    def fit(self, model, train_dataloaders):
        self.sanity_checking = True
        self._validate(None)
        self.sanity_checking = False
        for _ in range(self.max_epochs):
            if self._epoch(train_dataloaders):
                break

    def _epoch(self, loader):
        self._call("on_train_epoch_start")
        for number, batch in enumerate(loader):
            self._call("on_train_batch_start", batch, number)
            time.sleep(0.002)
            self._call("on_train_batch_end", None, batch, number)
            if self.should_stop:
                return True
            if number == 1:
                self._validate(0.5)  # val_check_interval
        self._validate(0.75)
        return False
