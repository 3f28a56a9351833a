#!/usr/bin/env python3
"""Runs the examples of README.md and of the pages of docs/ as they are written, and compares what they show.

usage: tests/examples_test.py SOURCE_FOLDER BUILD_FOLDER host|language|live|network|readme|docs-1|docs-2|guides|evidence
       … --update    writes what simulated boards and tables answer now into the documents

Every block of code is either run (each in a clean folder, with its own HOME and FLYBALL_STATE and
with what a reader is told to have there), or stands in NOT_RUN with the reason. A block in which
lines begin with "$ " shows its output, too: a table's answer must be what is printed, to the last
figure; of what was measured on some machine the words must be, with figures where figures stand.
"""
import difflib
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from shell_testing import Failure, environment_of, run_commands

PROGRAM = r"(flyball|printf|sudo|bench/run|scripts/\w+|build/\S+|export|mkdir|git|cd|awk|\{ head|python3) "
LIMIT_S = 500

# Commands that are not run, by file, each as it stands there (without its comment), with the reason.
NOT_RUN = {
    "docs/benchmark.md": {
        'flyball experiment benchmark run --sign-off "A. Person"':
            "trains three networks; benchmark_slow_test.cc trains one of them",
        "flyball experiment benchmark check benchmark-host.json":
            "reads the result of the line before",
        "flyball experiment benchmark table benchmark-*.json --by energy --report table.html":
            "reads results of several boards",
    },
    "README.md": {
        "git clone URL flyball && cd flyball": "there is such a folder already",
        "scripts/quickstart": "installs and builds; the commands that it ends with are examples",
        "scripts/release": "builds packages; package_test does it",
        "flyball tune --power-budget 15W -- python3 train.py": "needs a power sensor; tune_test.cc does it on a tree",
    },
    "docs/examples.md": {
        "flyball profile --workload script:model.pt --data data/images":
            "model.pt is saved by PyTorch; program_test.cc does it where that is installed",
    },
    "docs/layers.md": {
        "flyball describe onnx:model.onnx --batch-size 1 --rules pagoda":
            "model.onnx is exported by PyTorch; describe_test.cc does it where that is installed",
    },
    "docs/how-to/watch-a-board.md": {
        "flyball monitor": "shows until somebody ends it; tests/answers/monitor.txt shows it once",
        "flyball monitor --device twin:orin_nano": "likewise",
        "flyball monitor --interval 100ms": "likewise",
        "flyball monitor --replay minute.jsonl": "likewise",
        "bench/run monitor": "takes two minutes",
    },
    "docs/how-to/grafana.md": {
        "flyball metrics-server": "serves until somebody ends it; scripts/check-metrics asks it",
        "flyball metrics-server --device twin:orin_nano": "likewise",
        "sudo systemctl enable --now flyball-metrics.socket": "needs a machine with systemd",
    },
    "docs/boards.md": {
        "FLYBALL_BOARD=orin_agx flyball tune lenet5":
            "names a Jetson within a container; board_report_test.cc does it on trees",
        "flyball mode set cpu_cores=4,cpu_mhz=1344,gpu_mhz=612,mem_mhz=2133":
            "sets an AGX Orin; mode_test.cc runs it on a tree",
        "flyball mode set --preset 30W": "sets a Jetson; mode_test.cc sets presets on a tree",
        "flyball mode set --preset 30W --dry-run": "needs a Jetson; verify.txt does it on a tree",
        "sudo flyball verify-board": "would set the knobs of this very machine; verify_test.cc: of a tree",
        "flyball mode set --pin-max": "would pin the clocks of this very machine",
        "flyball mode hold --preset 15W -- python3 train.py": "sets a Jetson; mode_test.cc: on a tree",
        "flyball tune resnet18 --power-budget 30W": "needs a board with a power sensor",
        "flyball tune resnet18 --modes paper --power-budget 30W": "likewise; tune_test.cc does it over a table",
        "flyball tune --modes 50 --seed 7 --strategy brute-force -- python3 train.py": "takes 50 trials",
        "flyball mode idle": "needs a power sensor; board_costs_test.cc runs it on a tree",
        "flyball mode cost": "switches the modes of this very machine; board_costs_test.cc: of a tree",
        "flyball mode list --device cuda:0": "needs an NVIDIA GPU; gpu_test.cc does it over a stand-in",
        "sudo flyball mode set --device cuda:0 power_limit_w=200,gpu_mhz=1200": "likewise",
        "sudo flyball mode hold --device cuda:0 power_limit_w=200 -- python3 train.py": "likewise",
        "sudo flyball tune --device cuda --axis power_limit_w=150..300 --axis gpu_mhz=900,1200,1500 -- python3 train.py":
            "likewise",
        "flyball import --format tegrastats log.txt": "log.txt is a board's; import_traces_test.cc has such",
        "flyball import --format tegrastats log.txt --out log.csv": "likewise",
        "flyball import --format tegrastats log.txt --run 3 --plug-zone 1h": "likewise",
        "flyball measure --plug log.txt -- python3 train.py": "likewise",
    },
    "docs/caches.md": {
        "flyball tune mobilenet_v3 --data photos --cache 2GB": "takes minutes; live_profiler_test.cc has one",
        "sudo flyball experiment run experiments/cache.toml": "takes an hour and needs root",
        "sudo flyball experiment run experiments/small_memory.toml": "likewise",
        "sudo flyball experiment run experiments/small_memory.toml --scale 0.25": "likewise",
        "bench/run cache": "a benchmark, which needs PyTorch and root",
    },
    "docs/roofline.md": {
        "flyball roofline measure": "loads the whole machine; roofline_test.cc does it",
        "flyball roofline measure cpu_cores=1 --duration 2s": "likewise",
        "flyball roofline resnet18 mobilenet_v3 --batch-size 1 16 --report roofs.html": "likewise",
        "flyball roofline resnet50_infer.csv mobilenet_infer.csv resnet18_train.csv mobilenet_train.csv --rules pagoda --report orin.html":
            "of measured tables; roofline_test.cc has one",
        "flyball tune --device table:resnet50_infer.csv --axis batch_size=16 --objective energy --at-most slowdown=5% --oracle":
            "likewise; tests/answers/tune_table.txt has one",
    },
    "docs/twin.md": {
        "flyball evaluate twin --truth TABLE.csv [--json]": "of measured tables; json_test.cc has one",
        "flyball twin calibrate --truth orin_agx__resnet18__train.csv --truth orin_agx__mobilenet_v3__train.csv \\":
            "likewise; calibrate_test.cc",
        "--target orin_agx__resnet50__infer.csv --target orin_agx__mobilenet_v3__infer.csv \\": "likewise",
        "--target examples/orin_agx_published.csv --rows 300 --rounds 60": "likewise",
    },
    "docs/data.md": {
        "flyball dataset check DIR": "of a folder that the reader has; profile_test.cc does it",
        "flyball profile lstm --optimizer adam --learning-rate 0.002 --epochs 3 --workers 1 --save run.ckpt":
            "takes an hour; profile_test.cc does it on 200 windows",
        "flyball dataset check data/coco": "of the real set",
        "flyball profile yolo_v8n --data data/coco --workers 4": "of the real set",
        "flyball tune bert_base --axis batch_size=1,2 --axis loader_workers=0,1": "takes minutes",
    },
    "docs/characterise.md": {
        "flyball experiment run experiments/containers.toml": "takes minutes; container_test.cc runs a small one",
        "flyball runs spread board1.db board2.db board3.db": "the stores are of three boards",
        "flyball experiment run experiments/workers.toml": "takes 100 s; experiment_test.cc runs a small one",
        "flyball experiment report experiments/workers.toml": "reports what that one measured",
    },
    "docs/helper.md": {
        "sudo flyball helper install": "changes the system; install_test.cc does it in a folder",
        "sudo usermod -aG flyball $USER": "changes the system",
        "sudo flyball helper uninstall": "changes the system; install_test.cc does it in a folder",
    },
    "docs/install.md": {
        "sudo apt install ./flyball_0.1.0-1_amd64.deb": "changes the system; package_test.py unpacks it in a folder",
        "man flyball-tune": "of the installed package; manual_test.py reads the pages",
        "sudo apt purge flyball": "changes the system",
        "sudo systemctl enable --now flyball-helper.socket": "changes the system",
        "sudo usermod -aG flyball $USER": "changes the system",
        "mkdir -p ~/.local/opt && tar -xzf flyball-0.1.0-linux-x86_64.tar.gz -C ~/.local/opt":
            "the archive is made by scripts/release; package_test.py looks into it",
        "export PATH=~/.local/opt/flyball-0.1.0-linux-x86_64/bin:$PATH": "goes with the line before",
        "scripts/release": "builds a program of its own",
        "scripts/release --no-build": "likewise",
        "scripts/release --arch arm64": "likewise",
        "scripts/release --no-build --image": "likewise",
    },
    "docs/live.md": {
        "flyball serve --train lenet5 --infer lenet5 --arrivals poisson:60 --latency 300ms --measure 5":
            "of a board with modes; serve_mode_test.cc measures one on a recorded board",
        "flyball serve --train resnet18.csv --infer mobilenet_infer.csv --latency 800ms --power-budget 30W --arrivals poisson:60 --duration 10min --switch-cost 300ms --measured known.csv --measure 10":
            "of a board's tables; serve_test.cc has small ones",
        "flyball serve --infer lenet5 --train mobilenet_v3 --latency 1s --arrivals poisson:60 --duration 1min":
            "draws pictures and takes a minute; serve_test.cc serves for seconds",
        "flyball serve --train resnet18.csv --infer mobilenet_infer.csv --latency 800ms --power-budget 30W --arrivals windows:30:10min,90:10min --switch-cost 2s":
            "of a board's tables; serve_test.cc has small ones",
        "flyball plan concurrent --train resnet18.csv --infer mobilenet_infer.csv --latency 500ms --power-budget 30W --arrivals poisson:60 --percentile 99":
            "likewise; json_test.cc plans one",
        "flyball evaluate live --train resnet18.csv --infer mobilenet_infer.csv": "likewise",
        "flyball serve --infer lenet5 --train mobilenet_v3 --train-batch-size 1 --latency 1s":
            "serves until it is stopped; serve_http_test.cc asks it",
        "curl http://127.0.0.1:8000/v2/models/lenet5": "likewise",
        "curl http://127.0.0.1:8000/metrics": "likewise",
    },
    "docs/memory.md": {
        "flyball describe bert_base --batch-size 16 --memory 4GB": "trains a step of minutes; memory_test.cc does LeNet-5",
        "flyball describe yolo_v8n --device orin_nano": "likewise",
        "flyball tune resnet18 --axis batch_size=16,64,256": "minutes of trials; memory_test.cc tunes LeNet-5",
        "flyball tune resnet18 --axis batch_size=16,64,256 --memory 4GB": "likewise",
        "build/release/bin/workload_torch_test --gtest_filter='StepMemory.*'": "a test of its own",
        "build/release/bin/workload_torch_slow_test --gtest_filter='*StepMemory*'": "likewise",
    },
    "docs/reproduce.md": {
        "mkdir public && cd public": "goes with the next",
        "git clone <the public repositories below>": "needs the network",
        "cd .. && scripts/reproduce public": "takes hours; reproduce_test.cc runs it on a small table",
        "flyball import --format bofl AGX/CIFAR10.json --out vit.csv":
            "the file is another's; public_tables_test.cc reads one of its form",
        "flyball import --format powertrain resnet_train_data_final.csv --out resnet18.csv":
            "the file is another's; public_tables_test.cc reads one of its form",
        "flyball import --format powertrain-logs Orin-nano2/runs/ResNet --out nano.csv":
            "the folder is another's; logger_table_test.cc writes one of its form",
    },
    "docs/search.md": {},
    "docs/developer.md": {
        "python3 tests/links_test.py .": "a test of its own",
        "scripts/setup --docs": "installs",
        "scripts/docs": "needs mkdocs; site_test does it where that is there",
    },
    "docs/how-to/docker.md": {"sudo flyball helper install": "changes the system"},
    "docs/how-to/huggingface.md": {
        "flyball tune --axis batch_size=4,8,16 --axis loader_workers=0,2 --power-budget 30W -- python3 train.py":
            "needs a power sensor; tune_test.cc does it on a tree",
    },
    "docs/how-to/import-tables.md": {
        "flyball import --format tegrastats log.txt --run 3": "log.txt is a board's; import_traces_test.cc has such",
    },
    "docs/how-to/jetpack.md": {
        "scripts/release --arch arm64": "builds a program of its own",
        "scripts/setup --program": "installs",
        "scripts/build release": "builds",
    },
    "docs/how-to/record-a-trace.md": {
        "flyball record --duration 1h -o run.flyrec": "takes an hour; record.txt records a simulated one",
        "flyball record --rate 1000 -- python3 train.py": "json_test.cc records a command",
        "flyball measure --record run.flyrec -- python3 train.py": "goes with the first",
        "flyball profile resnet18 --record run.flyrec": "goes with the first",
        "flyball report run.flyrec": "of that hour",
        "flyball report run.flyrec --from 10:00 --to 10:05": "of that hour; record.txt has it of a simulated one",
        "flyball export run.flyrec --from 10:00 --to 10:05 --out part.csv": "of that hour; record.txt has it of a simulated one",
    },
    "docs/how-to/load-test-a-server.md": {
        "flyball serve --infer lenet5 --latency 200ms --listen 127.0.0.1:8000 --duration 1min &":
            "goes with the next",
        "flyball loadtest http://127.0.0.1:8000/v2/models/lenet5 --rate 30 --latency 200ms --duration 10s":
            "of a server that runs; loadtest_test.cc has one",
    },
    "docs/how-to/tune-a-server.md": {
        'flyball tune --server "llama-server -m model.gguf -ngl {n_gpu_layers} --port {port}" --axis n_gpu_layers=0,16,32 --arrivals poisson:2 --at-most ttft=500ms --objective energy --trial-time 1min':
            "needs llama.cpp and a power sensor; tune_server_test.cc has a server",
        'flyball tune --server "flyball serve --infer lenet5 --latency 200ms --batch-size {batch} --listen 127.0.0.1:{port} --force" --axis batch=1,8 --axis cpu_cores=2 --protocol oip --model lenet5 --rate 50 --trial-time 2s':
            "two programs of Flyball measure at once; tune_server_test.cc has another server",
        'flyball tune --server "vllm serve Qwen/Qwen2.5-0.5B-Instruct --max-num-seqs {seqs} --port {port}" --axis seqs=1,4,16 --arrivals poisson:2 --at-most ttft=1s --objective energy_per_token --trial-time 2min':
            "needs vLLM",
        'flyball tune --server "tritonserver --model-repository=models --http-port={port} --grpc-port=0" --protocol oip --model resnet50 --rate 60 --at-most latency_p99=50ms --objective energy':
            "needs Triton",
        'flyball tune --server "trtllm-serve model --max_batch_size {batch} --port {port}" --axis batch=1,8,32 --arrivals poisson:4 --objective throughput':
            "needs TensorRT-LLM",
    },
    "docs/how-to/lightning.md": {
        "flyball tune --axis batch_size=8,16,32 --axis loader_workers=0,2 --power-budget 15W -- python3 train.py":
            "needs a power sensor; tune_test.cc does it on a tree",
    },
    "docs/how-to/optuna.md": {
        "flyball mode hold --preset 15W -- python3 search.py": "sets a Jetson; mode_test.cc: on a tree",
    },
    "docs/how-to/share-a-board.md": {
        "flyball broker": "grants turns until Ctrl-C; broker_test.cc does it",
        "export FLYBALL_BROKER=$XDG_RUNTIME_DIR/flyball-broker/broker.sock": "what it prints",
    },
    "docs/how-to/tensorrt.md": {
        "flyball tune --power-budget 15W --axis batch_size=1,4,8 -- trtexec --loadEngine=model.plan --shapes=image:{batch_size}x3x224x224 --iterations=1000 --duration=0 --warmUp=0":
            "needs TensorRT",
    },
    "docs/how-to/verify-your-board.md": {
        "sudo flyball verify-board": "would set the knobs of this very machine; verify_test.cc: of a tree",
        "sudo flyball verify-board --quick": "likewise",
    },
    "docs/how-to/ultralytics.md": {
        "flyball tune --axis batch_size=4,8,16 --axis loader_workers=0,2,4 --power-budget 30W -- python3 train.py":
            "needs a power sensor; tune_test.cc does it on a tree",
    },
    "docs/tutorials/orin.md": {
        "sudo flyball helper install": "changes the system",
        "sudo usermod -aG flyball $USER": "changes the system",
        "flyball tune --power-budget 15W --report orin.html -- python3 train.py":
            "needs a power sensor; tune_test.cc does it on a tree",
        "flyball mode hold cpu_cores=4,cpu_mhz=1344,gpu_mhz=612,mem_mhz=2133 -- python3 train.py":
            "sets an AGX Orin; mode_test.cc: on a tree",
        "flyball mode set cpu_cores=4,cpu_mhz=1344,gpu_mhz=612,mem_mhz=2133": "likewise",
        "flyball mode restore": "goes with the line before",
    },
    "docs/your-model.md": {
        "flyball profile --workload script:model.pt --data data/images --epochs 2 --workers 2":
            "model.pt is saved by PyTorch; program_test.cc does it where that is installed",
        "flyball tune --workload script:model.pt --data data/images --phase infer":
            "likewise",
        "flyball profile --workload script:words.pt --loss loss.pt --data data/wikitext": "likewise",
        "flyball profile --workload script:model.pt --input 3x224x224 --target label:int64..9:scalar": "likewise",
        "flyball tune --workload script:bert.pt --phase infer --input ids:int64..30521:128 --input mask:int64:128":
            "likewise",
    },
}

# Blocks that are no commands: how they begin.
NO_COMMANDS = {
    "README.md": ["import flyball"],
    "docs/how-to/docker.md": ["docker run --rm", "jetson-containers run"],
    "docs/how-to/load-test-a-server.md": ["docker run --gpus"],
    "docs/how-to/share-a-board.md": ["docker run -v ", "#include <flyball/flyball_turn.h>"],  # broker_test.cc: bubblewrap
    "docs/how-to/verify-your-board.md": ["tar xzf flyball-board-orin_agx.tar.gz"],  # tests/answers/verify.txt does it
    "docs/compare.md": ['currency = "EUR"'],
    "docs/helper.md": ['{"flyball":1,"ok":false,'],
    "docs/boards.md": ["of 22.3 W"],
    "docs/data.md": ["data/coco/annotations/", "$ flyball tune lstm"],  # examples.md has it, and it is run
    # The wheel is installed, and the image run by bwrap, in package_test.py.
    "docs/install.md": ["python3 -m venv ~/flyball", "docker load -i ", "docker run --rm -v ", "jetson-containers run "],
    "docs/live.md": ["curl http://127.0.0.1:8000/v2/models/NAME/infer"],
    "docs/memory.md": ["peak memory 400 MB: "],
    "docs/problems.md": ["min t ", "t/bs ≤ ", "n = ", "q_i + ", "C1 ", "V_k(pm)", "energy per request", "max θ "],
    "docs/report-data.md": ["<script"],
    "docs/roofline.md": ["time    T = "],
    "docs/search.md": ["R=orin_agx__resnet18__train.csv"],  # VARIABLES
    "docs/twin.md": ["both simulated at once, in turns"],
    "docs/your-model.md": ["import torch, torchvision", "import flyball", "with flyball.stall()", "class Loss(",
                           "#include <flyball_marks.h>"],
    # tests/python/docs_test.py runs these.
    "docs/python.md": ["import flyball", "answer = flyball.tune(", "with flyball.mode.hold(", "loader = flyball.mark(",
                       "from flyball.integrations", "def train(trial)"],
}

EXIT_CODES = {"flyball helper status": 1}  # "exit code 1: it does not answer"

TRAIN = """import time
import flyball
size = int(flyball.setting("batch_size", 16))
flyball.setting("loader_workers", 0)
for batch in flyball.mark(range(400)):
    time.sleep(0.0004 * size ** 0.5)
"""


def table(workload, phase, batches, scale, small=False):
    """A board's look-alike: time falls and power rises with every clock."""
    clocks = (612, 1020, 1300.5) if small else (306, 612, 726.75, 1020, 1300.5)
    lines = ["device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w"]
    for batch in batches:
        for cores in (4, 12) if small else (2, 4, 8, 12):
            for cpu in (422.4, 1190.4, 2201.6):
                for gpu in clocks:
                    for memory in (2133, 3199) if small else (665.6, 2133, 3199):
                        work = scale * (0.25 + batch / 16)
                        time = work * (9000 / gpu + 12000 / cpu / cores ** 0.5 + 9000 / memory) + 2
                        watts = 7 + gpu / 90 + 0.0007 * cpu * cores + memory / 700
                        lines.append(f"orin_agx,{workload},{phase},{batch},{cores},{cpu},{gpu},{memory},"
                                     f"{time:.5g},{watts:.5g}")
    return lines


def joined(*tables):
    return "\n".join([tables[0][0]] + [row for one in tables for row in one[1:]]) + "\n"


def photos(folder, environment):
    subprocess.run(["flyball", "dataset", "make", "images", "--samples", "32", "--out", "photos"],
                   cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


# What readers are told to have, by the word that names it in a block.
FILES = {
    "train.py": lambda: TRAIN,
    "resnet18.csv": lambda: joined(table("resnet18", "train", [16], 1)),
    "mobilenet.csv": lambda: joined(table("mobilenet_v3", "train", [16], 0.6)),
    "mobilenet_infer.csv": lambda: joined(table("mobilenet_v3", "infer", [1, 4, 16, 64], 0.2)),
}
# Tables that docs/search.md and docs/prediction.md name by variables.
VARIABLES = {
    "R": lambda: joined(table("resnet18", "train", [16], 1, True)),
    "M": lambda: joined(table("mobilenet_v3", "train", [16], 0.6, True)),
    "IR": lambda: joined(table("resnet50", "infer", [1, 4, 16, 64], 0.4, True)),
    "IM": lambda: joined(table("mobilenet_v3", "infer", [1, 4, 16, 64], 0.2, True)),
    "T": lambda: joined(table("resnet18", "train", [16], 1)),
}
WHERE = "$5 <= 6 && $6 <= 1190.4 && $7 <= 726.75 && $8 <= 2133"

# What the first host example prints on its own machine alone: (how a line begins, why).
OF_THE_MACHINE = [
    ("difference from the default not established", "whether it is depends on what was measured"),
    ("readings of the choice", "said with the line before"),
    ("search ended", "sooner where nothing is expected to be better"),
    ("power is not available", "where there is a sensor, power is shown"),
    ("note: cpu_mhz cannot be set", "where there is cpufreq it can be"),
    ("note: auto:", "other models may do better there"),
]


def blocks_of(text):
    """(kind, lines): indented ("") and fenced (its language) blocks of code."""
    found, lines, fence = [], text.split("\n"), None
    for i, line in enumerate(lines):
        if line.startswith("```"):
            if fence is None:
                fence = (line[3:].strip(), [])
            else:
                found.append(fence)
                fence = None
        elif fence is not None:
            fence[1].append(line)
        elif line.startswith("    "):
            if i > 0 and lines[i - 1].startswith("    ") and found and found[-1][0] == "":
                found[-1][1].append(line[4:])
            elif i == 0 or not lines[i - 1].strip():
                # A blank line within a block does not end it.
                if (found and found[-1][0] == "" and found[-1][2] == i - 2):
                    found[-1][1].extend(["", line[4:]])
                else:
                    found.append(["", [line[4:]], i])
            if found and len(found[-1]) == 3:
                found[-1][2] = i
    return [(block[0], block[1]) for block in found]


def whole_commands(lines):
    """Lines as commands: what bash does not read as whole goes on in the next line."""
    commands, open_lines = [], []
    for line in lines:
        open_lines.append(line)
        text = "\n".join(open_lines)
        if subprocess.run(["bash", "-n", "-c", text], capture_output=True).returncode == 0:
            commands.append(text)
            open_lines = []
    if open_lines:
        raise Failure("bash cannot read: " + "\n".join(open_lines))
    return [command for command in commands if without_comment(command)]


def without_comment(command):
    return re.sub(r"(^|\s+)#\s.*$", "", command, flags=re.S).strip()


def read_block(file, kind, lines):
    """[(command, shown output lines or None)]; None where the block holds no commands."""
    if any(lines[0].startswith(start) for start in NO_COMMANDS.get(file, [])):
        return None
    if kind in ("python", "text", "toml"):
        return None
    if kind not in ("", "bash", "sh", "console"):
        raise Failure(f"{file}: a block of {kind} is neither run nor listed: {lines[0]}")
    if lines[0].startswith("$ "):
        shown = []
        for line in lines:
            if line.startswith("$ "):
                shown.append((line[2:], []))
            else:
                shown[-1][1].append(line)
        return shown
    if re.match(PROGRAM, lines[0] + " "):
        listed = [(c, None) for c in whole_commands(unlisted_lines(file, lines))]
        return listed
    raise Failure(f"{file}: a block is neither run nor listed: {lines[0]}")


def unlisted_lines(file, lines):
    return [line for line in lines if without_comment(line) not in NOT_RUN.get(file, {})]


def check_lists(file, text):
    """Every entry of the lists still stands in the document."""
    lines = [without_comment(line.strip()) for line in text.split("\n")]
    for command in NOT_RUN.get(file, {}):
        if command not in lines:
            raise Failure(f"{file} no longer holds what NOT_RUN lists: {command}")
    for start in NO_COMMANDS.get(file, []):
        if not any(block[1][0].startswith(start) for block in blocks_of(text)):
            raise Failure(f"{file} no longer holds the block that NO_COMMANDS lists: {start}")


def clean_folder(source, build, text):
    """What a reader has: a clone that was built, and the files that the text names."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-examples-"))
    for name in ("examples", "experiments", "scripts"):
        (folder / name).symlink_to(source / name)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(build)
    (folder / "home").mkdir()
    environment = {**environment_of(build, folder / "home", "examples"), "LANG": "C.UTF-8",
                   "W": "resnet18", "WHERE": WHERE}
    for name, content in FILES.items():
        if name in text:
            (folder / name).write_text(content())
    for name, content in VARIABLES.items():
        if "$" + name in text:
            (folder / f"{name}.csv").write_text(content())
            environment[name] = f"{name}.csv"
    if "--data photos" in text:
        photos(folder, environment)
    return folder, environment


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_block(source, build, commands):
    """[(exit code, stdout, stderr)] of each, all by one shell."""
    text = "\n".join(command for command, _ in commands)
    folder, environment = clean_folder(source, build, text)
    port = str(free_port())  # that of the examples may be in use
    try:
        return run_commands([re.sub(r"\b8765\b", port, command) for command, _ in commands], folder,
                            folder / "home", environment, LIMIT_S, ("out", "err"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def shape(line):
    """A line of what was measured: figures, units of size, spreads and the machine's name left out."""
    line = re.sub(r"on host \(.*, \d+ cores?\)", "on host (…)", line)  # Intel(R) has parentheses of its own
    line = re.sub(r"\d[\d,.]*", "#", line)
    line = re.sub(r"\b([KMG]i)?B\b", "B", line)
    line = re.sub(r"\b(ms|µs|s)\b", "s", line)
    line = re.sub(r"# h( # min)?|# min( # s)?", "# s", line)
    line = re.sub(r" \(#-#\)", "", line)
    line = re.sub(r"(#, )+#", "#", line)
    return " ".join(line.split())


def exact(line):
    return " ".join(re.sub(r"profiled in [\d.]+ m?s$", "profiled in #", line).split())


def check_output(command, shown, printed):
    read = exact if "--device table:" in command else shape
    # A terminal shows progress while it lasts: "[3/10] measuring …".
    printed = [line for line in printed.split("\n")
               if line.strip() and not re.match(r"\[\d+/\d+\] ", line)]
    wanted = [line for line in shown if line.strip()]
    got = [read(line) for line in printed]

    def free(line):
        return read is shape and any(line.startswith(start) for start, _ in OF_THE_MACHINE)
    missing = [line for line in wanted if not free(line) and read(line) not in got]
    shapes = [read(line) for line in wanted]
    surplus = [line for line in printed if read is exact and read(line) not in shapes]
    in_order = [got.index(read(line)) for line in wanted if read(line) in got]
    if missing or surplus or in_order != sorted(in_order):
        raise Failure(f"{command}\nshows what it does not print, or otherwise:\n  "
                      + "\n  ".join(missing or wanted) + "\nit prints:\n  " + "\n  ".join(printed))


def updated(shown, printed):
    """The shown lines as they are printed now, each the most alike of those that follow."""
    rest = [line.rstrip() for line in printed.split("\n") if line.strip()]
    lines = []
    for line in shown:
        alike = [difflib.SequenceMatcher(None, line, one, autojunk=False).ratio() for one in rest]
        if line.strip() and alike:
            at = alike.index(max(alike))
            lines.append(rest[at])
            del rest[:at + 1]
        else:
            lines.append(line)
    return lines


def update_document(document, command, shown, printed):
    """Rewrites what follows `command` in the document; what was measured on a machine stays."""
    if "--device twin:" not in command and "--device table:" not in command:
        return False

    def block(lines):
        return "\n".join("    " + line if line else "" for line in ["$ " + command, *lines])
    text = document.read_text()
    new = text.replace(block(shown), block(updated(shown, printed)))
    document.write_text(new)
    return new != text


def check_block(source, build, file, commands, update=False):
    began = time.monotonic()
    results = run_block(source, build, commands)
    for (command, shown), (code, printed, complaint) in zip(commands, results):
        if code != EXIT_CODES.get(without_comment(command), 0):
            raise Failure(f"{file}: exit code {code} of: {command}\n{printed}{complaint}")
        if shown is not None:
            try:
                check_output(command, shown, printed + complaint)
            except Failure:
                if not update or not update_document(source / file, command, shown, printed + complaint):
                    raise
        print(f"{file}: {command.splitlines()[0]}", flush=True)
    print(f"  {time.monotonic() - began:.1f} s", flush=True)
    return len(commands)


def shard_of(file, lines):
    """Blocks run in nine tests; what takes minutes, whole populations of boards, in a slow one."""
    if any("population --n 200" in line for line in lines):
        return "evidence"
    guide = file.count("/") > 1
    if file not in ("README.md", "docs/examples.md") and not guide:
        return "docs-1" if file < "docs/m" else "docs-2"
    if any("tune lenet5 --device host" in line for line in lines):
        return "host"
    if any("tune lstm" in line for line in lines):
        return "language"
    if any("flyball serve" in line for line in lines):
        return "live"
    if guide:
        return "guides"
    return "network" if any("dataset make" in line for line in lines) else "readme"


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    documents = ["README.md"] + sorted(str(p.relative_to(source)) for p in (source / "docs").rglob("*.md"))
    unknown = (set(NOT_RUN) | set(NO_COMMANDS)) - set(documents)
    if unknown:
        raise Failure(f"the lists name what is not there: {', '.join(sorted(unknown))}")
    count = 0
    for file in documents:
        text = (source / file).read_text()
        check_lists(file, text)
        for kind, lines in blocks_of(text):
            commands = read_block(file, kind, lines)
            if commands and shard_of(file, lines) == sys.argv[3]:
                count += check_block(source, build, file, commands, "--update" in sys.argv[4:])
    if count == 0:
        raise Failure(f"there is no example in {sys.argv[3]}")
    print(f"{count} commands ran")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"examples_test: {failure}")
