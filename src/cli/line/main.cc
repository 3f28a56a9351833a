#include "cli/line/application.h"

int main(int argc, char** argv) {
  return flyball::cli::run(argc, argv);
}
