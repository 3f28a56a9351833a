"""How the program is run, over a program that does what the test says."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import textwrap
import time

import flyball
from support import InFolder

HELP = """
  printf '%s\\n' 'x' '' 'Options:' '  --device TEXT  board' '  --report FILE  page' '  -q,--quiet  none' '  --dry-run  nothing' \
    '  --json  one' '  --objective X' '  --power-budget X' '  --time-budget X' '  --energy-budget X' \\
    '  --at-most X' '  --at-least X' '  --axis X' '  --profiles X' '  --workload X' '  --phase X'
  exit"""


class FakeProgram(InFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.name_program, os.environ.get("FLYBALL_PROGRAM"))

    @staticmethod
    def name_program(path):
        os.environ.pop("FLYBALL_PROGRAM", None)
        if path:
            os.environ["FLYBALL_PROGRAM"] = path

    def program(self, body):
        path = self.folder / "fake-flyball"
        path.write_text(f'#!/bin/bash\ncase "$*" in *--help*) {HELP} ;; esac\n' + body)
        path.chmod(0o755)
        self.name_program(str(path))

    def tune(self, **options):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            answer = flyball.tune("net", device="host", **options)
        return answer, said.getvalue()


class Streams(FakeProgram):
    def test_words(self):
        self.program('printf "%s|" "$@" >words; echo "{}"')
        flyball.tune(["python3", "a b.py", "--lr", "1"], device="host", quiet=True, report="p.html")
        self.assertEqual((self.folder / "words").read_text(),
                         "tune|--device=host|--report=p.html|--quiet|--json|--|python3|a b.py|--lr|1|")

    def test_notes_are_passed_on(self):
        self.program("echo 'note: one' >&2; echo 'flyball: cannot tell' >&2; echo '{\"a\": 1}'")
        answer, said = self.tune()
        self.assertEqual((answer, said), ({"a": 1}, "note: one\nflyball: cannot tell\n"))
        self.assertEqual(self.tune(quiet=True)[1], "")

    def test_no_is_an_answer(self):
        self.program("echo 'flyball: none will do' >&2; echo '{\"choice\": null}'; exit 1")
        answer, said = self.tune()
        self.assertEqual((answer, said), ({"choice": None}, ""))

    def test_a_page(self):
        (self.folder / "made.html").write_text('<p class="a">&lt;')
        self.program('for word; do case $word in --report=*) cp made.html "${word#*=}" ;; esac; done\n'
                     """echo '{"file": "a.csv", "workloads": []}'""")
        answer = flyball.pareto("a.csv")
        self.assertEqual(answer.page(), '<p class="a">&lt;')
        self.assertIn('srcdoc="<p class=&quot;a&quot;>&amp;lt;"', answer._repr_html_())


class Failures(FakeProgram):
    def failure(self, body):
        self.program(body)
        with self.assertRaises(flyball.Error) as caught:
            self.tune()
        return caught.exception

    def test_an_error_with_its_hint(self):
        error = self.failure("echo 'flyball: --power-budget is odd' >&2; echo 'HINT: --device host' >&2; exit 2")
        self.assertEqual((error.message, error.hint), ("power_budget= is odd", "device= host"))
        self.assertIsNone(error.document)

    def test_what_was_seen_before_it_failed(self):
        error = self.failure("echo '{\"exit_code\": 3}'; echo 'flyball: it failed' >&2; exit 2")
        self.assertEqual(error.document, {"exit_code": 3})

    def test_a_program_that_answers_nonsense_or_crashes(self):
        self.assertIn("exit code 0", self.failure("echo hello").message)
        self.assertIn("exit code -9", self.failure("kill -9 $$").message)
        self.assertIn("exit code 143", self.failure("echo '{}'; exit 143").message)


class Interrupts(FakeProgram):
    def test_ctrl_c_ends_the_program_once_and_waits_for_it(self):
        self.program("trap 'echo one >>signals; sleep 0.3; echo done >>signals; exit 130' INT\n"
                     "touch started; for i in $(seq 100); do sleep 0.1; done")
        (self.folder / "asks.py").write_text(textwrap.dedent("""
            import flyball
            try:
                flyball.tune("net", device="host")
            except KeyboardInterrupt:
                with open("signals") as signals:
                    print(signals.read().split())
            """))
        python = subprocess.Popen([sys.executable, "asks.py"], stdout=subprocess.PIPE)
        for _ in range(600):
            if (self.folder / "started").exists():
                break
            time.sleep(0.02)
        time.sleep(0.2)
        python.send_signal(signal.SIGINT)
        self.assertEqual(python.communicate(timeout=20)[0].decode().strip(), "['one', 'done']")
