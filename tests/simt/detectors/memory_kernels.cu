// Faults in the use of memory and of the block's barrier.
#include "broken_kernels.cuh"
#include "kernel_list.hpp"

namespace sgemm_shim::broken {
namespace {

struct Buffer {
    float values[64];
};

__global__ void read_past_end(float* memory) {
    if (thread_index() == 5) memory[0] = memory[64];  // 64 floats long
}

__global__ void read_before_begin(float* memory) {
    if (thread_index() == 5) memory[0] = *(memory - 1);
}

__global__ void write_past_end(float* memory) {
    if (thread_index() == 5) memory[64] = 1.0f;
}

__global__ void read_padding(float* memory) {
    if (thread_index() == 7) memory[0] = memory[33];  // the test poisons element 33 alone
}

__global__ void write_padding(float* memory) {
    if (thread_index() == 7) memory[33] = 0.0f;
}

__global__ void misaligned_vector_load(float* memory) {
    if (thread_index() == 3) memory[0] = load_vector(memory + 6).x;
}

__global__ void misaligned_vector_store(float* memory) {
    if (thread_index() == 3) store_vector(memory + 6, float4{});
}

float* const host = new float(1.0f);

__global__ void host_pointer(float*) {
    if (thread_index() == 1) *host = 2.0f;
}

__global__ void shared_said_to_be_global(float*) {
    assume_global(shared_memory<Buffer>().values);
}

__global__ void shared_past_end(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    float* past = buffer.values + 64;
    if (thread_index() == 9) *past = memory[0];
}

struct Rows {
    float values[4][8];
};

__global__ void past_the_row(float* memory) {
    Rows& rows = shared_memory<Rows>();
    const unsigned thread = thread_index();
    rows.values[thread / 16][thread % 16] = memory[thread];  // rows of 8
}

/// Thread t reads what thread t + 1 writes, with no barrier between.
__global__ void missing_barrier(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    buffer.values[thread] = 0.0f;
    synchronize_block();
    buffer.values[thread] = memory[thread];
    memory[thread] = buffer.values[(thread + 1) % 64];
}

__global__ void with_barrier(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    buffer.values[thread] = memory[thread];
    synchronize_block();
    memory[thread] = buffer.values[(thread + 1) % 64];
}

/// The barrier at the end of the round is missing: the next round writes what another thread still reads.
__global__ void missing_second_barrier(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    float sum = 0.0f;
    for (int round = 0; round < 2; ++round) {
        buffer.values[thread] = memory[thread];
        synchronize_block();
        sum += buffer.values[(thread + 1) % 64];
    }
    memory[thread] = sum;
}

__global__ void two_writers(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    buffer.values[thread_index() / 2] = memory[thread_index()];
}

__global__ void two_global_writers(float* memory) {
    memory[thread_index() / 2] = 1.0f;
}

__global__ void every_block_writes(float* memory) {
    memory[thread_index()] = 1.0f;
}

__global__ void read_before_write(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    if (thread != 17) buffer.values[thread] = memory[thread];
    synchronize_block();
    memory[thread] = buffer.values[thread];
}

__global__ void early_exit(float* memory) {
    const unsigned thread = thread_index();
    if (thread >= 60) return;
    synchronize_block();
    memory[thread] = 1.0f;
}

__global__ void different_barriers(float* memory) {
    const unsigned thread = thread_index();
    if (thread % 2 == 0)
        synchronize_block();
    else
        synchronize_block();
    memory[thread] = 1.0f;
}

void pass_local(float** box, unsigned thread) {
    float local = 1.0f;
    if (thread == 0) *box = &local;
    synchronize_block();
    if (thread == 1) **box += local;
    synchronize_block();
}

__global__ void foreign_local(float* memory) {
    pass_local(reinterpret_cast<float**>(memory), thread_index());
}

}  // namespace

const KernelList memory_kernels = {
    {"read_past_end", read_past_end},
    {"read_before_begin", read_before_begin},
    {"write_past_end", write_past_end},
    {"read_padding", read_padding},
    {"write_padding", write_padding},
    {"misaligned_vector_load", misaligned_vector_load},
    {"misaligned_vector_store", misaligned_vector_store},
    {"host_pointer", host_pointer},
    {"shared_said_to_be_global", shared_said_to_be_global},
    {"shared_past_end", shared_past_end},
    {"past_the_row", past_the_row},
    {"missing_barrier", missing_barrier},
    {"with_barrier", with_barrier},
    {"missing_second_barrier", missing_second_barrier},
    {"two_writers", two_writers},
    {"two_global_writers", two_global_writers},
    {"every_block_writes", every_block_writes},
    {"read_before_write", read_before_write},
    {"early_exit", early_exit},
    {"different_barriers", different_barriers},
    {"foreign_local", foreign_local},
};

}  // namespace sgemm_shim::broken
