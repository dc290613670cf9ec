#include "periodic_operand.hpp"

#include <algorithm>

#include "tests/engine/random.hpp"

namespace sgemm_shim::testing {

PeriodicOperand::PeriodicOperand(std::int64_t count, std::vector<float> pattern)
    : memory_(static_cast<std::size_t>(count)), pattern_(std::move(pattern)) {
    std::size_t filled = std::min(memory_.size(), pattern_.size());
    memory_.upload(std::span<const float>(pattern_).first(filled));
    // What is there is doubled until it fills the memory: it is always a whole number of periods.
    while (filled < memory_.size()) {
        const std::size_t next = std::min(filled, memory_.size() - filled);
        check_cuda(cudaMemcpy(memory_.data() + filled, memory_.data(), next * sizeof(float),
                              cudaMemcpyDeviceToDevice),
                   "copy");
        filled += next;
    }
    check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "copies");
}

std::vector<float> make_pattern(std::size_t length, std::uint64_t seed,
                                const std::function<float(std::uint64_t)>& make) {
    std::vector<float> pattern(length);
    for (std::size_t i = 0; i < length; ++i) pattern[i] = make(hash(hash(seed) + i));
    return pattern;
}

}  // namespace sgemm_shim::testing
