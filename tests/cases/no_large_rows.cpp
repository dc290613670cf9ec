#include <stdexcept>

#include "engine_rows.hpp"

namespace sgemm_shim::testing {

void run_large_row(const CaseRow&, const Selection&, const Report&) {
    throw std::logic_error("large products run on a GPU only");
}

}  // namespace sgemm_shim::testing
