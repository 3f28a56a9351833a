"""As ultralytics' trainer runs its callbacks: the stop that one asks for holds at the end of an epoch."""
import collections
import time


class YOLO:
    def __init__(self, model):
        self.callbacks = collections.defaultdict(list)

    def add_callback(self, event, function):
        self.callbacks[event].append(function)

    def train(self, data, epochs=100):
        """`data` names a data set; here it may be the batches themselves."""
        self.batches = range(4) if isinstance(data, str) else data
        self.stop, self.metrics = False, {}
        for _ in range(epochs):
            self._epoch()
            if self.stop:
                break

    def _run(self, event):
        for function in self.callbacks[event]:
            function(self)

    def _epoch(self):
        self._run("on_train_epoch_start")
        for _ in self.batches:
            self._run("on_train_batch_start")
            time.sleep(0.002)
            self._run("on_train_batch_end")
        self._run("on_train_epoch_end")
        time.sleep(0.2)
        self.metrics = {"metrics/mAP50(B)": 0.5}
        self._run("on_fit_epoch_end")
