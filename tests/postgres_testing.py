"""A server of PostgreSQL in a folder of its own, which may be killed; src/sql/postgres_testing.h is the same for C++."""
import os
import pathlib
import pwd
import subprocess
import time
import urllib.parse


def programs():
    """Where initdb and postgres are; None: nowhere."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class Server:
    def __init__(self, folder):
        self.folder, self.server = folder, None
        folder.mkdir()
        # Root may not run it.
        self.user = "nobody" if os.geteuid() == 0 else None
        if self.user:
            os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
        self.call("initdb", "-D", folder / "data", "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()
        self.call("createdb", "-h", folder, "-U", "owner", "fleet")

    @property
    def place(self):
        return f"postgresql:///fleet?host={urllib.parse.quote(str(self.folder), safe='')}&user=owner"

    def call(self, program, *words, check=True):
        done = subprocess.run([programs() / program, *words], user=self.user, cwd="/", capture_output=True, text=True)
        if check and done.returncode != 0:
            raise SystemExit(f"{program} failed: {done.stderr}")
        return done

    def start(self):
        # After a kill its children hold on to its memory for a moment.
        for _ in range(200):
            if self.server is None or self.server.poll() is not None:
                self.server = subprocess.Popen(
                    [programs() / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses="],
                    user=self.user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.1)
            if self.call("pg_isready", "-q", "-h", self.folder, check=False).returncode == 0:
                return
        raise SystemExit("the database does not come up")

    def kill(self):
        self.server.kill()
        self.server.wait()

    def count(self, sql):
        return int(self.call("psql", "-h", self.folder, "-U", "owner", "-d", "fleet", "-At", "-c",
                             "SET search_path=flyball", "-c", sql).stdout.split()[-1])

    def stop(self):
        self.server.send_signal(3)
        self.server.wait()
