"""Marks of minibatches for training loops of other libraries: lightning, huggingface, ultralytics.

Each is imported by its own name, and imports nothing but its library."""
