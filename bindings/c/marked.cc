// The same in C++: marked_cpp MINIBATCHES.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "flyball.hpp"

int main(int argc, char** argv) {
  const int minibatches = argc > 1 ? std::atoi(argv[1]) : 20;
  flyball::Window epoch("epoch");
  for (int i = 0; i < minibatches; ++i) {
    {
      const flyball::Stall stall;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    {
      const flyball::Compute compute;
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    flyball::minibatch();
  }
  try {
    for (const flyball_energy& total : epoch.end())
      std::printf("%s: %g J\n", total.name, total.energy_j);
  } catch (const std::runtime_error& absent) {
    std::printf("%s\n", absent.what());
  }
}
