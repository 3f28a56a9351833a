# What Linux and NVIDIA's kernel (JetPack 6) show below / of a Jetson AGX Orin, in the folder `tree`.
put() { mkdir -p "tree/$(dirname "$1")"; printf '%b\n' "$2" >"tree/$1"; }
cpus=sys/devices/system/cpu gpu=sys/devices/platform/17000000.gpu/devfreq/17000000.gpu
emc=sys/kernel/debug/bpmp/debug/clk/emc rails=sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3
put proc/device-tree/compatible 'nvidia,p3737-0000+p3701-0005\0nvidia,p3701-0005\0nvidia,tegra234\0'
put proc/device-tree/model 'NVIDIA Jetson AGX Orin Developer Kit\0'
put proc/meminfo 'MemTotal: 32000000 kB\nMemAvailable: 20000000 kB'
put etc/nv_tegra_release '# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic'
put $cpus/present 0-11
put $cpus/online 0-11
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11; do
  policy=policy$((cpu / 4 * 4))
  [ $cpu = 0 ] || put $cpus/cpu$cpu/online 1
  mkdir -p tree/$cpus/cpu$cpu && ln -s ../cpufreq/$policy tree/$cpus/cpu$cpu/cpufreq
  put $cpus/cpufreq/$policy/scaling_available_frequencies '115200 729600 1113600 1344000 1728000 2201600'
  put $cpus/cpufreq/$policy/scaling_min_freq 115200
  put $cpus/cpufreq/$policy/scaling_max_freq 2201600
  put $cpus/cpufreq/$policy/scaling_cur_freq 729600
  put $cpus/cpufreq/$policy/scaling_governor schedutil
  put $cpus/cpufreq/$policy/scaling_driver tegra194
done
put $gpu/available_frequencies '306000000 510000000 612000000 816000000 1300500000'
put $gpu/min_freq 306000000
put $gpu/max_freq 1300500000
put $gpu/cur_freq 306000000
put $gpu/governor nvhost_podgov
ln -s devfreq/17000000.gpu tree/sys/devices/platform/17000000.gpu/devfreq_dev
put sys/kernel/nvpmodel_clk_cap/emc 0
put $emc/rate 204000000
put $emc/min_rate 204000000
put $emc/max_rate 3199000000
put $emc/mrq_rate_locked 0
put $emc/state 1
put sys/kernel/debug/bpmp/debug/emc/possible_rates '204000 665600 2133000 3199000'
for rail in '1 VDD_GPU_SOC 19000 300' '2 VDD_CPU_CV 19000 100' '3 VIN_SYS_5V0 5000 800'; do
  set -- $rail
  put $rails/in$1_label $2
  put $rails/in$1_input $3
  put $rails/curr$1_input $4
done
modes='0 MAXN 12 -1 -1
1 15W 4 1113600 408000000
2 30W 8 1728000 612000000'
conf='< PARAM TYPE=FILE NAME=CPU_ONLINE >'
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11; do conf="$conf\nCORE_$cpu /$cpus/cpu$cpu/online"; done
for cluster in 0 1 2; do
  cpu=/$cpus/cpu$((4 * cluster))/cpufreq
  conf="$conf\n< PARAM TYPE=FILE NAME=CPU_A78_$cluster >\nFREQ_TABLE $cpu/scaling_available_frequencies"
  conf="$conf\nMAX_FREQ $cpu/scaling_max_freq\nMIN_FREQ $cpu/scaling_min_freq"
done
conf="$conf\n<PARAM TYPE=FILE NAME=GPU>\nMAX_FREQ /$gpu/max_freq\nMIN_FREQ /$gpu/min_freq"
while read -r id name cores cpu_khz gpu_hz; do
  conf="$conf\n\n< POWER_MODEL ID=$id NAME=$name >"
  for cpu in 0 1 2 3 4 5 6 7 8 9 10 11; do conf="$conf\nCPU_ONLINE CORE_$cpu $((cpu < cores))"; done
  for cluster in 0 1 2; do
    conf="$conf\nCPU_A78_$cluster MIN_FREQ 0\nCPU_A78_$cluster MAX_FREQ $cpu_khz"
  done
  conf="$conf\nGPU MIN_FREQ 0\nGPU MAX_FREQ $gpu_hz"
done <<<"$modes"
put etc/nvpmodel.conf "$conf\n\n< PM_CONFIG DEFAULT=2 >"
put var/lib/nvpmodel/status 'pmode:0000 fmode:quiet'
