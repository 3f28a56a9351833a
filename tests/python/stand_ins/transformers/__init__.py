"""As transformers.Trainer calls its callbacks: steps of accumulated gradients, evaluated and saved."""
import time
import types


class TrainerCallback:
    def on_epoch_begin(self, args, state, control, **kwargs):
        pass

    def on_step_begin(self, args, state, control, **kwargs):
        pass

    def on_substep_end(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass

    def on_evaluate(self, args, state, control, **kwargs):
        pass

    def on_save(self, args, state, control, **kwargs):
        pass


class TrainingArguments:
    def __init__(self, output_dir, num_train_epochs=3, gradient_accumulation_steps=1):
        self.num_train_epochs = num_train_epochs
        self.gradient_accumulation_steps = gradient_accumulation_steps


class Trainer:
    def __init__(self, model=None, args=None, train_dataset=None, callbacks=()):
        assert all(isinstance(callback, TrainerCallback) for callback in callbacks)
        self.callbacks, self.train_dataset, self.args = callbacks, train_dataset, args
        self.state = types.SimpleNamespace(is_world_process_zero=True, global_step=0)
        self.control = types.SimpleNamespace(should_training_stop=False)

    def _call(self, event, **more):
        for callback in self.callbacks:
            control = getattr(callback, event)(self.args, self.state, self.control, model=None, **more)
            self.control = control if control is not None else self.control

    def train(self):
        for _ in range(self.args.num_train_epochs):
            self._epoch()
            if self.control.should_training_stop:
                break

    def _epoch(self):
        self._call("on_epoch_begin")
        for number, _ in enumerate(self.train_dataset):
            if number % self.args.gradient_accumulation_steps == 0:
                self._call("on_step_begin")
            time.sleep(0.002)
            if (number + 1) % self.args.gradient_accumulation_steps:
                self._call("on_substep_end")
                continue
            self.state.global_step += 1
            self._call("on_step_end")
            if self.control.should_training_stop:
                return
            if number == 1:
                self._evaluate_and_save()

    def _evaluate_and_save(self):
        time.sleep(0.2)
        self._call("on_evaluate", metrics={"eval_loss": 1.5, "eval_accuracy": 0.75})
        time.sleep(0.2)
        self._call("on_save")
