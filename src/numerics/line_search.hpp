// A step along a direction that satisfies the strong Wolfe conditions (More and Thuente, 1994).
//
//     f(x) <= f(0) + c_1 x f'(0)      and      |f'(x)| <= c_2 |f'(0)|,      f'(0) < 0
//
// The search keeps an interval that holds such a step once one is known to exist, and tries points that cubic and
// quadratic interpolation suggest; safeguards make the interval shrink. It is written as a dialogue: ask for `step()`,
// evaluate there, `tell` the outcome, until `finished()`. Values that are not finite shorten the step.
#pragma once

#include <algorithm>
#include <cmath>

namespace diffeo::numerics {

/// A function of one variable at one point.
struct SlopePoint {
  double step;
  double value;
  double slope;
};

namespace line_search_detail {

/// The root in the formula for the minimizer of the cubic through two points with their slopes; 0 for a cubic without
/// one.
inline double cubic_root(const SlopePoint& a, const SlopePoint& b, double theta) {
  const double scale = std::max({std::fabs(theta), std::fabs(a.slope), std::fabs(b.slope)});
  const double inside = (theta / scale) * (theta / scale) - (a.slope / scale) * (b.slope / scale);
  return scale * std::sqrt(std::max(0.0, inside));
}

inline double cubic_theta(const SlopePoint& a, const SlopePoint& b) {
  return 3 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
}

}  // namespace line_search_detail

class LineSearch {
 public:
  static constexpr double kSufficientDecrease = 1e-3;
  static constexpr double kCurvature = 0.9;
  static constexpr double kNarrow = 1e-6;  // relative width of an interval not worth searching
  static constexpr double kLongest = 1e10;

  LineSearch(double value, double slope, double first_step)
      : start_{0, value, slope}, best_(start_), other_(start_), step_(first_step), highest_(5 * first_step) {}

  [[nodiscard]] double step() const noexcept { return step_; }
  /// No more evaluations: the last step told satisfies the conditions, or nothing better can be found.
  [[nodiscard]] bool finished() const noexcept { return finished_; }

  void tell(double value, double slope) {
    if (!std::isfinite(value) || !std::isfinite(slope)) {
      longest_ = step_;
      step_ = best_.step + 0.1 * (step_ - best_.step);
      return;
    }
    const double slope_limit = kSufficientDecrease * start_.slope;
    const double value_limit = start_.value + step_ * slope_limit;
    if (first_stage_ && value <= value_limit && slope >= 0) first_stage_ = false;
    const bool stuck =
        bracketed_ && (step_ <= lowest_ || step_ >= highest_ || highest_ - lowest_ <= kNarrow * highest_);
    const bool runaway = step_ >= longest_ && value <= value_limit && slope <= slope_limit;
    const bool satisfied = value <= value_limit && std::fabs(slope) <= kCurvature * -start_.slope;
    finished_ = stuck || runaway || satisfied;
    if (finished_) return;
    if (first_stage_ && value <= best_.value && value > value_limit) {
      // Before sufficient decrease: search the function with that line taken off, where a minimizer is sure to exist.
      const auto tilt = [&](SlopePoint& point, double sign) {
        point.value += sign * point.step * slope_limit;
        point.slope += sign * slope_limit;
      };
      SlopePoint current{step_, value, slope};
      for (SlopePoint* point : {&current, &best_, &other_}) tilt(*point, -1);
      choose(current);
      for (SlopePoint* point : {&best_, &other_}) tilt(*point, 1);
    } else {
      choose({step_, value, slope});
    }
    shrink();
  }

 private:
  /// Updates the interval with the point just evaluated and picks the next.
  void choose(const SlopePoint& current) {
    using namespace line_search_detail;
    const double theta = cubic_theta(best_, current);
    const bool opposite = (current.slope < 0) != (best_.slope < 0);
    double next;
    if (current.value > best_.value) {
      double gamma = cubic_root(best_, current, theta);
      if (current.step < best_.step) gamma = -gamma;
      const double ratio = ((gamma - best_.slope) + theta) / (((gamma - best_.slope) + gamma) + current.slope);
      const double span = current.step - best_.step;
      const double cubic = best_.step + ratio * span;
      const double quadratic =
          best_.step + best_.slope / ((best_.value - current.value) / span + best_.slope) / 2 * span;
      next =
          std::fabs(cubic - best_.step) < std::fabs(quadratic - best_.step) ? cubic : cubic + (quadratic - cubic) / 2;
      bracketed_ = true;
    } else if (opposite) {
      double gamma = cubic_root(best_, current, theta);
      if (current.step > best_.step) gamma = -gamma;
      const double ratio = ((gamma - current.slope) + theta) / (((gamma - current.slope) + gamma) + best_.slope);
      const double cubic = current.step + ratio * (best_.step - current.step);
      const double secant = current.step + current.slope / (current.slope - best_.slope) * (best_.step - current.step);
      next = std::fabs(cubic - current.step) > std::fabs(secant - current.step) ? cubic : secant;
      bracketed_ = true;
    } else if (std::fabs(current.slope) < std::fabs(best_.slope)) {
      next = slowing(current, theta);
    } else {
      next = beyond(current);
    }
    if (current.value > best_.value) {
      other_ = current;
    } else {
      if (opposite) other_ = best_;
      best_ = current;
    }
    step_ = next;
  }

  /// The slope keeps its sign and flattens: the cubic may have no minimizer ahead.
  double slowing(const SlopePoint& current, double theta) const {
    using namespace line_search_detail;
    double gamma = cubic_root(best_, current, theta);
    if (current.step > best_.step) gamma = -gamma;
    const double ratio = ((gamma - current.slope) + theta) / ((gamma + (best_.slope - current.slope)) + gamma);
    const double bound = current.step > best_.step ? highest_ : lowest_;
    const double cubic = ratio < 0 && gamma != 0 ? current.step + ratio * (best_.step - current.step) : bound;
    const double secant = current.step + current.slope / (current.slope - best_.slope) * (best_.step - current.step);
    const bool cubic_is_closer = std::fabs(cubic - current.step) < std::fabs(secant - current.step);
    if (!bracketed_) return std::clamp(cubic_is_closer ? secant : cubic, lowest_, highest_);
    const double next = cubic_is_closer ? cubic : secant;
    const double limit = current.step + 0.66 * (other_.step - current.step);
    return current.step > best_.step ? std::min(limit, next) : std::max(limit, next);
  }

  /// The slope keeps its sign and does not flatten.
  double beyond(const SlopePoint& current) const {
    using namespace line_search_detail;
    if (!bracketed_) return current.step > best_.step ? highest_ : lowest_;
    const double theta = cubic_theta(current, other_);
    double gamma = cubic_root(other_, current, theta);
    if (current.step > other_.step) gamma = -gamma;
    const double ratio = ((gamma - current.slope) + theta) / (((gamma - current.slope) + gamma) + other_.slope);
    return current.step + ratio * (other_.step - current.step);
  }

  void shrink() {
    if (bracketed_) {
      if (std::fabs(other_.step - best_.step) >= 0.66 * width_before_) {
        step_ = best_.step + 0.5 * (other_.step - best_.step);
      }
      width_before_ = width_;
      width_ = std::fabs(other_.step - best_.step);
      lowest_ = std::min(best_.step, other_.step);
      highest_ = std::max(best_.step, other_.step);
    } else {
      lowest_ = step_ + 1.1 * (step_ - best_.step);
      highest_ = step_ + 4 * (step_ - best_.step);
    }
    step_ = std::clamp(step_, 0.0, longest_);
    const bool narrow =
        bracketed_ && (step_ <= lowest_ || step_ >= highest_ || highest_ - lowest_ <= kNarrow * highest_);
    if (narrow) step_ = best_.step;
  }

  SlopePoint start_, best_, other_;
  double step_;
  double lowest_ = 0, highest_;
  double longest_ = kLongest;
  double width_ = kLongest, width_before_ = 2 * kLongest;
  bool bracketed_ = false, first_stage_ = true, finished_ = false;
};

}  // namespace diffeo::numerics
