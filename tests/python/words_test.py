"""Keyword arguments as options, and messages in the words of Python."""
import pathlib
import unittest

from flyball import Error, _error, _options, _words

HELP = """find
Usage: flyball tune [OPTIONS]

What runs:
  --data,--dataset TEXT       dataset folder
  --batch-size LIST          one, or several to choose from: as --axis batch_size=8,16,32

Search:
  --axis TEXT ...             open or narrow an axis
  --power-budget POWER        at most this power
  --profiles N=10             at most so many
  --fresh                     measure again
  --from TEXT ...             measurements

Options:
  -h,--help                   Print this help message and exit

--steps, --report hold.
Example:
  flyball tune --oracle
"""


class Errors(unittest.TestCase):
    def test_the_last_line_is_the_error(self):
        said = _error.last_error(["flyball: put back 16 settings of the board that an earlier flyball had left",
                                  "profiling 3 of 10", "flyball: there is no power", "HINT: plug it in", ""])
        self.assertEqual(said, ("there is no power", "plug it in"))
        self.assertEqual(_error.last_error(["flyball: a", "HINT: b", "Killed"]), ("Killed", ""))
        self.assertEqual(_error.last_error([]), ("", ""))

    def test_what_is_none_is_shown_at_once(self):
        for line in ("flyball: ATTENTION: the network runs on the CPU", "flyball: note: no pictures", "12 of 30"):
            self.assertFalse(_error.may_be_error(line), line)
        for line in ("flyball: there is no power", "HINT: plug it in"):
            self.assertTrue(_error.may_be_error(line), line)


class Options(unittest.TestCase):
    known = _options.read_help(HELP)

    def words(self, **given):
        return _options.as_words("tune", self.known, given)

    def test_help_is_read(self):
        self.assertEqual(self.known, {"data": "TEXT", "dataset": "TEXT", "batch-size": "LIST", "axis": "TEXT",
                                      "power-budget": "POWER", "profiles": "N=10", "fresh": "",
                                      "from": "TEXT", "help": ""})

    def test_keywords_become_options(self):
        self.assertEqual(self.words(power_budget="30W", profiles=5, fresh=True),
                         ["--power-budget=30W", "--profiles=5", "--fresh"])
        self.assertEqual(self.words(power_budget=None, fresh=False), [])
        self.assertEqual(self.words(data=pathlib.Path("a b")), ["--data=a b"])
        self.assertEqual(self.words(batch_size=[8, 16]), ["--batch-size=8,16"])
        self.assertEqual(self.words(from_=["a.csv", "b.csv"]), ["--from=a.csv", "--from=b.csv"])

    def test_a_mapping_is_an_entry_each(self):
        self.assertEqual(self.words(axis={"batch_size": [8, 16], "rate": 0.25, "mhz": "600..1300"}),
                         ["--axis=batch_size=8,16", "--axis=rate=0.25", "--axis=mhz=600..1300"])
        self.assertEqual(self.words(axis={"cores": range(1, 4)}), ["--axis=cores=1,2,3"])
        self.assertEqual(self.words(axis="batch_size=8"), ["--axis=batch_size=8"])

    def test_nothing_is_dropped(self):
        for given, said in [({"power_bugdet": "30W"}, "did you mean power_budget?"),
                            ({"zzz": None}, "it takes: axis, batch_size, data,"),
                            ({"keep": False}, "no_store=True"), ({"json": True}, "to_dict()"),
                            ({"help": True}, "it takes"), ({"fresh": "yes"}, "fresh=True"),
                            ({"profiles": True}, "a text or a number"),
                            ({"axis": {"x": [None]}}, "a text or a number")]:
            with self.assertRaises(Error, msg=given) as caught:
                self.words(**given)
            self.assertIn(said, caught.exception.hint)

    def test_messages_speak_of_keywords(self):
        for said, python in [
                ("try --power-budget 31.2W", 'try power_budget="31.2W"'),
                ("--fresh measures all", "fresh=True measures all"),
                ("--power-budget and --axis", "power_budget= and axis="),
                ("with --axis batch_size=8,16, or", 'with axis="batch_size=8,16", or'),
                ("write --data DIR", 'write data="DIR"'),
                ("give them with --from FILE", 'give them with from_="FILE"'),
                ("`flyball mode presets --device twin:x` lists", None),
                ("two -- things, well-known", None)]:
            self.assertEqual(_options.in_python(said, self.known), python or said)


class StudyWords(unittest.TestCase):
    def test_keys_become_arguments(self):
        json = "docs/json.md, flyball study"
        self.assertEqual(_words.of_study("'power_budget' is not above zero", json),
                         ("power_budget= is not above zero", 'power_budget="30W"'))
        self.assertEqual(_words.of_study("'axes.size' is not a list of numbers", json),
                         ('axes["size"] is not a list of numbers', 'axes={"batch_size": [8, 16, 32]}'))
        self.assertEqual(_words.of_study("'minibatches_ms' is not a list of numbers", json)[0],
                         "minibatch_ms= is not a list of numbers")
        self.assertEqual(_words.of_study("something else", "a hint"), ("something else", "a hint"))

    def test_quotes_have_no_backslashes(self):
        said = _words.of_study("trial 3 is told without its power, which the study's budget or objective needs",
                               "tell it with power_w, in W, or its failure")
        self.assertEqual(said, ("power_w= is missing: the study's budget or objective needs the power of trial 3",
                                'tell(trial, …, power_w=20.5), in watts; or failure="…"'))
