#include "device/doctor/machine_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/files.h"
#include "base/text.h"
#include "device/measuring.h"
#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/ina3221.h"
#include "telemetry/sensors/nvidia.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/rapl.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using State = Capability::State;

// First line of a file, or "".
std::string first_line(const fs::path& path) {
  const auto text = read_file(path, 1 << 20);
  if (!text) return "";
  const std::string line(text->c_str());  // device tree texts end with a zero byte
  return std::string(trim(line.substr(0, line.find('\n'))));
}

Capability from_list(const std::string& name, const std::string& purpose, const SensorList& list) {
  Capability c{name, purpose, State::missing, "", ""};
  std::vector<std::string> names;
  for (const SensorPtr& sensor : list.sensors) names.push_back(sensor->info().name);
  const bool power = measures_power(list);  // clocks and throttling alone are none
  if (power) c.state = State::available;
  c.value = join(names, ", ");
  for (const Error& gap : list.gaps) {
    if (!power && gap.code == Code::permission) c.state = State::no_permission;
    c.value += (c.value.empty() ? "" : "; ") + gap.message;
    if (!gap.hint.empty()) c.remedy += (c.remedy.empty() ? "" : "; ") + gap.hint;
  }
  return c;
}

bool writable(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Capability file_to_write(std::string name, std::string purpose, const fs::path& file,
                         std::string there, std::string absent, std::string absent_remedy) {
  Capability c{std::move(name), std::move(purpose), State::available, std::move(there), ""};
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    c.state = State::missing;
    c.value = std::move(absent);
    c.remedy = std::move(absent_remedy);
  } else if (!writable(file)) {
    c.state = State::no_permission;
    c.value = file.string() + " is not writable";
    c.remedy = "run as root";
  }
  return c;
}

std::string describe_disk(const fs::path& root, const std::string& name) {
  const fs::path folder = root / "sys/block" / name;
  std::string text = name;
  if (const std::string model = first_line(folder / "device/model"); !model.empty())
    text += " " + model;
  if (const auto sectors = parse_double(first_line(folder / "size")))
    text += fmt::format(" {:.0f} GB", *sectors * 512e-9);
  const bool spinning = first_line(folder / "queue/rotational") == "1";
  return text + (spinning ? " (rotational, as the kernel says)" : " (solid state)");
}

}  // namespace

std::string virtual_machine(const fs::path& root) {
  const std::string product = first_line(root / "sys/class/dmi/id/product_name");
  const std::string vendor = first_line(root / "sys/class/dmi/id/sys_vendor");
  for (const auto& [mark, title] : {std::pair{"KVM", "KVM"},
                                    {"QEMU", "QEMU"},
                                    {"VMware", "VMware"},
                                    {"VirtualBox", "VirtualBox"},
                                    {"Virtual Machine", "Hyper-V"},
                                    {"Amazon EC2", "Amazon EC2"},
                                    {"Google Compute Engine", "Google Compute Engine"},
                                    {"Xen", "Xen"}})
    if ((vendor + " " + product).find(mark) != std::string::npos &&
        product.find("metal") == std::string::npos)
      return title;
  if (const std::string type = first_line(root / "sys/hypervisor/type"); !type.empty()) return type;
  const auto cpuinfo = read_file(root / "proc/cpuinfo", 1 << 24);
  if (cpuinfo)
    for (const std::string& line : split(*cpuinfo, '\n'))
      if (line.starts_with("flags") && (line + " ").find(" hypervisor ") != std::string::npos)
        return "unnamed hypervisor";
  return "";
}

Capability check_bare_metal(const fs::path& root) {
  Capability c{"bare metal", "power sensors, clocks and performance counters", State::available,
               "no sign of a hypervisor", ""};
  const std::string hypervisor = virtual_machine(root);
  if (hypervisor.empty()) return c;
  c.state = State::missing;
  c.value = "a virtual machine (" + hypervisor + ")";
  c.remedy = "virtual machines hide power and clocks: measure on the machine itself";
  return c;
}

std::vector<Capability> check_power(const fs::path& root) {
  std::vector<Capability> all{
      from_list("power: RAPL", "energy of x86 processors", open_rapl(root)),
      from_list("power: INA3221 rails", "power of Jetson modules", open_ina3221(root))};
  if (const SensorList told = open_firmware_tool(root); !told.sensors.empty() || !told.gaps.empty())
    all.push_back(
        from_list("power: firmware", "power and throttling, as the firmware tells them", told));
  // The library speaks of the machine that runs us, whatever tree was recorded.
  if (root == "/")
    all.push_back(from_list("power: NVIDIA", "energy, clocks and throttling of NVIDIA GPUs",
                            open_nvidia({.visible = visible_gpus()})));
  return all;
}

std::vector<Capability> check_cpu(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  std::vector<Capability> all;
  Capability read{"CPU clocks: read", "to see whether a pinned clock is kept", State::missing,
                  "this kernel has no cpufreq",
                  "virtual machines have none; on hardware load the "
                  "cpufreq driver"};
  if (const std::string khz = first_line(cpu / "cpu0/cpufreq/scaling_cur_freq"); !khz.empty()) {
    read.state = State::available;
    read.value = fmt::format("cpu0 at {:.0f} MHz, driver {}", parse_double(khz).value_or(0) / 1000,
                             first_line(cpu / "cpu0/cpufreq/scaling_driver"));
    read.remedy.clear();
  }
  all.push_back(read);
  const std::string list = first_line(cpu / "cpu0/cpufreq/scaling_available_frequencies");
  all.push_back(file_to_write(
      "CPU clocks: set", "axis cpu_mhz", cpu / "cpu0/cpufreq/scaling_max_freq",
      list.empty() ? "limits can be set, but the driver lists no steps" : "steps in kHz: " + list,
      "this kernel has no cpufreq", "virtual machines have none"));
  all.push_back(file_to_write(
      "CPU hotplug", "switching cores off (axis cpu_cores on boards)", cpu / "cpu1/online",
      "online: " + first_line(cpu / "online") + " of " + first_line(cpu / "present"),
      "cpu1 cannot be switched off", "a kernel with CONFIG_HOTPLUG_CPU"));
  return all;
}

std::vector<Capability> check_memory_and_disks(const fs::path& root) {
  std::vector<Capability> all;
  Capability pressure{"pressure (PSI)", "which resource a job waits for", State::missing,
                      "no /proc/pressure", "boot with psi=1"};
  if (fs::exists(root / "proc/pressure/io")) {
    pressure.state = State::available;
    pressure.value = "cpu, memory, io";
    pressure.remedy.clear();
  }
  all.push_back(pressure);
  all.push_back(file_to_write(
      "drop page cache", "cold first epochs", root / "proc/sys/vm/drop_caches", "can be dropped",
      "no /proc/sys/vm/drop_caches", "containers hide it: run on the host"));
  std::vector<std::string> disks;
  for (const std::string& name : disk_names(root)) disks.push_back(describe_disk(root, name));
  all.push_back({"storage", "bytes read per epoch",
                 disks.empty() ? State::missing : State::available,
                 disks.empty() ? "no block device is visible" : join(disks, ", "),
                 disks.empty() ? "containers may hide them" : ""});
  const double bytes = memory_bytes(root);
  all.push_back({"memory", "does a dataset fit into the page cache?",
                 bytes > 0 ? State::available : State::missing, format_memory(bytes), ""});
  return all;
}

Capability check_sessions(const fs::path& root) {
  Capability read{"other measurements", "who measures at the same time is refused, or marked",
                  State::available, "of every process of this machine", ""};
  if (unseen_sessions(root).empty()) return read;
  read.state = State::missing;
  read.value = "those of other containers cannot be seen";
  read.remedy =
      "mount /run/flyball-measuring of the host here; `flyball helper install` there makes it";
  return read;
}

}  // namespace flyball
