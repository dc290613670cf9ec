// Operands too large for the host: a block of numbers repeated over the whole of the device memory, so that
// the host can still name any element.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cuda_objects.hpp"

namespace sgemm_shim::testing {

class PeriodicOperand {
  public:
    /// `count` floats in which element i is pattern[i % pattern.size()].
    PeriodicOperand(std::int64_t count, std::vector<float> pattern);

    const float* data() const { return memory_.data(); }
    float at(std::int64_t index) const {
        return pattern_[static_cast<std::size_t>(index % static_cast<std::int64_t>(pattern_.size()))];
    }

    /// Calls visit(step, value) for `count` elements from `first`, `stride` (not negative) apart.
    template <class Visit>
    void walk(std::int64_t first, std::int64_t stride, std::int64_t count, Visit visit) const {
        const auto period = static_cast<std::int64_t>(pattern_.size());
        std::int64_t place = first % period;
        const std::int64_t step = stride % period;
        for (std::int64_t i = 0; i < count; ++i) {
            visit(i, pattern_[static_cast<std::size_t>(place)]);
            place += step;
            if (place >= period) place -= period;
        }
    }

  private:
    DeviceArray<float> memory_;
    std::vector<float> pattern_;
};

/// `length` numbers drawn by `make(bits)`.
std::vector<float> make_pattern(std::size_t length, std::uint64_t seed,
                                const std::function<float(std::uint64_t bits)>& make);

}  // namespace sgemm_shim::testing
