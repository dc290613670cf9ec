#include "operands.hpp"

#include <algorithm>

namespace sgemm_bench {
namespace {

/// Prime, so that a period of the random numbers meets no period of the tiles.
constexpr std::int64_t pool_elements = 4194301;
constexpr std::int64_t sample_elements = std::int64_t{1} << 22;
constexpr std::int64_t most_columns_skipped = 31;
constexpr std::int64_t most_matrices_sampled = 4096;

std::vector<float> random_numbers(std::uint32_t seed) {
    std::vector<float> numbers(pool_elements);
    std::uint32_t state = seed;
    for (float& number : numbers) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        number = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
    }
    return numbers;
}

std::size_t bytes(std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(float);
}

std::int64_t region_elements(const Storage& storage, std::int64_t rotations) {
    return storage.spacing() * rotations;
}

}  // namespace

Operands::Operands(cudaStream_t stream, std::size_t size)
    : stream_(stream), memory_(allocate_device_memory(size)) {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        pools_[i] = allocate_device_memory(bytes(pool_elements));
        const std::vector<float> numbers = random_numbers(static_cast<std::uint32_t>(2463534242u + i));
        check(cudaMemcpy(pools_[i].get(), numbers.data(), bytes(pool_elements), cudaMemcpyHostToDevice),
              "cudaMemcpy of random numbers");
    }
}

std::size_t Operands::bytes_needed(const Problem& problem, std::int64_t rotations) {
    return bytes(region_elements(problem.a, rotations) + region_elements(problem.b, rotations) +
                 region_elements(problem.c, rotations) + region_elements(problem.c, 1));
}

void Operands::prepare(const Problem& problem, std::int64_t rotations) {
    float* next = memory_.get();
    const auto lay_out = [&](const Storage& storage, std::int64_t copies, std::size_t pool) {
        float* const start = next;
        next += region_elements(storage, copies);
        fill(start, region_elements(storage, copies), pool);
        return Region{start + storage.misalignment, storage.spacing(), nullptr, storage.batch};
    };
    a_ = lay_out(problem.a, rotations, 0);
    b_ = lay_out(problem.b, rotations, 1);
    c_ = lay_out(problem.c, rotations, 2);
    reference_ = lay_out(problem.c, 1, 2);
    if (problem.pointer_arrays) make_pointers(problem, rotations);
}

void Operands::make_pointers(const Problem& problem, std::int64_t rotations) {
    std::vector<float*> pointers;
    const auto each_region = [&](const auto& visit) {
        visit(a_, problem.a, rotations);
        visit(b_, problem.b, rotations);
        visit(c_, problem.c, rotations);
        visit(reference_, problem.c, 1);
    };
    each_region([&](const Region& region, const Storage& storage, std::int64_t copies) {
        for (std::int64_t copy = 0; copy < copies; ++copy) {
            for (std::int64_t matrix = 0; matrix < storage.batch; ++matrix)
                pointers.push_back(region.at(copy) + matrix * storage.stride);
        }
    });
    const std::size_t size = pointers.size() * sizeof(float*);
    pointers_ = allocate_device_memory(size);
    check(cudaMemcpy(pointers_.get(), pointers.data(), size, cudaMemcpyHostToDevice),
          "cudaMemcpy of pointers");
    auto* next = reinterpret_cast<float**>(pointers_.get());
    each_region([&](Region& region, const Storage& storage, std::int64_t copies) {
        region.pointers = next;
        next += copies * storage.batch;
    });
}

void Operands::reset_c(const Problem& problem, float* c) {
    if (problem.beta == 0)
        check(cudaMemsetAsync(c, 0xff, bytes(problem.c.elements()), stream_), "cudaMemsetAsync");
    else
        fill(c, problem.c.elements(), 2);
}

void Operands::sample(const Problem& problem, const float* c, std::vector<float>& host) const {
    const Storage& storage = problem.c;
    // One behind the other, all matrices are one that is as long.
    const std::int64_t matrices =
        storage.is_contiguous() ? 1 : std::min(storage.batch, most_matrices_sampled);
    const std::int64_t columns = storage.is_contiguous() ? storage.columns * storage.batch : storage.columns;
    const std::int64_t step =
        std::min((matrices * columns * problem.m + sample_elements - 1) / sample_elements,
                 most_columns_skipped) |
        1;
    const std::int64_t sampled = (columns + step - 1) / step;
    host.resize(static_cast<std::size_t>(matrices * sampled * problem.m));
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    if (step == 1 && storage.is_contiguous() && storage.leading_dimension == problem.m) {
        check(cudaMemcpy(host.data(), c, bytes(columns * problem.m), cudaMemcpyDeviceToHost),
              "cudaMemcpy of C");
        return;
    }
    for (std::int64_t i = 0; i < matrices; ++i) {
        const float* matrix = c + i * storage.batch / matrices * storage.stride;
        check(cudaMemcpy2D(host.data() + i * sampled * problem.m, bytes(problem.m), matrix,
                           bytes(storage.leading_dimension * step), bytes(problem.m),
                           static_cast<std::size_t>(sampled), cudaMemcpyDeviceToHost),
              "cudaMemcpy2D of C");
    }
}

/// Copies the pool once and then doubles what is there: a few copies inside the GPU for any size.
void Operands::fill(float* to, std::int64_t elements, std::size_t pool) {
    std::int64_t done = std::min(elements, pool_elements);
    check(cudaMemcpyAsync(to, pools_[pool].get(), bytes(done), cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
    while (done < elements) {
        const std::int64_t more = std::min(done, elements - done);
        check(cudaMemcpyAsync(to + done, to, bytes(more), cudaMemcpyDeviceToDevice, stream_),
              "cudaMemcpyAsync");
        done += more;
    }
}

}  // namespace sgemm_bench
