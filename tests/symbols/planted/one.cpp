// With two.cpp: every kind of violation that one_definition.py must find, and code that only looks like one.
#include <string>

namespace diffeo::planted {

class Group {
 public:
  int count = 0;
};

template <class T>
struct Pair {
  T first, second;
};

template <>
struct Pair<int> {};

enum class Mode { one, both };

inline int twice(int value) { return 2 * value; }
inline std::string twice(const std::string& value) { return value + value; }

inline constexpr int kLimit = 3;

int three() { return 3; }

struct Shape {
  virtual ~Shape() = default;
};

const Shape* first_shape() {
  static const Shape shape;
  return &shape;
}

namespace {
struct Own {};
inline int own() { return 1; }
}  // namespace

static inline int also_own() { return own() + kLimit + Group().count; }
int use_of_one() { return also_own(); }

}  // namespace diffeo::planted
