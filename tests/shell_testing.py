"""Commands as a user types them into bash, in a folder and an environment of their own."""
import os
import signal
import subprocess


class Failure(Exception):
    pass


def environment_of(build, home, name):
    """A user without settings of their own, whose program is the built one, with those of its sanitizer."""
    sanitizer = {option: value for option, value in os.environ.items() if option.endswith("SAN_OPTIONS")}
    return {**sanitizer, "HOME": str(home), "FLYBALL_STATE": str(home / "state"),
            "FLYBALL_HELPER": str(home / "no-helper.sock"), "FLYBALL_MACHINE": f"{name}-{os.getpid()}",
            "PATH": f"{build}/bin:{os.environ['PATH']}", "USER": "nobody", "TMPDIR": str(home),
            "FLYBALL_TREE_PROGRAMS": "1",  # trees of tests have programs of their own
            # Beside other tests threads that spin while they wait take minutes.
            "OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}


def run_commands(commands, folder, kept, environment, limit_s, streams):
    """[(exit code, text of each stream)], all by one shell; streams: ("out", "err") or ("both",)."""
    errors = "2>&1" if streams == ("both",) else f"2>{kept}/err.%d"
    script = "".join(f"{{ {command}\n}} >{kept}/{streams[0]}.{i} {errors.replace('%d', str(i))}; "
                     f"echo $? >{kept}/code.{i}\n" for i, command in enumerate(commands))
    shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        shell.wait(limit_s)
    except subprocess.TimeoutExpired:
        raise Failure(f"longer than {limit_s} s: " + "\n".join(commands)) from None
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)  # what it left in the background, and itself
        except ProcessLookupError:
            pass
        shell.wait()
    return [(int((kept / f"code.{i}").read_text()),
             *[(kept / f"{stream}.{i}").read_text(errors="replace") for stream in streams])
            for i in range(len(commands))]
