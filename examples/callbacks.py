"""Minibatches marked in training loops of other libraries, without touching the loop: a program that
calls one of these is measured by `flyball profile` and `flyball tune`.

Not run with these libraries where Flyball is tested: tests/python/integrations_test.py runs it over
stand-ins of their documented interface.
"""
import flyball


def with_lightning(module, loader):
    from lightning.pytorch import Trainer
    from flyball.integrations.lightning import MarkCallback

    marks = MarkCallback(figures={"accuracy": "val_acc"})  # a metric that the module logs
    Trainer(max_epochs=2, callbacks=[marks]).fit(module, loader)


def with_hugging_face(model, dataset):
    from transformers import Trainer, TrainingArguments
    from flyball.integrations.huggingface import MarkCallback

    marks = MarkCallback(figures={"accuracy": "eval_accuracy"})
    Trainer(model=model, args=TrainingArguments("out", num_train_epochs=2), train_dataset=dataset,
            callbacks=[marks]).train()


def with_ultralytics():
    from ultralytics import YOLO
    from flyball.integrations.ultralytics import add_callbacks

    model = add_callbacks(YOLO("yolov8n.yaml"), figures={"map50": "metrics/mAP50(B)"})
    model.train(data="coco8.yaml", epochs=2)


def with_a_loop_of_your_own(loader, train):
    loader = flyball.mark(loader)  # once: it serves every epoch
    for _ in range(2):
        for batch in loader:
            train(batch)
