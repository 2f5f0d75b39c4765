// Fills a FieldTable: crossing times, clocks, preimages of vertices, pieces. O(cells).              (docs/math.md, 3)
//
// The borders of pieces are the vertices (where the source cell changes) and the preimages of vertices (where the
// landing cell changes). Both advance from left to right, so one sweep with two pointers finds all pieces.
//
// Most steps are functions of one cell or one vertex, which a GPU gives to a thread each; the sweeps are not. They
// write what a table points to, and leave the table itself as it is: on a GPU every thread has a copy of its own.
#pragma once

#include <cmath>
#include <limits>

#include "core/kernels/elementary.hpp"
#include "core/kernels/field_table.hpp"
#include "core/rounding.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Velocities below this are taken for 0: their reciprocals would overflow.
inline constexpr double kNegligibleVelocity = 1e-280;

/// A slope is kept this fraction of (largest velocity / cell width) away from 0, so that L and E need no special case
/// at slope 0: the error is far below rounding (docs/math.md, 1.3).
template <class Real>
inline constexpr double kSlopeFloor = sizeof(Real) == 4 ? 0x1p-50 : 0x1p-200;

/// Growth factors up to exp(kGrowthLimit) leave room for the squares that derivatives need in the number range.
template <class Real>
inline constexpr double kGrowthLimit = sizeof(Real) == 4 ? 40.0 : 300.0;

/// exp(kGrowthLimit): a number, because a GPU's exponential may differ in the last place.
template <class Real>
inline constexpr double kLargestGrowth = sizeof(Real) == 4 ? 0x1.a220d397972ebp+57 : 0x1.c05c0a7166b4ap+432;

/// Below this the reciprocal of a slope, or the slope itself, leaves the number range.
template <class Real>
inline constexpr double kSmallestSlope = sizeof(Real) == 4 ? 0x1p-100 : 0x1p-1000;

DIFFEO_INLINE void set_time(FieldTable& table, double time) {
  table.sign = time < 0 ? -1.0 : 1.0;
  table.duration = table.sign * time;
}

template <class Real>
DIFFEO_INLINE void read_velocity(const FieldTable& table, std::size_t j, Real own_velocity) {
  const double velocity = table.sign * static_cast<double>(own_velocity);
  table.velocity[j] = std::fabs(velocity) < kNegligibleVelocity ? 0.0 : velocity;
}

/// What about a cell exceeds the number range of the vector kernels; see needs_care.
inline constexpr double kCareStaying = 1;
inline constexpr double kCareLeaving = 2;
inline constexpr double kCareLanding = 4;

/// Slopes, crossing times and the affine map of those who stay, for the cells [first, first + lanes).
template <class Real, bool kDerivatives, class T>
DIFFEO_INLINE void measure_cells(const FieldTable& table, std::size_t first) {
  const T zero = T{};
  const T one = splat<T>(1);
  const T left = load<T>(table.velocity + first);
  const T right = load<T>(table.velocity + first + 1);
  const T inverse_width = splat<T>(table.grid.inverse_width);
  const T duration = splat<T>(table.duration);

  const T slow = lesser(magnitude(left), magnitude(right));
  const T fast = greater(magnitude(left), magnitude(right));
  const T floor = greater(fast, splat<T>(kNegligibleVelocity)) * splat<T>(kSlopeFloor<Real>) * inverse_width;
  const T exact_slope = (right - left) * inverse_width;
  const T slope = magnitude(exact_slope) < floor ? (exact_slope < zero ? -floor : floor) : exact_slope;
  const T inverse_slope = one / slope;
  store(table.slope + first, slope);
  store(table.inverse_slope + first, inverse_slope);

  // Whole cells are crossed in T = log1p(w) / |s|, from the slower end: docs/math.md, 2.2. The same slope as in the
  // flow inside the cell: the two must agree to the last bits.
  const auto moves = ((left > zero) & (right > zero)) | ((left < zero) & (right < zero));
  const T inverse_slow = one / (moves ? slow : one);
  const T w = lesser(magnitude(slope) * splat<T>(table.grid.width) * inverse_slow, splat<T>(Format<double>::kLargest));
  const LogParts<T> log = log1p_nonnegative<kDerivatives>(w, kDerivatives ? one / (one + w) : w);
  const T crossing = moves ? log.log1p * magnitude(inverse_slope) : splat<T>(kInfinity);
  store(table.crossing + first, crossing);

  // Those who stay: phi = x + v(x) t E(st).
  const T z = slope * duration;
  const T bounded = lesser(z, splat<T>(Format<double>::kExponentLimit));  // nobody reads what lies beyond
  const ExpParts<T> exp = expm1_bounded<kDerivatives>(bounded);
  const auto tiny = magnitude(z) < splat<T>(1e-290);
  store(table.growth + first, exp.exp);
  store(table.gain + first, tiny ? duration : exp.expm1 * inverse_slope);
  if constexpr (kDerivatives) {
    store(table.moment + first, log.moment);
    // t^2 E'(z); where z^2 overflows, its limit 1/s^2.
    const auto contracted = z < splat<T>(-1e150);
    store(table.gain_slope + first, contracted ? inverse_slope * inverse_slope : duration * duration * exp.slope);
  }

  const T limit = splat<T>(kGrowthLimit<Real>);
  const auto leaving_fits = moves ? fast - slow * splat<T>(kLargestGrowth<Real>) : z - limit;
  const T landing = slope * lesser(crossing, duration);
  const auto vanishes = moves & (magnitude(slope) < splat<T>(kSmallestSlope<Real>));
  store(table.care + first, (z > limit ? splat<T>(kCareStaying) : zero) +
                                ((leaving_fits > zero) | vanishes ? splat<T>(kCareLeaving) : zero) +
                                ((landing > limit) | vanishes ? splat<T>(kCareLanding) : zero));
}

/// The outer cells reach to infinity: nobody crosses them.
template <class Real>
DIFFEO_INLINE void open_outer_cells(const FieldTable& table) {
  const std::size_t outer_cells[] = {0, table.grid.cells - 1};
  for (const std::size_t outer : outer_cells) {
    table.crossing[outer] = kInfinity;
    if (table.slope[outer] * table.duration > kGrowthLimit<Real>) {
      table.care[outer] = kCareStaying + kCareLeaving + kCareLanding;
    }
  }
}

template <class Real, bool kDerivatives>
DIFFEO_INLINE void measure_all_cells(const FieldTable& table) {
  constexpr std::size_t kLanes = kLaneCount<double>;
  const std::size_t cells = table.grid.cells;
  std::size_t c = 0;
  if (cells >= kLanes) {
    for (; c + kLanes <= cells; c += kLanes) measure_cells<Real, kDerivatives, DoubleLanes>(table, c);
    if (c < cells) measure_cells<Real, kDerivatives, DoubleLanes>(table, cells - kLanes);
  } else {
    for (; c < cells; ++c) measure_cells<Real, kDerivatives, double>(table, c);
  }
}

/// clock[to] = clock[from] + crossing, with the rounding error kept: differences stay exact over any number of cells.
DIFFEO_INLINE void advance_clock(const FieldTable& table, std::size_t to, std::size_t from, double crossing) {
  const double sum = table.clock[from] + crossing;
  const double added = sum - table.clock[from];
  const double lost = (table.clock[from] - (sum - added)) + (crossing - added);
  table.clock[to] = sum;
  table.clock_remainder[to] = table.clock_remainder[from] + lost;
}
DIFFEO_INLINE void restart_clock(const FieldTable& table, std::size_t vertex) {
  table.clock[vertex] = 0;
  table.clock_remainder[vertex] = 0;
}

/// For every inner vertex that points reach moving right: the cell they come from, and how long they move in it
/// (into scratch).
DIFFEO_INLINE void trace_back_right_movers(const FieldTable& table) {
  std::size_t origin = 0;
  for (std::size_t j = 1; j < table.grid.cells; ++j) {
    if (!(table.velocity[j] > 0)) continue;
    if (table.crossing[j - 1] <= table.duration) {
      advance_clock(table, j, j - 1, table.crossing[j - 1]);
    } else {
      restart_clock(table, j);
      origin = j - 1;
    }
    while (clock_difference(table, j, origin + 1) > table.duration) ++origin;
    table.preimage_cell[j] = static_cast<std::int32_t>(origin);
    table.scratch[j] = table.duration - clock_difference(table, j, origin + 1);
  }
}
DIFFEO_INLINE void trace_back_left_movers(const FieldTable& table) {
  std::size_t origin = table.grid.cells - 1;
  for (std::size_t j = table.grid.cells - 1; j >= 1; --j) {
    if (!(table.velocity[j] < 0)) continue;
    if (table.crossing[j] <= table.duration) {
      advance_clock(table, j, j + 1, table.crossing[j]);
    } else {
      restart_clock(table, j);
      origin = j;
    }
    while (clock_difference(table, j, origin) > table.duration) --origin;
    table.preimage_cell[j] = static_cast<std::int32_t>(origin);
    table.scratch[j] = table.duration - clock_difference(table, j, origin);
  }
}

/// x, or the next number above it; without a branch, as nobody can predict it. x must be finite.
template <class Real>
DIFFEO_INLINE Real next_above_if(bool wanted, Real x) {
  using Bits = typename NumberTraits<Real>::Bits;
  const Real positive_zero = x + Real(0);  // not -0, whose successor in bits is a negative number
  const Bits step = positive_zero < 0 ? ~Bits{0} : Bits{1};
  return bits_as<Real>(static_cast<Bits>(bits_as<Bits>(positive_zero) + (wanted ? step : Bits{0})));
}

/// How far from the border of an outer cell points start that arrive at it after exp(z) overflows: in two factors.
DIFFEO_INLINE double far_outside(double border_speed, double inverse_slope, double z) {
  const double half = std::exp(0.5 * z);
  return border_speed * inverse_slope * half * half;
}

/// The least number in the precision of the points that is not below vertex + offset: rounding must not take a point
/// out of its piece, least of all a vertex.
template <class Real>
DIFFEO_INLINE double at_least(double vertex, double offset) {
  const double sum = vertex + offset;
  const double added = sum - vertex;
  const double lost = (vertex - (sum - added)) + (offset - added);
  const double rounded = rounded_to<Real>(sum);
  const bool below = rounded < sum || (rounded == sum && lost > 0);
  return static_cast<double>(next_above_if(below, static_cast<Real>(rounded)));
}

/// Where the points start that end at vertex j: backwards from the border of their cell for the time in scratch[j].
/// Measured from the nearer vertex, so that it is exact however close to a repelling vertex it lies
/// (docs/math.md, 3.2).
template <class Real>
DIFFEO_INLINE double preimage_of_vertex(const FieldTable& table, std::size_t j) {
  const auto cell = static_cast<std::size_t>(table.preimage_cell[j]);
  const std::size_t right = table.velocity[j] > 0 ? 1 : 0;
  const std::size_t left = 1 - right;
  const double* vertices = table.grid.vertices;
  const double border = vertices[cell + right];
  const double far = vertices[cell + left];
  const double direction = static_cast<double>(right) - static_cast<double>(left);
  const double border_speed = direction * table.velocity[cell + right];
  const double far_speed = direction * table.velocity[cell + left];
  const double width = table.grid.width;
  const double z = table.preimage[j];
  if (z > 700.0) {
    const double distance = far_outside(border_speed, std::fabs(table.inverse_slope[cell]), z);
    return rounded_to<Real>(border - direction * distance);
  }
  const double seconds = -table.scratch[j] * table.inverse_slope[cell];
  const double from_border = border_speed * seconds;
  const double from_far = width * table.more_scratch[j] - far_speed * seconds;
  const bool near_border = from_border < 0.5 * width;
  const double nearer = near_border ? border : far;
  const double preimage = at_least<Real>(nearer, direction * (near_border ? -from_border : from_far));
  // Also where the distance underflows: a point on a repelling vertex stays, one on the border it leaves through
  // leaves, if there is any time.
  const bool owns_vertex = (right == 0 && table.duration > 0) || far_speed == 0;
  if (owns_vertex && preimage <= vertices[cell]) return next_above_if(true, static_cast<Real>(vertices[cell]));
  return preimage;
}

/// Three steps lead to the preimage of an inner vertex: the exponent (kept where the preimage will be), ...
DIFFEO_INLINE void set_preimage_exponent(const FieldTable& table, std::size_t j) {
  if (table.velocity[j] == 0) {
    table.preimage_cell[j] = static_cast<std::int32_t>(j);
    table.scratch[j] = 0;
  }
  table.preimage[j] = -table.slope[table.preimage_cell[j]] * table.scratch[j];
}
/// ... its exponential, for the vertices [first, first + lanes), ...
template <class T>
DIFFEO_INLINE void raise_preimage_exponents(const FieldTable& table, std::size_t first) {
  const T limit = splat<T>(Format<double>::kExponentLimit);
  const ExpParts<T> exp = expm1_bounded<false>(lesser(load<T>(table.preimage + first), limit));
  store(table.scratch + first, exp.expm1);
  store(table.more_scratch + first, exp.exp);
}
/// ... and the place itself.
template <class Real>
DIFFEO_INLINE void set_preimage(const FieldTable& table, std::size_t j) {
  table.preimage[j] = table.velocity[j] == 0 ? table.grid.vertices[j] : preimage_of_vertex<Real>(table, j);
}

template <class Real>
DIFFEO_INLINE void find_preimages(const FieldTable& table) {
  const std::size_t cells = table.grid.cells;
  for (std::size_t j = 1; j < cells; ++j) set_preimage_exponent(table, j);
  for (std::size_t j = 1; j < cells; j += kLaneCount<double>) {  // arrays are padded by one vector
    raise_preimage_exponents<DoubleLanes>(table, j);
  }
  for (std::size_t j = 1; j < cells; ++j) set_preimage<Real>(table, j);
}

/// Whether the growth inside the source cell, or where the points land, exceeds what the vector kernels can hold.
DIFFEO_INLINE bool needs_care(const FieldTable& table, std::size_t source, std::size_t landing) {
  const auto of_source = static_cast<int>(table.care[source]);
  if (source == landing) return (of_source & static_cast<int>(kCareStaying)) != 0;
  const auto of_landing = static_cast<int>(table.care[landing]);
  return (of_source & static_cast<int>(kCareLeaving)) != 0 || (of_landing & static_cast<int>(kCareLanding)) != 0;
}

DIFFEO_INLINE void add_piece(const FieldTable& table, std::size_t& count, double from, std::size_t source,
                             std::size_t landing, bool outside) {
  Piece& piece = table.pieces[count++];
  piece.from = from;
  piece.source = static_cast<std::int32_t>(source);
  piece.landing = static_cast<std::int32_t>(landing);
  if (outside || needs_care(table, source, landing)) {
    piece.kind = PieceKind::kCareful;
  } else {
    piece.kind = source == landing ? PieceKind::kStay : PieceKind::kCross;
  }
}

/// The piece [from, to) of a cell, split where it leaves the domain.
DIFFEO_INLINE void add_pieces(const FieldTable& table, std::size_t& count, double from, double to, std::size_t source,
                              std::size_t landing) {
  const std::size_t cells = table.grid.cells;
  const double lower = table.grid.vertices[0];
  const double beyond = table.grid.beyond;
  if (!(from < to)) return;
  if (source == 0 && from < lower) {
    add_piece(table, count, from, source, landing, true);
    from = lower;
  }
  if (from < to && from < beyond) {
    add_piece(table, count, from, source, landing, false);
    from = beyond;
  }
  if (source == cells - 1 && from < to) add_piece(table, count, from, source, landing, true);
}

/// Lists them; how many there are.
DIFFEO_INLINE std::size_t find_pieces(const FieldTable& table) {
  const std::size_t cells = table.grid.cells;
  std::size_t count = 0;
  std::size_t next_vertex = 1;  // the next one whose preimage has not been passed
  for (std::size_t c = 0; c < cells; ++c) {
    const double end = c + 1 == cells ? kInfinity : table.grid.vertices[c + 1];
    double from = c == 0 ? -kInfinity : table.grid.vertices[c];
    for (; next_vertex < cells && static_cast<std::size_t>(table.preimage_cell[next_vertex]) == c; ++next_vertex) {
      const double preimage = lesser(table.preimage[next_vertex], end);
      add_pieces(table, count, from, preimage, c, next_vertex - 1);
      from = greater(from, preimage);
    }
    add_pieces(table, count, from, end, c, next_vertex - 1);
  }
  table.pieces[count].from = kInfinity;
  return count;
}

/// The numbers of a vertex and of the cell on its right, as points meet them.
template <class Real>
DIFFEO_INLINE void round_numbers(const PointTable<Real>& table, std::size_t j) {
  table.speed[j] = static_cast<Real>(table.velocity[j]);
  table.rate[j] = static_cast<Real>(table.slope[j]);
  table.inverse_rate[j] = static_cast<Real>(table.inverse_slope[j]);
  table.stay_gain[j] = static_cast<Real>(table.gain[j]);
  table.stay_growth[j] = static_cast<Real>(table.growth[j]);
}

template <class Real>
DIFFEO_INLINE void build_table(PointTable<Real>& table, const Real* velocities, double time, bool derivatives) {
  const std::size_t cells = table.grid.cells;
  set_time(table, time);
  for (std::size_t j = 0; j <= cells; ++j) read_velocity(table, j, velocities[j]);
  if (derivatives) {
    measure_all_cells<Real, true>(table);
  } else {
    measure_all_cells<Real, false>(table);
  }
  open_outer_cells<Real>(table);
  trace_back_right_movers(table);
  trace_back_left_movers(table);
  find_preimages<Real>(table);
  table.piece_count = find_pieces(table);
  for (std::size_t j = 0; j <= cells; ++j) round_numbers(table, j);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
