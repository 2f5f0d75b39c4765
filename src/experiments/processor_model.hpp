// On what processor a result was made: what is trained is the same, to the last bit, on the same kind alone.
#pragma once

#include <istream>
#include <string>

namespace diffeo {

/// Of the machine this runs on, as Linux names it; "unknown" where it names none.
[[nodiscard]] const std::string& processor_model();

/// The model name of the first processor in the text of /proc/cpuinfo; "unknown" if it names none.
[[nodiscard]] std::string processor_model(std::istream& cpuinfo);

}  // namespace diffeo
