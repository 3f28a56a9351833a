"""Turns of a broker, which a thread of this process stands in for; tests/broker_test.cc has the real one."""
import os
import socket
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

import flyball
from flyball import _marks, _turn
from flyball.integrations._loop import Loop


class Broker:
    """Grants everything it is asked for, and keeps what it was told."""

    def __init__(self, folder, welcome=b"welcome"):
        self.path = os.path.join(folder, "broker.sock")
        self.heard, self._welcome, self._clients = [], welcome, []
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._door.bind(self.path)
        self._door.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client = self._door.accept()[0]
            except OSError:
                return
            self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            while True:
                words = client.recv(257)
                self.heard.append(words)
                if not words:
                    return
                if words.startswith(b"flyball-turn"):
                    if self._welcome is not None:
                        client.send(self._welcome)
                elif words == b"ask":
                    client.send(b"granted")
        except OSError:
            pass

    def wait_for(self, last):
        """Until it has heard so many bytes of this kind; the last message is not answered."""
        end = time.monotonic() + 10
        while not (self.heard and self.heard[-1].startswith(last)) and time.monotonic() < end:
            time.sleep(0.002)
        return self.heard

    def close(self):
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for client in self._clients:
            client.shutdown(socket.SHUT_RDWR)
            client.close()
        os.unlink(self.path)


class TurnTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in list(os.environ):
            if name.startswith("FLYBALL_TURN_"):
                del os.environ[name]

    def broker(self, **options):
        broker = Broker(self.folder, **options)
        self.addCleanup(_turn._local.connections.clear)
        return broker

    def test_without_a_broker_it_is_nothing_and_costs_nothing(self):
        with mock.patch.object(_turn, "_broker", ""):
            begin = time.perf_counter()
            for _ in range(100000):
                with flyball.turn():
                    pass
            each_us = (time.perf_counter() - begin) * 10
        self.assertLess(each_us, 20)  # a busy machine; about half a microsecond

    def test_a_step_is_asked_for_and_ended(self):
        broker = self.broker()
        for _ in range(2):
            with flyball.turn("net", latency="100ms", broker=broker.path):
                self.assertEqual(broker.heard[-1], b"ask")
            broker.wait_for(b"done")
        self.assertEqual(broker.heard, [b"flyball-turn 1 service 0.1 net", b"ask", b"done", b"ask", b"done"])

    def test_a_turn_within_a_turn_is_part_of_it(self):
        broker = self.broker()
        with flyball.turn("a", broker=broker.path):
            with flyball.turn("a", broker=broker.path):
                pass
            self.assertEqual(broker.heard[-1], b"ask")
        self.assertEqual(broker.wait_for(b"done")[1:], [b"ask", b"done"])

    def test_a_turn_within_one_of_another_name_is_part_of_it(self):
        broker = self.broker()
        with mock.patch.object(_turn, "_broker", broker.path), mock.patch.object(sys, "argv", ["train.py"]):
            for _ in flyball.mark([1, 2]):
                with flyball.turn("net", share=2):  # it would wait for the step that it is in
                    self.assertEqual(broker.heard[-1], b"ask")
        broker.wait_for(b"done")
        self.assertEqual(broker.heard, [b"flyball-turn 1 training 1.0 train.py", b"ask", b"done", b"ask", b"done"])

    def test_whichever_ends_last_ends_the_turn(self):
        broker = self.broker()
        outer, inner = (flyball.turn(name, broker=broker.path) for name in "ab")
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        self.assertEqual(broker.heard[-1], b"ask")
        inner.__exit__(None, None, None)
        self.assertEqual(broker.wait_for(b"done")[1:], [b"ask", b"done"])

    def test_threads_that_share_a_turn_have_connections_of_their_own(self):
        broker = self.broker()
        step, done = flyball.turn("net", broker=broker.path), []

        def answer():
            for _ in range(20):
                with step:
                    time.sleep(0.001)
            done.append(True)

        threads = [threading.Thread(target=answer) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(done, [True, True])
        self.assertEqual(broker.heard.count(b"flyball-turn 1 training 1.0 net"), 2)

    def test_a_broker_that_hangs_is_not_waited_for(self):
        broker = self.broker(welcome=None)
        with mock.patch.object(_turn, "_greeting_s", 0.1), mock.patch.object(_turn, "_retry_s", 0.0):
            with self.assertWarnsRegex(RuntimeWarning, "timed out"):
                with flyball.turn("a", broker=broker.path):
                    pass
            began = time.monotonic()
            for _ in range(50):  # steps do not wait for it, one after the other
                with flyball.turn("a", broker=broker.path):
                    pass
            self.assertLess(time.monotonic() - began, 2)

    def test_the_environment_says_who_asks(self):
        for variables, hello in (({}, b"flyball-turn 1 training 1.0 my-script.py"),
                                 ({"NAME": "a b", "SHARE": "2"}, b"flyball-turn 1 training 2.0 a-b"),
                                 ({"LATENCY": "250ms"}, b"flyball-turn 1 service 0.25 my-script.py"),
                                 ({"LATENCY": "2s"}, b"flyball-turn 1 service 2.0 my-script.py")):
            named = {"FLYBALL_TURN_" + name: value for name, value in variables.items()}
            with mock.patch.dict(os.environ, named), mock.patch.object(sys, "argv", ["/x/my script.py"]):
                self.assertEqual(_turn._hello(None, None, None), hello)

    def test_what_is_no_time_is_refused(self):
        for latency in ("soon", "-1", "1h", -2, "nan", "100", "0.1"):
            with self.assertRaises(flyball.Error):
                _turn._hello("a", latency, None)

    def test_what_is_no_share_is_refused(self):
        with mock.patch.dict(os.environ, {"FLYBALL_TURN_SHARE": "half"}):
            with self.assertRaisesRegex(flyball.Error, "half"):
                _turn._hello("a", None, None)

    def test_a_broker_that_refuses_says_why(self):
        broker = self.broker(welcome=b"refused name another name for another role")
        with self.assertRaisesRegex(flyball.Error, "another name for another role"):
            with flyball.turn("a", broker=broker.path):
                self.fail("it has no turn")

    def test_a_broker_that_goes_is_told_of_once_and_asked_again(self):
        broker = self.broker()
        step = flyball.turn("a", broker=broker.path)
        with step:
            pass
        broker.close()
        with self.assertWarnsRegex(RuntimeWarning, "run without turns"):
            with step:
                pass
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with step:
                pass
            next(iter(_turn._local.connections.values()))._retry = 0
            again = Broker(self.folder)
            with step:
                self.assertEqual(again.heard[-1], b"ask")

    def test_an_error_in_a_step_ends_the_turn(self):
        broker = self.broker()
        with self.assertRaises(ZeroDivisionError):
            with flyball.turn("a", broker=broker.path):
                1 / 0
        self.assertEqual(broker.wait_for(b"done")[-1], b"done")

    def test_a_forked_process_asks_for_turns_of_its_own(self):
        broker = self.broker()
        with flyball.turn("a", broker=broker.path):
            child = os.fork()
            if child == 0:
                with flyball.turn("a", broker=broker.path):
                    os._exit(7)
            self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)
        hellos = [words for words in broker.wait_for(b"done") if words.startswith(b"flyball")]
        self.assertEqual(len(hellos), 2)

    def test_a_process_forked_within_a_turn_leaves_it_and_takes_turns_of_its_own(self):
        broker = self.broker()
        with flyball.turn("a", broker=broker.path):
            child = os.fork()
        if child == 0:
            with flyball.turn("a", broker=broker.path):
                os._exit(7 if _turn._local.held[broker.path].granted else 8)
        self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)
        end = time.monotonic() + 10
        while b"" not in broker.heard and time.monotonic() < end:  # the end of the child
            time.sleep(0.002)
        self.assertEqual(broker.heard.count(b"done"), 1)
        self.assertEqual(broker.heard.count(b"ask"), 2)

    def test_marked_minibatches_take_turns(self):
        broker = self.broker()
        with mock.patch.object(_turn, "_broker", broker.path), \
                mock.patch.object(sys, "argv", ["train.py"]):
            for _ in flyball.mark([1, 2]):
                self.assertEqual(broker.heard[-1], b"ask")
        broker.wait_for(b"done")
        self.assertEqual(broker.heard, [b"flyball-turn 1 training 1.0 train.py", b"ask", b"done", b"ask", b"done"])

    def test_a_step_of_another_library_that_failed_keeps_no_turn(self):
        broker = self.broker()
        with mock.patch.object(_turn, "_broker", broker.path), mock.patch.object(sys, "argv", ["train.py"]):
            for fails in (True, False):
                loop = Loop(None, ())  # as a callback of Lightning's has it
                loop.wait()
                loop.begin()
                if not fails:
                    loop.end()
        self.assertEqual(broker.wait_for(b"done")[1:], [b"ask", b"done", b"ask", b"done"])

    def test_the_device_is_waited_for_before_a_turn_ends_and_that_time_is_told(self):
        broker = self.broker()
        self.addCleanup(flyball.set_synchronize, None)
        flyball.set_synchronize(lambda: time.sleep(0.01))
        with flyball.turn("a", broker=broker.path):
            pass
        words = broker.wait_for(b"done")[-1].split()
        self.assertEqual(words[0], b"done")
        self.assertGreaterEqual(int(words[1]), 10_000_000)

    def test_pytorch_is_only_asked_where_the_program_has_imported_it(self):
        with mock.patch.dict(sys.modules):
            sys.modules.pop("torch", None)
            self.assertFalse(_marks.synchronize())
            self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
