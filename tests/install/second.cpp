#include <vector>

#include "every_header.hpp"

double moved_by_the_other_source(double point) {
  return diffeo::flow(std::vector<double>{0.0, 0.3, 0.0}, std::vector<double>{point})[0];
}
