# Tables of a board that does not exist: time falls and power rises with both clocks.
clocks() { for cores in 2 4 8; do for cpu in 400 800 1200 1600 2000; do for gpu in 300 600 900 1200; do
  echo $cores $cpu $gpu; done; done; done; }
columns=device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w
{ echo $columns; clocks | awk '{printf "rig,net,train,16,%d,%d,%d,%.6g,%.6g\n", $1, $2, $3,
    20000/$3 + 30000/$2/$1 + 5, 5 + 0.01*$3 + 0.0008*$2*$1}'; } >train.csv
{ echo $columns; for batch in 1 4 16; do clocks | awk -v b=$batch '{
    printf "rig,det,infer,%d,%d,%d,%d,%.6g,%.6g\n", b, $1, $2, $3,
    2000/$3*b + 8000/$2 + 3, 5 + 0.008*$3 + 0.0004*$2*$1}'; done; } >infer.csv
