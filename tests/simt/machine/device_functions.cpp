// The functions of primitives.cuh.
#include "kernels/primitives.cuh"

#include <cstring>

#include "machine/accesses.hpp"
#include "machine/machine.hpp"

namespace sgemm_shim {

using simt::Machine;

unsigned thread_index() {
    return Machine::running()->thread().id.index;
}
unsigned block_index() {
    return Machine::running()->block().index;
}

void synchronize_block(CallPlace place) {
    Machine::running()->synchronize_block(place);
}

float4 load_vector(const float* address) {
    simt::check_alignment(address, sizeof(float4), false, __builtin_return_address(0));
    simt::check_access(address, sizeof(float4), false, __builtin_return_address(0));
    float4 value;
    std::memcpy(&value, address, sizeof(value));
    return value;
}

void store_vector(float* address, float4 value) {
    simt::check_alignment(address, sizeof(float4), true, __builtin_return_address(0));
    simt::check_access(address, sizeof(float4), true, __builtin_return_address(0));
    std::memcpy(address, &value, sizeof(value));
}

namespace simt {

void* static_shared_memory(std::size_t bytes, std::size_t alignment) {
    Machine& machine = *Machine::running();
    void* memory = machine.shared().static_part(machine.thread().id.rank, bytes, alignment);
    if (memory != nullptr) return memory;
    Finding finding;
    finding.problem = "shared memory that no block can have";
    finding.object = std::to_string(bytes) + " bytes, aligned to " + std::to_string(alignment) +
                     ": more than 48 KiB, more than 227 KiB with the dynamic part, or not the same for "
                     "every thread";
    finding.event = machine.event("asked for", __builtin_return_address(0));
    machine.fail(std::move(finding));
}

}  // namespace simt
}  // namespace sgemm_shim
