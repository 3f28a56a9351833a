"""A study's refusals speak of the arguments of this package."""
import flyball
from support import InFolder


class Refusals(InFolder):
    def refusal(self, call, *operands, **options):
        error = self.refused(flyball.Error, call, *operands, **options)
        self.assertNotRegex(str(error), r'"do"|minibatches_ms|an object|anyway')
        return error

    def test_create(self):
        create, axes = flyball.create_study, {"size": [1, 2]}
        self.assertEqual(self.refusal(create, {}).message, "axes= is empty")
        self.assertIn('axes["size"]', self.refusal(create, {"size": ["small"]}).message)
        self.assertIn('objective="energy"', self.refusal(create, axes, objective="beauty").hint)
        self.assertIn("force=True", self.refusal(create, axes, wait=True, force=True).message)
        self.assertIn("force=True", self.refusal(create, axes, wait=True, anyway=True).message)
        self.assertIn("default={", self.refusal(create, axes, at_most={"slowdown": "5%"}).hint)
        self.assertIn("profiles=10", self.refusal(create, axes, profiles=0).hint)
        self.assertIn('at_least["accuracy"]',
                      self.refusal(create, axes, at_least={"accuracy": "much"}).message)

    def test_tell(self):
        with flyball.create_study({"size": [1, 2]}, power_budget="15W", keep=False) as study:
            trial = study.ask()
            error = self.refusal(study.tell, trial, minibatch_ms=5)
            self.assertIn("power_w= is missing", error.message)
            self.assertIn("power_w=20.5", error.hint)
            self.assertIn("one of minibatch_ms= and failure=", self.refusal(study.tell, trial).message)
            for wrong, said in [({"power_w": float("nan")}, "power_w is not a finite number"),
                                ({"power_w": "much"}, "power_w='much' is not a number"),
                                ({"figures": {"accuracy": None}}, 'figures["accuracy"]'),
                                ({"minibatch_ms": -1}, "minibatch_ms= is not a number above zero"),
                                ({"minibatch_ms": []}, "minibatch_ms= is not a list of numbers"),
                                ({"minibatch_ms": [1, float("inf")]}, "minibatch_ms is not a finite")]:
                given = {"minibatch_ms": 5, "power_w": 10, **wrong}
                self.assertIn(said, self.refusal(study.tell, trial, **given).message)
            study.tell(trial, minibatch_ms=(value for value in (5.0, 5.1, 5.2)), power_w=10)

    def test_another_session(self):
        first = flyball.create_study({"size": [1, 2]}, keep=False)
        second = flyball.create_study({"size": [1, 2]}, keep=False)
        with first, second:
            first.ask()
            self.assertIn("force=True", self.refusal(second.ask).hint)
        for older in ({"force": True}, {"anyway": True}):
            with flyball.create_study({"size": [1, 2]}, keep=False) as first:
                first.ask()
                beside = flyball.create_study({"size": [1, 2]}, keep=False)
                self.assertIsNotNone(beside.optimize(lambda trial: None, **older))
                self.assertTrue(all(trial["disturbed"] for trial in beside.answer["profiled"]))

    def test_the_answer_is_a_tune(self):
        study = flyball.create_study({"size": [2, 1]})
        for trial in study:
            study.tell(trial, minibatch_ms=trial["size"] * 10)
        self.assertIsInstance(study.answer, flyball.Tune)
        self.assertEqual(study.answer.choice.config, {"size": 1})
        study.answer.report("page.html")
        self.assertIn("<html", (self.folder / "page.html").read_text())
