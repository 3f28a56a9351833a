"""The hooks of lightning.pytorch.callbacks.Callback that the stand-in calls."""


class Callback:
    def on_train_epoch_start(self, trainer, pl_module):
        pass

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_validation_end(self, trainer, pl_module):
        pass
