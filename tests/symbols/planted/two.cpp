#include <string>

namespace diffeo {

namespace planted {

struct Group;

class Group final {
 public:
  std::string name;
};

template <class T>
struct Pair {
  T left, right;
};

template <>
struct Pair<double> {};

enum class Mode : char { all };

inline int twice(const int number) { return number + number; }
inline double twice(double value) { return 2 * value; }

inline constexpr int kLimit = 4;

int three() { return 4; }

struct Base {
  virtual ~Base() = default;
};

struct Shape : Base {
  virtual int corners() const { return three(); }
};

const Base* second_shape() {
  static const Shape shape;
  return &shape;
}

namespace {
struct Own {};
inline int own() { return 2; }
}  // namespace

static inline int also_own() { return own() + kLimit + static_cast<int>(Group().name.size()); }
int use_of_two() { return also_own(); }

}  // namespace planted

}  // namespace diffeo
