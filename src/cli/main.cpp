#include "cli/run.hpp"

int main(int argc, char** argv) { return diffeo::cli::run(argc, argv); }
