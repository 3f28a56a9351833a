"""What `flyball study` says of the keys of its messages, said of the arguments of this package."""
from __future__ import annotations

import re
from typing import Tuple

_examples = {
    "axes": 'axes={"batch_size": [8, 16, 32]}', "default": 'default={"batch_size": 16}',
    "at_most": 'at_most={"loss": 0.4} or at_most={"slowdown": "5%"}',
    "at_least": 'at_least={"accuracy": 0.7}', "figures": 'figures={"accuracy": 0.72}',
    "objective": 'objective="energy"', "power_budget": 'power_budget="30W"',
    "time_budget": 'time_budget="90s"', "energy_budget": 'energy_budget="2kJ"',
    "samples": "samples=60000", "profiles": "profiles=10", "seed": "seed=1", "name": 'name="mine"',
    "minibatch_ms": "minibatch_ms=12.5, or a list of the times of several",
    "power_w": "power_w=20.5, in watts", "failure": 'failure="out of memory"',
    "trial_time": "trial_time=2.0, in seconds", "warm_up": "warm_up=0.5, in seconds"}
# The key of a message that stands for an argument of another name.
_arguments = {"minibatches_ms": "minibatch_ms"}

_bad_value = re.compile(r"'([\w.]+)' is not (.*)", re.S)
_sentences = [
    (re.compile(r"trial (\d+) is told without its power, which the study's budget or objective needs"),
     r"power_w= is missing: the study's budget or objective needs the power of trial \1"),
    (re.compile(r"tell it with power_w, in W, or its failure"),
     r'tell(trial, …, power_w=20.5), in watts; or failure="…"'),
    (re.compile(r"a trial is told by minibatch_ms, by minibatches_ms or by failure"),
     r"tell() takes one of minibatch_ms= and failure="),
    (re.compile(r"give one of the three"), r"minibatch_ms=12.5, or a list of the times of several"),
    (re.compile(r"a study needs axes"), r"axes= is empty"),
    (re.compile(r"such as \"axes\": (\{.*\})"), r"axes=\1"),
    (re.compile(r"give \"default\": the settings that the program has today"),
     r'default={"batch_size": 16}: the settings that the program has today'),
    (re.compile(r"give it as at_most"), r"give it in at_most="),
    (re.compile(r"name it in axes"), r"name it in axes="),
    (re.compile(r"wait and (anyway|force) exclude each other"),
     r"wait=True and force=True exclude each other"),
    (re.compile(r"\banyway=True"), r"force=True"),
]


def example(argument: str) -> str:
    """What the argument may be."""
    return _examples.get(argument, "give a plain number")


def _value(key: str, wanted: str) -> Tuple[str, str]:
    name, _, entry = key.partition(".")
    name = _arguments.get(name, name)
    said = "%s[%s]" % (name, '"%s"' % entry) if entry else name + "="
    wanted = wanted.replace("an object of names and", "a dict of names and").replace(
        "true or false", "True or False")
    return "%s is not %s" % (said, wanted), _examples.get(name, "see help(flyball.create_study)")


def of_study(message: str, hint: str) -> Tuple[str, str]:
    """A refusal in the caller's words."""
    value = _bad_value.fullmatch(message)
    if value and "docs/json.md" in hint:
        return _value(value[1], value[2])
    for said, python in _sentences:
        message, hint = said.sub(python, message), said.sub(python, hint)
    return message, hint
