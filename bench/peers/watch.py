"""A monitor as one writes it in an afternoon: opens and reads the files of /proc and /sys at each step, all processes once
a second, and prints a screen. usage: watch.py INTERVAL_S SECONDS"""
import glob
import os
import sys
import time


def text(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def cores():
    return [[int(word) for word in line.split()[1:8]] for line in text("/proc/stat").splitlines()
            if line.startswith("cpu") and line[3].isdigit()]


def processes():
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = text(f"/proc/{name}/stat")
            if stat:
                fields = stat.rsplit(")", 1)[1].split()
                found.append((int(fields[11]) + int(fields[12]), int(name), stat.split("(")[1].split(")")[0]))
    return sorted(found, reverse=True)[:20]


def main():
    interval, seconds = float(sys.argv[1]), float(sys.argv[2])
    begin = time.monotonic()
    step, busiest, looked = 0, [], 0
    while time.monotonic() - begin < seconds:
        lines = [f"{sum(core[:3])} of {sum(core)}" for core in cores()]
        lines += [line for line in text("/proc/meminfo").splitlines() if line.startswith(("Mem", "Cached", "Swap"))]
        lines += text("/proc/diskstats").splitlines()
        for pattern in ("/sys/class/thermal/thermal_zone*/temp", "/sys/class/hwmon/hwmon*/*_input",
                        "/sys/devices/system/cpu/cpufreq/policy*/scaling_cur_freq"):
            lines += [text(file).strip() for file in glob.glob(pattern)]
        if time.monotonic() - looked >= 1:
            busiest, looked = processes(), time.monotonic()
        lines += [f"{pid} {name} {ticks}" for ticks, pid, name in busiest]
        sys.stdout.write("\x1b[H" + "\n".join(line[:80] for line in lines[:24]))
        sys.stdout.flush()
        step += 1
        time.sleep(max(0.0, begin + step * interval - time.monotonic()))


main()
