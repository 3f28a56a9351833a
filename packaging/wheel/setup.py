# Of a wheel: the Python package with the static program in it (packaging/make-wheel puts them here).
import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithProgram(Distribution):
    """Is for one kind of machine, as extension modules are."""

    def has_ext_modules(self):
        return True


class ProgramWheel(bdist_wheel):
    """Is for any Python 3: nothing in it is compiled against Python."""

    def get_tag(self):
        return "py3", "none", os.environ["FLYBALL_WHEEL_PLATFORM"]


setup(
    name="flyball",
    version=os.environ["FLYBALL_WHEEL_VERSION"],
    description="Finds the power mode, batch size and loader settings for a neural network on an edge accelerator",
    long_description=open("README.md", encoding="utf-8").read(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE", "third-party"],
    python_requires=">=3.8",
    packages=["flyball", "flyball.integrations"],
    package_data={"flyball": ["py.typed", "bin/flyball", "lib/flyball/flyball-nvml"]},
    entry_points={"console_scripts": ["flyball = flyball._places:main"]},
    zip_safe=False,
    distclass=WithProgram,
    cmdclass={"bdist_wheel": ProgramWheel},
)
