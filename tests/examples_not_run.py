"""Blocks of the documents that tests/examples_test.py does not run, and why."""

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
        "scripts/setup --release --cross": "installs",
        "scripts/release --arch arm64": "builds packages; package_test looks at them",
        "sudo apt install ./flyball_*_arm64.deb": "changes a Jetson",
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
    "docs/how-to/collect-stores.md": {
        "flyball collect orin1: me@nx7:/data/store.db --into fleet.db --jobs 8": "needs two boards",
        "flyball collect orin1.db orin2.db --into 'postgresql://fleet_append@db.lab/fleet?sslmode=verify-full'":
            "needs a server; collect_test.cc starts one",
        "flyball collect --into postgresql:///fleet": "likewise",
    },
    "docs/how-to/monitor-screens.md": {
        "flyball monitor --device twin:orin_nano --interval 500ms": "shows until somebody ends it",
        "flyball monitor --root tree": "likewise",
        "flyball monitor": "likewise",
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
        "--truth orin_agx__resnet50__infer.csv --truth orin_agx__mobilenet_v3__infer.csv \\": "likewise",
        "--truth examples/orin_agx_published.csv --rows 300 --rounds 60 >mine.toml": "likewise",
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
        "scripts/setup --release": "installs",
        "scripts/setup --release --cross": "installs",
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
    "docs/how-to/docker.md": {'sudo "$(command -v flyball)" helper install': "changes the system"},
    "docs/how-to/huggingface.md": {
        "flyball tune --axis batch_size=4,8,16 --axis loader_workers=0,2 --power-budget 30W -- python3 train.py":
            "needs a power sensor; tune_test.cc does it on a tree",
    },
    "docs/how-to/import-tables.md": {
        "flyball import --format tegrastats log.txt --run 3": "log.txt is a board's; import_traces_test.cc has such",
    },
    "docs/how-to/jetpack.md": {
        "git clone URL flyball && cd flyball": "the network is not asked",
        "sudo systemctl enable --now flyball-helper.socket": "changes the system",
        "sudo usermod -aG flyball $USER": "likewise",
        'sudo "$(command -v flyball)" helper install && sudo usermod -aG flyball $USER': "likewise",
        "scripts/setup --release --cross": "installs",
        "scp dist/flyball_0.1.0-1_arm64.deb BOARD:": "needs a Jetson",
        "ssh -t BOARD sudo apt install ./flyball_0.1.0-1_arm64.deb": "likewise",
        "mkdir -p build && dpkg-deb -x libtomlplusplus-dev_*.deb build/toml": "the package is another release's; setup_test.sh reads its headers",
        "export FLYBALL_TOML=$PWD/build/toml/usr/include": "goes with the line before",
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
    "docs/how-to/tune-a-server.md": {
        'flyball tune --server "llama-server -m model.gguf -ngl {n_gpu_layers} --port {port}" --axis n_gpu_layers=0,16,32 --arrivals poisson:2 --at-most ttft=500ms --objective energy --trial-time 1min':
            "needs llama.cpp and a power sensor; tune_server_test.cc has a server",
        'flyball tune --server "flyball serve --infer lenet5 --latency 200ms --batch-size {batch} --listen 127.0.0.1:{port}" --axis batch=1,8 --axis cpu_cores=2 --protocol oip --model lenet5 --rate 50 --trial-time 2s':
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
        "flyball broker --infer detector --latency 100ms --train trainer --power-budget 20W --measured train.csv infer.csv":
            "needs a board that reads power; broker_test.cc runs it on a tree",
        "flyball tune --modes 10 --seed 1 --strategy brute-force -- python3 trainer.py": "the scripts are the reader's; tune_test.cc has others",
        "flyball tune --modes 10 --seed 1 --strategy brute-force -- python3 detector.py": "likewise",
        'flyball export "python3 trainer.py" --out trainer.csv': "goes with the lines before",
        'flyball export "python3 detector.py" --out detector.csv': "likewise",
        "flyball import trainer.csv --map workload==trainer phase==train --out train.csv": "likewise",
        "flyball import detector.csv --map workload==detector phase==infer --out infer.csv": "likewise",
        "flyball broker": "grants turns until Ctrl-C; broker_test.cc does it",
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
        'sudo "$(command -v flyball)" helper install': "changes the system",
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
    "docs/how-to/collect-stores.md": ["CREATE ROLE", "[fleet]"],
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
