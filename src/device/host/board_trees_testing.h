// Writes the files that boards show below / : what Linux and NVIDIA's kernels have there, as
// hardware lists, device trees and logs of users say. Nobody had these boards at hand.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flyball::trees {

namespace fs = std::filesystem;

/// Clocks: all from `first` in equal steps to `last`, and those that follow.
inline std::vector<long> steps(long first, long step, long last, std::vector<long> more = {}) {
  std::vector<long> list;
  for (long value = first; value <= last; value += step) list.push_back(value);
  list.insert(list.end(), more.begin(), more.end());
  return list;
}
inline std::string words(const std::vector<long>& values) {
  return fmt::format("{} \n", fmt::join(values, " "));
}

struct Rail {
  std::string chip, name;
  int mv = 5000, ma = 200;
};

enum class Memory { none, bpmp_khz, bpmp_hz_beside, override_clk };
enum class Rails { none, iio, hwmon, ina238 };

/// What one board shows.
struct Board {
  std::string kind{}, model{}, compatible{}, release{};  ///< compatible with '|' for the zero bytes
  int cores = 0;
  std::vector<int> clusters{};  ///< first core of each
  std::vector<int> off{};       ///< cores that are off
  std::vector<long> cpu_khz{}, gpu_hz{}, emc_khz{};
  long cpu_cap = 0, gpu_cap = 0, emc_cap = -1;  ///< caps in force; EMC: Hz, -1 has no such file
  std::string gpu_folder{}, gpu_link{}, load{}, cap_file{}, fan{};
  Memory memory = Memory::none;
  Rails layout = Rails::none;
  std::vector<Rail> rails{};
  std::string nvpmodel{}, status{};
};

class Writer {
 public:
  explicit Writer(fs::path root) : root_(std::move(root)) {}

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary | std::ios::trunc) << text;
  }
  void link(const std::string& file, const std::string& to) const {
    fs::create_directories((root_ / file).parent_path());
    fs::create_symlink(to, root_ / file);
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};
inline void put_cpus(const Writer& tree, const Board& board) {
  const std::string cpus = "sys/devices/system/cpu/";
  tree.put(cpus + "present", fmt::format("0-{}\n", board.cores - 1));
  for (int cpu = 0; cpu < board.cores; ++cpu) {
    const std::string folder = fmt::format("{}cpu{}/", cpus, cpu);
    fs::create_directories(tree.root() / folder);
    const bool off = std::ranges::count(board.off, cpu) > 0;
    if (cpu > 0) tree.put(folder + "online", off ? "0\n" : "1\n");
    if (off || board.cpu_khz.empty()) continue;
    int first = 0;
    for (int cluster : board.clusters)
      if (cluster <= cpu) first = cluster;
    const std::string policy = fmt::format("{}cpufreq/policy{}/", cpus, first);
    tree.link(folder + "cpufreq", fmt::format("../cpufreq/policy{}", first));
    if (fs::exists(tree.root() / policy)) continue;
    tree.put(policy + "scaling_available_frequencies", words(board.cpu_khz));
    tree.put(policy + "scaling_min_freq", fmt::format("{}\n", board.cpu_khz.front()));
    tree.put(policy + "scaling_max_freq", fmt::format("{}\n", board.cpu_cap));
    tree.put(policy + "scaling_cur_freq", fmt::format("{}\n", board.cpu_khz[1]));
    tree.put(policy + "scaling_governor", "schedutil\n");
    tree.put(policy + "scaling_driver", "tegra194\n");
  }
}

inline void put_gpu(const Writer& tree, const Board& board) {
  if (board.gpu_folder.empty()) return;
  const std::string folder = board.gpu_folder + "/";
  tree.put(folder + "available_frequencies", words(board.gpu_hz));
  tree.put(folder + "min_freq", fmt::format("{}\n", board.gpu_hz.front()));
  tree.put(folder + "max_freq", fmt::format("{}\n", board.gpu_cap));
  tree.put(folder + "cur_freq", fmt::format("{}\n", board.gpu_hz.front()));
  tree.put(folder + "governor", "nvhost_podgov\n");
  if (!board.gpu_link.empty()) {
    const fs::path from = fs::path(board.gpu_link).parent_path();
    tree.link(board.gpu_link, fs::path(board.gpu_folder).lexically_relative(from).string());
  }
  if (!board.load.empty()) tree.put(board.load, "330\n");
}

inline void put_memory(const Writer& tree, const Board& board) {
  if (board.emc_cap >= 0) tree.put(board.cap_file, fmt::format("{}\n", board.emc_cap));
  const std::string debug = "sys/kernel/debug/";
  std::vector<long> hz;
  for (long khz : board.emc_khz) hz.push_back(khz * 1000);
  if (board.memory == Memory::override_clk) {
    tree.put(debug + "clk/override.emc/clk_rate", fmt::format("{}\n", hz.back()));
    tree.put(debug + "clk/override.emc/clk_state", "0\n");
    tree.put(debug + "clk/override.emc/clk_possible_rates", words(board.emc_khz));
  } else if (board.memory != Memory::none) {
    const std::string clk = debug + "bpmp/debug/clk/emc/";
    tree.put(clk + "rate", fmt::format("{}\n", hz.front()));
    tree.put(clk + "min_rate", fmt::format("{}\n", hz.front()));
    tree.put(clk + "max_rate", fmt::format("{}\n", hz.back()));
    tree.put(clk + "mrq_rate_locked", "0\n");
    tree.put(clk + "state", "1\n");
    if (board.memory == Memory::bpmp_khz)
      tree.put(debug + "bpmp/debug/emc/possible_rates", words(board.emc_khz));
    else
      tree.put(clk + "possible_rates", words(hz));
  }
}

inline void put_rails(const Writer& tree, const Board& board) {
  std::map<std::string, int> channels;
  int hwmon = 1;
  for (const Rail& rail : board.rails) {
    const int k = channels[rail.chip]++;
    const long mw = static_cast<long>(rail.mv) * rail.ma / 1000;
    if (board.layout == Rails::iio) {
      const std::string folder =
          fmt::format("sys/bus/i2c/drivers/ina3221x/{}/iio:device0/", rail.chip);
      tree.put(folder + fmt::format("rail_name_{}", k), rail.name + "\n");
      tree.put(folder + fmt::format("in_voltage{}_input", k), fmt::format("{}\n", rail.mv));
      tree.put(folder + fmt::format("in_current{}_input", k), fmt::format("{}\n", rail.ma));
      tree.put(folder + fmt::format("in_power{}_input", k), fmt::format("{}\n", mw));
    } else if (board.layout == Rails::hwmon) {
      const std::string folder = fmt::format("sys/bus/i2c/drivers/ina3221/{}/hwmon/hwmon{}/",
                                             rail.chip, rail.chip.back() == '1' ? 4 : 3);
      tree.put(folder + fmt::format("in{}_label", k + 1), rail.name + "\n");
      tree.put(folder + fmt::format("in{}_input", k + 1), fmt::format("{}\n", rail.mv));
      tree.put(folder + fmt::format("curr{}_input", k + 1), fmt::format("{}\n", rail.ma));
      tree.put(folder + "in7_label", "sum of shunt voltages\n");
      tree.put(folder + "update_interval", "52\n");
    } else {
      const std::string folder = fmt::format("sys/class/hwmon/hwmon{}/", hwmon++);
      tree.put(folder + "name", "ina238\n");
      tree.put(folder + "label", rail.name + "\n");
      tree.put(folder + "power1_input", fmt::format("{}\n", mw * 1000));
    }
  }
}

inline void put_surroundings(const Writer& tree, const Board& board) {
  if (!board.compatible.empty()) {
    std::string entries = board.compatible + "|";
    std::ranges::replace(entries, '|', '\0');
    tree.put("proc/device-tree/compatible", entries);
    tree.put("proc/device-tree/model", board.model + std::string(1, '\0'));
  } else {
    tree.put("proc/cpuinfo", "processor : 0\nmodel name : " + board.model + "\n");
  }
  tree.put("proc/meminfo", "MemTotal: 32000000 kB\nMemAvailable: 20000000 kB\n");
  tree.put("proc/stat", "cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 10 0 10 100 0 0 0 0 0 0\n");
  if (!board.release.empty()) tree.put("etc/nv_tegra_release", board.release);
  tree.put("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
  tree.put("sys/class/thermal/thermal_zone0/temp", "48500\n");
  if (board.fan == "pwm-fan") {
    tree.put("sys/devices/pwm-fan/target_pwm", "120\n");
  } else if (!board.fan.empty()) {
    tree.put(board.fan + "/name", "pwmfan\n");
    tree.put(board.fan + "/pwm1", "88\n");
  }
  if (!board.nvpmodel.empty()) tree.put("etc/nvpmodel.conf", board.nvpmodel);
  if (!board.status.empty()) tree.put("var/lib/nvpmodel/status", board.status);
}

/// A conf as JetPack 5 has it: an argument of the CPU for each cluster.
struct ModeText {
  int id;
  std::string name;
  int cores;
  long cpu_khz, gpu_hz, emc_hz;  ///< -1: highest
};
inline std::string nvpmodel_text(const Board& board, const std::string& cpu,
                                 const std::vector<ModeText>& modes, int standard) {
  std::string text = "# written for tests\n< PARAM TYPE=FILE NAME=CPU_ONLINE >\n";
  for (int n = 0; n < board.cores; ++n)
    text += fmt::format("CORE_{} /sys/devices/system/cpu/cpu{}/online\n", n, n);
  for (size_t c = 0; c < board.clusters.size(); ++c)
    text += fmt::format(
        "< PARAM TYPE=FILE NAME={0}{1} >\nFREQ_TABLE {2}scaling_available_frequencies\n"
        "MAX_FREQ {2}scaling_max_freq\nMIN_FREQ {2}scaling_min_freq\n",
        cpu, c, fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/", board.clusters[c]));
  text += fmt::format(
      "<PARAM TYPE=FILE NAME=GPU>\nMAX_FREQ /{0}/max_freq\nMIN_FREQ /{0}/min_freq\n"
      "< PARAM TYPE=FILE NAME=TPC_POWER_GATING >\nTPC_PG_MASK /sys/devices/gpu.0/tpc_pg_mask\n"
      "< PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ /{1}\n\n",
      board.gpu_folder, board.cap_file);
  for (const ModeText& mode : modes) {
    text += fmt::format("< POWER_MODEL ID={} NAME={} >\n", mode.id, mode.name);
    for (int n = 0; n < board.cores; ++n)
      text += fmt::format("CPU_ONLINE CORE_{} {}\n", n, n < mode.cores ? 1 : 0);
    text += "TPC_POWER_GATING TPC_PG_MASK 0\n";
    for (size_t c = 0; c < board.clusters.size(); ++c)
      text += fmt::format("{0}{1} MIN_FREQ 0\n{0}{1} MAX_FREQ {2}\n", cpu, c, mode.cpu_khz);
    text += fmt::format("GPU MIN_FREQ 0\nGPU MAX_FREQ {}\nEMC MAX_FREQ {}\n\n", mode.gpu_hz,
                        mode.emc_hz);
  }
  return text + fmt::format("< PM_CONFIG DEFAULT={} >\n", standard);
}

inline Board orin(const std::string& kind, const std::string& release, const std::string& gpu,
                  const std::string& gpu_link) {
  Board b{.kind = kind};
  b.release = release;
  b.gpu_folder = gpu;
  b.gpu_link = gpu_link;
  b.load = "sys/devices/platform/gpu.0/load";
  b.memory = Memory::bpmp_khz;
  b.emc_khz = {204000, 665600, 2133000, 3199000};
  b.emc_cap = 0;
  b.cap_file = release.starts_with("# R35") ? "sys/kernel/nvpmodel_emc_cap/emc_iso_cap"
                                            : "sys/kernel/nvpmodel_clk_cap/emc";
  b.layout = Rails::hwmon;
  b.fan = "sys/class/hwmon/hwmon9";
  return b;
}
inline const std::string jp4 = "# R32 (release), REVISION: 7.1, GCID: 1, BOARD: t210ref\n",
                         jp5 = "# R35 (release), REVISION: 3.1, GCID: 1, BOARD: t186ref\n",
                         jp6 = "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic\n",
                         jp7 = "# R38 (release), REVISION: 2.0, GCID: 1, BOARD: generic\n";
inline const std::string ga10b = "sys/devices/17000000.ga10b/devfreq/17000000.ga10b",
                         jp6_gpu = "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu",
                         jp6_link = "sys/devices/platform/17000000.gpu/devfreq_dev";

inline Board agx_orin(const std::string& kind, const std::string& release, const std::string& gpu,
                      const std::string& link) {
  Board b = orin(kind, release, gpu, link);
  b.model = "NVIDIA Jetson AGX Orin Developer Kit";
  b.compatible = "nvidia,p3737-0000+p3701-0005|nvidia,p3701-0005|nvidia,tegra234";
  b.cores = 12;
  b.clusters = {0, 4, 8};
  b.cpu_khz = steps(115200, 76800, 2188800, {2201600});
  b.gpu_hz = steps(306000000, 102000000, 1224000000, {1300500000});
  b.cpu_cap = 2201600;
  b.gpu_cap = 1300500000;
  b.rails = {{"1-0040", "VDD_GPU_SOC", 19000, 300},    {"1-0040", "VDD_CPU_CV", 19000, 100},
             {"1-0040", "VIN_SYS_5V0", 5000, 800},     {"1-0041", "NC", 0, 0},
             {"1-0041", "VDDQ_VDD2_1V8AO", 5000, 140}, {"1-0041", "NC", 0, 0}};
  b.nvpmodel = nvpmodel_text(b, "CPU_A78_",
                             {{0, "MAXN", 12, -1, -1, 0},
                              {1, "15W", 4, 1113600, 408000000, 2133000000},
                              {2, "30W", 8, 1728000, 612000000, 0},
                              {3, "50W", 12, 1497600, 816000000, 0}},
                             2);
  b.status = "pmode:0000 fmode:quiet\n";
  return b;
}

inline Board xavier(const std::string& kind, int cores) {
  Board b{.kind = kind};
  b.release = jp4;
  b.cores = cores;
  for (int first = 0; first < cores; first += 2) b.clusters.push_back(first);
  b.gpu_folder = "sys/devices/17000000.gv11b/devfreq/17000000.gv11b";
  b.load = "sys/devices/gpu.0/load";
  b.memory = Memory::bpmp_hz_beside;
  b.emc_cap = 0;
  b.cap_file = "sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  b.layout = Rails::iio;
  b.fan = "pwm-fan";
  return b;
}

inline std::vector<Board> boards() {
  std::vector<Board> all;
  Board nano{
      .kind = "nano_jp4",
      .model = "NVIDIA Jetson Nano Developer Kit",
      .compatible = "nvidia,p3449-0000-b00+p3448-0000-b00|nvidia,jetson-nano|nvidia,tegra210",
      .release = jp4,
      .cores = 4,
      .clusters = {0}};
  nano.cpu_khz = {102000, 204000,  307200,  403200,  518400,  614400,  710400, 825600,
                  921600, 1036800, 1132800, 1224000, 1326000, 1428000, 1479000};
  nano.gpu_hz = steps(76800000, 76800000, 921600000);
  nano.emc_khz = {40800, 68000, 102000, 204000, 408000, 665600, 800000, 1065600, 1331200, 1600000};
  nano.cpu_cap = 1479000;
  nano.gpu_cap = 921600000;
  nano.emc_cap = 0;
  nano.gpu_folder = "sys/devices/57000000.gpu/devfreq/57000000.gpu";
  nano.load = "sys/devices/gpu.0/load";
  nano.cap_file = "sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  nano.fan = "pwm-fan";
  nano.memory = Memory::override_clk;
  nano.layout = Rails::iio;
  nano.rails = {{"6-0040", "POM_5V_IN", 5000, 400},
                {"6-0040", "POM_5V_GPU", 5000, 20},
                {"6-0040", "POM_5V_CPU", 5000, 60}};
  nano.nvpmodel =
      nvpmodel_text(nano, "CPU_A57_",
                    {{0, "MAXN", 4, -1, -1, 0}, {1, "5W", 2, 918000, 640000000, 1600000000}}, 0);
  nano.status = "pmode:0000 fmode:fanNull\n";
  all.push_back(nano);

  Board tx2{.kind = "tx2_jp4",
            .model = "quill",
            .compatible = "nvidia,p2597-0000+p3310-1000|nvidia,p3310-1000|nvidia,tegra186",
            .release = jp4,
            .cores = 6,
            .clusters = {0, 1, 3},
            .off = {1, 2}};
  tx2.cpu_khz = steps(345600, 153600, 2035200);
  tx2.gpu_hz = steps(114750000, 102000000, 1236750000, {1300500000});
  tx2.emc_khz = {204000, 408000, 665600, 800000, 1065600, 1331200, 1600000, 1866000};
  tx2.cpu_cap = 2035200;
  tx2.gpu_cap = 1122000000;
  tx2.emc_cap = 0;
  tx2.gpu_folder = "sys/devices/17000000.gp10b/devfreq/17000000.gp10b";
  tx2.load = "sys/devices/gpu.0/load";
  tx2.cap_file = "sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  tx2.fan = "pwm-fan";
  tx2.memory = Memory::bpmp_khz;
  tx2.layout = Rails::iio;
  tx2.rails = {{"0-0040", "VDD_SYS_GPU", 19000, 20}, {"0-0040", "VDD_SYS_SOC", 19000, 30},
               {"0-0040", "VDD_4V0_WIFI", 4000, 10}, {"0-0041", "VDD_IN", 19000, 200},
               {"0-0041", "VDD_SYS_CPU", 19000, 25}, {"0-0041", "VDD_SYS_DDR", 19000, 50}};
  all.push_back(tx2);

  Board nx = xavier("xavier_nx_jp4", 6);
  nx.model = "NVIDIA Jetson Xavier NX Developer Kit";
  nx.compatible = "nvidia,p3509-0000+p3668-0000|nvidia,p3668-0000|nvidia,tegra194";
  nx.cpu_khz = steps(115200, 76800, 1881600, {1907200});
  nx.gpu_hz = {114750000, 204000000, 306000000,  408000000,  510000000,
               599250000, 701250000, 752250000,  803250000,  854250000,
               905250000, 956250000, 1007250000, 1058250000, 1109250000};
  nx.emc_khz = {204000, 408000, 665600, 800000, 1065600, 1331200, 1600000};
  nx.cpu_cap = 1420800;
  nx.gpu_cap = 1109250000;
  nx.rails = {{"7-0040", "VDD_IN", 5000, 900},
              {"7-0040", "VDD_CPU_GPU_CV", 5000, 300},
              {"7-0040", "VDD_SOC", 5000, 200}};
  all.push_back(nx);

  Board agx = xavier("xavier_agx_jp4", 8);
  agx.model = "Jetson-AGX";
  agx.compatible = "nvidia,p2972-0000|nvidia,tegra194";
  agx.cpu_khz = steps(115200, 76800, 2188800, {2265600});
  agx.gpu_hz = {114750000, 216750000, 318750000,  420750000,  522750000,  624750000,  675750000,
                828750000, 905250000, 1032750000, 1198500000, 1236750000, 1338750000, 1377000000};
  agx.emc_khz = {204000, 408000, 665600, 800000, 1065600, 1331200, 1600000, 1866000, 2133000};
  agx.cpu_cap = 2265600;
  agx.gpu_cap = 1377000000;
  agx.rails = {{"1-0040", "GPU", 19000, 50},   {"1-0040", "CPU", 19000, 40},
               {"1-0040", "SOC", 19000, 60},   {"1-0041", "CV", 19000, 1},
               {"1-0041", "VDDRQ", 19000, 30}, {"1-0041", "SYS5V", 5000, 400}};
  agx.nvpmodel = nvpmodel_text(agx, "CPU_DENVER_",
                               {{0, "MAXN", 8, -1, -1, 0},
                                {1, "MODE_10W", 2, 1200000, 520000000, 1065600000},
                                {2, "MODE_15W", 4, 1200000, 670000000, 1331200000},
                                {3, "MODE_30W_ALL", 8, 1200000, 900000000, 1600000000}},
                               2);
  agx.status = "pmode:0000 fmode:fanNull\n";
  all.push_back(agx);

  all.push_back(agx_orin("orin_agx_jp5", jp5, ga10b, ""));
  all.push_back(agx_orin("orin_agx_jp6", jp6, jp6_gpu, jp6_link));

  Board orin_nx = orin("orin_nx_jp6", jp6, jp6_gpu, jp6_link);
  orin_nx.model = "NVIDIA Jetson Orin NX Engineering Reference Developer Kit";
  orin_nx.compatible = "nvidia,p3768-0000+p3767-0000|nvidia,p3767-0000|nvidia,tegra234";
  orin_nx.cores = 8;
  orin_nx.clusters = {0, 4};
  orin_nx.cpu_khz = steps(115200, 76800, 1958400, {1984000});
  orin_nx.gpu_hz = steps(306000000, 102000000, 918000000);
  orin_nx.cpu_cap = 1984000;
  orin_nx.gpu_cap = 918000000;
  orin_nx.rails = {{"1-0040", "VDD_IN", 5000, 1200},
                   {"1-0040", "VDD_CPU_GPU_CV", 5000, 400},
                   {"1-0040", "VDD_SOC", 5000, 250}};
  all.push_back(orin_nx);

  for (const bool super : {false, true}) {
    Board b = super ? orin("orin_nano_jp6_super", jp6, jp6_gpu, jp6_link)
                    : orin("orin_nano_jp5", jp5, ga10b, "");
    b.model = super ? "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super"
                    : "NVIDIA Orin Nano Developer Kit";
    b.compatible = "nvidia,p3768-0000+p3767-0005|nvidia,p3767-0005|nvidia,tegra234";
    b.cores = 6;
    b.clusters = {0, 4};
    b.cpu_khz =
        super ? steps(115200, 76800, 1651200, {1728000}) : steps(115200, 76800, 1497600, {1510400});
    b.gpu_hz = super ? steps(306000000, 102000000, 1020000000)
                     : std::vector<long>{306000000, 408000000, 510000000, 612000000, 624750000};
    if (!super) b.emc_khz = {204000, 665600, 2133000};
    b.cpu_cap = b.cpu_khz.back();
    b.gpu_cap = b.gpu_hz.back();
    b.rails = {{"1-0040", "VDD_IN", 5000, 940},
               {"1-0040", "VDD_CPU_GPU_CV", 5000, 130},
               {"1-0040", "VDD_SOC", 5000, 280}};
    b.nvpmodel = nvpmodel_text(
        b, "CPU_A78_", {{0, "15W", 6, -1, -1, 0}, {1, "7W", 4, 960000, 408000000, 2133000000}}, 0);
    b.status = "pmode:0000 fmode:quiet\n";
    all.push_back(b);
  }

  all.push_back(agx_orin("orin_agx_jp7", jp7, jp6_gpu, jp6_link));

  Board thor{.kind = "thor_jp7",
             .model = "NVIDIA Jetson AGX Thor Developer Kit",
             .compatible = "nvidia,thor",
             .release = jp7,
             .cores = 14,
             .clusters = {0}};
  thor.cpu_khz = steps(108000, 108000, 2592000, {2601000});
  thor.cpu_cap = 2601000;
  thor.layout = Rails::ina238;
  thor.rails = {{"", "VDD_GPU", 1000, 5000}, {"", "VDD_CPU_SOC_MSS", 1000, 4000}};
  all.push_back(thor);

  Board rpi{.kind = "rpi5",
            .model = "Raspberry Pi 5 Model B Rev 1.0",
            .compatible = "raspberrypi,5-model-b|brcm,bcm2712",
            .cores = 4,
            .clusters = {0}};
  rpi.cpu_khz = steps(1500000, 100000, 2400000);
  rpi.cpu_cap = 2400000;
  all.push_back(rpi);

  Board pc{.kind = "pc_rapl", .model = "Some CPU @ 3.00GHz", .cores = 8};
  for (int n = 0; n < 8; ++n) pc.clusters.push_back(n);
  pc.cpu_khz = {1100000, 2200000, 3000000};
  pc.cpu_cap = 3000000;
  all.push_back(pc);
  all.push_back(pc);
  all.back().kind = "pc_gpus";
  all.push_back({.kind = "vm", .model = "Virtual CPU", .cores = 2, .clusters = {0}});
  return all;
}

inline const Board& board_of(const std::string& kind) {
  static const std::vector<Board> all = boards();
  const auto found = std::ranges::find(all, kind, &Board::kind);
  if (found == all.end()) throw std::invalid_argument("no tree of " + kind);
  return *found;
}

/// Writes the tree of one of boards() below `root`.
inline void write_tree(const std::string& kind, const fs::path& root) {
  const Board& board = board_of(kind);
  const Writer tree(root);
  put_surroundings(tree, board);
  put_cpus(tree, board);
  put_gpu(tree, board);
  put_memory(tree, board);
  put_rails(tree, board);
  if (kind.starts_with("pc_")) {
    const std::string rapl = "sys/class/powercap/intel-rapl:0/";
    tree.put(rapl + "name", "package-0\n");
    tree.put(rapl + "energy_uj", "123456789\n");
    tree.put(rapl + "max_energy_range_uj", "262143328850\n");
  }
  if (kind == "vm") tree.put("sys/class/dmi/id/sys_vendor", "QEMU\n");
}

enum class Broken { unreadable, empty, nonsense };  // unreadable: a folder in its place
inline void break_file(const fs::path& file, Broken how) {
  fs::remove(file);
  if (how == Broken::unreadable)
    fs::create_directory(file);
  else
    std::ofstream(file, std::ios::binary)
        << (how == Broken::empty ? std::string()
                                 : std::string("\x01\xff nonsense -9e99 \0 nan", 23));
}
/// The upper half of the cores goes off, as hotplug does it: their clusters' clocks vanish.
inline void half_offline(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  int count = 0;
  while (fs::exists(cpus / fmt::format("cpu{}", count))) ++count;
  for (int cpu = count / 2; cpu < count; ++cpu) {
    const fs::path folder = cpus / fmt::format("cpu{}", cpu);
    std::ofstream(folder / "online") << "0\n";
    fs::remove(folder / "cpufreq");
    fs::remove_all(cpus / fmt::format("cpufreq/policy{}", cpu));
  }
}

}  // namespace flyball::trees
