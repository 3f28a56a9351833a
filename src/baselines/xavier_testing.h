// The characterisation study's measured modes of AGX Xavier, retyped from the figures of
// "Characterizing the Performance of Accelerated Jetson Edge Devices for Training DNNs",
// POMACS 6(3), 2022 (arXiv 2509.20160), sections 5.6 and 5.7: read off the vector figures, error
// below 0.5
// %.
#pragma once

#include <array>

namespace flyball::xavier {

/// Power mode: cores, CPU MHz, GPU MHz, memory MHz.
struct Mode {
  char name;
  double cores, cpu_mhz, gpu_mhz, mem_mhz;
};
inline constexpr std::array<Mode, 14> modes = {{
    {'a', 4, 1200, 670, 1333},
    {'b', 8, 1200, 670, 1333},
    {'c', 8, 1200, 900, 1333},
    {'d', 8, 1200, 900, 1600},
    {'e', 8, 2100, 900, 1600},
    {'f', 2, 2100, 900, 1600},
    {'g', 8, 2265, 1377, 2133},
    {'h', 8, 2265, 1377, 1066},
    {'i', 8, 2265, 1377, 1333},
    {'j', 8, 2265, 1377, 1600},
    {'k', 4, 1036, 420, 2133},
    {'l', 8, 1036, 420, 2133},
    {'m', 8, 2265, 420, 2133},
    {'n', 8, 2265, 900, 2133},
}};

/// One epoch after the first, modes a-j in order.
struct Epochs {
  const char* workload;
  std::array<double, 10> stages_s;    ///< stall + compute + overhead (section 5.6)
  std::array<double, 10> e2e_s;       ///< end to end, observed bars of section 5.7
  std::array<double, 10> energy_mwh;  ///< likewise
};
inline constexpr std::array<Epochs, 3> epochs = {{
    {"lenet",
     {78.3, 66.1, 70.2, 68.4, 43.0, 72.5, 35.2, 53.2, 43.6, 40.4},
     {78.1, 66.6, 70.4, 68.7, 43.1, 72.5, 35.2, 53.2, 43.7, 40.2},
     {128, 126, 124, 126, 110, 149, 112, 133, 114, 114}},
    {"resnet18",
     {668.4, 660.4, 518.7, 509.9, 491.8, 514.3, 345.3, 466.3, 396.0, 371.8},
     {668.3, 660.5, 519.0, 510.3, 491.9, 514.4, 345.0, 466.3, 396.0, 372.3},
     {2190, 2206, 2140, 2220, 2327, 2288, 2954, 2961, 2799, 2867}},
    {"mobilenetv3",
     {557.6, 529.1, 469.4, 453.5, 402.4, 476.3, 299.4, 416.1, 354.9, 322.1},
     {557.1, 529.3, 469.6, 454.2, 402.3, 475.9, 299.2, 416.0, 354.9, 322.3},
     {1850, 1972, 1867, 1927, 2017, 2106, 2583, 2630, 2497, 2497}},
}};

/// VGG-11, end-to-end seconds only.
inline constexpr std::array<double, 10> vgg11_e2e_s = {1263.7, 1257.7, 1082.7, 1005.0, 996.7,
                                                       1010.4, 742.6,  869.7,  874.4,  864.8};

}  // namespace flyball::xavier
