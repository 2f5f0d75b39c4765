#include <cstdio>
#include <string_view>
#include <vector>

#include "every_header.hpp"

double moved_by_the_other_source(double point);

int main(int argc, char** argv) {
  const std::vector<double> position = diffeo::flow(std::vector<double>{0.0, 0.3, 0.0}, std::vector<double>{0.5});
  const bool same = position[0] == moved_by_the_other_source(0.5);
  const bool expected = argc == 2 && diffeo::version() == std::string_view(argv[1]);
  std::printf("diffeo %s, 0.5 -> %.17g\n", std::string(diffeo::version()).c_str(), position[0]);
  return same && expected ? 0 : 1;
}
