"""What the suites share: a folder of their own, a recorded board, a package that may be missing."""
import atexit
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

source = pathlib.Path(__file__).resolve().parents[2]


class InFolder(unittest.TestCase):
    """Each test in a folder of its own, with a store of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="flyball-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        former = os.getcwd()
        self.addCleanup(os.chdir, former)
        os.chdir(self.folder)
        os.environ["FLYBALL_STORE"] = str(self.folder / "store.db")
        self.addCleanup(os.environ.pop, "FLYBALL_STORE", None)

    def refused(self, error, call, *operands, **options):
        """The error that the call raises, which is in the words of Python."""
        with self.assertRaises(error) as caught:
            call(*operands, **options)
        said = caught.exception.message + " " + caught.exception.hint
        self.assertTrue(caught.exception.hint, said)
        said = re.sub(r"`[^`]*`|\(/[^)]*\)", "", said)  # what a shell takes, or another process is
        self.assertNotIn("--", said)
        self.assertNotIn("json.md", said)
        return caught.exception


@functools.lru_cache(maxsize=None)
def _recorded():
    folder = tempfile.mkdtemp(prefix="flyball-tree-")
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["bash", "-c", f". {source}/tests/answers/orin_tree.sh"], cwd=folder, check=True)
    return folder


def orin_tree(folder):
    """What Linux shows of a Jetson AGX Orin, in folder/tree."""
    return pathlib.Path(shutil.copytree(_recorded() + "/tree", folder / "tree", symlinks=True))


def has(package):
    return importlib.util.find_spec(package) is not None


def needs(package):
    return unittest.skipUnless(has(package), f"no {package} for this Python")
