// Random operands on the GPU: one allocation for the whole run, laid out anew for each problem.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda_resources.hpp"
#include "shape.hpp"

namespace sgemm_bench {

class Operands {
  public:
    /// Holds `bytes` of device memory; see bytes_needed().
    Operands(cudaStream_t stream, std::size_t bytes);

    static std::size_t bytes_needed(const Problem& problem, std::int64_t rotations);

    /// Lays out `rotations` copies of A, B and C, and one C for reference, and fills all of them with numbers
    /// between -1 and 1, the same for the same problem. Padding is filled too. Makes the arrays of pointers
    /// of a problem that has them.
    void prepare(const Problem& problem, std::int64_t rotations);

    const float* a(std::int64_t rotation) const { return a_.at(rotation); }
    const float* b(std::int64_t rotation) const { return b_.at(rotation); }
    float* c(std::int64_t rotation) const { return c_.at(rotation); }
    float* reference() const { return reference_.at(0); }

    /// The same as device arrays with a pointer to each matrix.
    const float* const* a_pointers(std::int64_t rotation) const { return a_.pointers_at(rotation); }
    const float* const* b_pointers(std::int64_t rotation) const { return b_.pointers_at(rotation); }
    float* const* c_pointers(std::int64_t rotation) const { return c_.pointers_at(rotation); }
    float* const* reference_pointers() const { return reference_.pointers_at(0); }

    /// Fills the first C or the reference for a check: with NaN where beta = 0 must overwrite it, otherwise
    /// with the same random numbers.
    void reset_c(const Problem& problem, float* c);

    /// Copies a sample of a C to the host: all of it while it is small, otherwise evenly spaced columns, at
    /// least one in 31, so that no tile of a kernel is left out. Where matrices do not lie one behind the
    /// other, these columns of at most 4096 of them.
    void sample(const Problem& problem, const float* c, std::vector<float>& host) const;

  private:
    struct Region {
        float* first = nullptr;
        std::int64_t spacing = 0;
        float** pointers = nullptr;  ///< in device memory: those of each copy in turn
        std::int64_t batch = 0;

        float* at(std::int64_t rotation) const { return first + rotation * spacing; }
        float** pointers_at(std::int64_t rotation) const { return pointers + rotation * batch; }
    };

    void make_pointers(const Problem& problem, std::int64_t rotations);

    void fill(float* to, std::int64_t elements, std::size_t pool);

    cudaStream_t stream_;
    DeviceMemory memory_;
    /// Random numbers for A, B and C. Different ones, or sums over k would meet aligned copies of the same
    /// numbers.
    std::array<DeviceMemory, 3> pools_;
    DeviceMemory pointers_;
    Region a_, b_, c_, reference_;
};

}  // namespace sgemm_bench
