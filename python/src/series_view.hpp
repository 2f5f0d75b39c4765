// One series of NumPy's, as the library sees it.
#pragma once

#include "arrays.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo::python {

/// Of an array (channels, time), which has to outlive it.
inline SeriesView<const double> series_view(const Array<double>& series) {
  return {series.data(), extent(series, 0), extent(series, 1)};
}

}  // namespace diffeo::python
