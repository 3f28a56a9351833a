// The single looks of the doctor, by what they need: files under a root, or the running kernel.
#pragma once

#include <filesystem>
#include <vector>

#include "device/doctor/doctor.h"

namespace flyball {

/// Is this a virtual machine, and whose? "" for bare metal (or for what hides it well).
std::string virtual_machine(const std::filesystem::path& root);

Capability check_bare_metal(const std::filesystem::path& root);
std::vector<Capability> check_power(const std::filesystem::path& root);
std::vector<Capability> check_cpu(const std::filesystem::path& root);
std::vector<Capability> check_memory_and_disks(const std::filesystem::path& root);
Capability check_sessions(const std::filesystem::path& root);
std::vector<Capability> check_kernel();
std::vector<Capability> check_cuda();

}  // namespace flyball
