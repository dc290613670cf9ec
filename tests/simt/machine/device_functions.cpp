// The functions of primitives.cuh.
#include "kernels/primitives.cuh"

#include <bit>
#include <cstring>

#include "machine/accesses.hpp"
#include "machine/global_memory.hpp"
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

void* dynamic_shared_memory() {
    Machine& machine = *Machine::running();
    return machine.shared().dynamic_part(machine.thread().id.rank);
}

void synchronize_threads(unsigned number, unsigned threads, CallPlace place) {
    Machine::running()->synchronisation().named(number, threads, true, place);
}
void arrive_threads(unsigned number, unsigned threads, CallPlace place) {
    Machine::running()->synchronisation().named(number, threads, false, place);
}

void synchronize_warp(unsigned lanes, CallPlace place) {
    Machine::running()->synchronisation().warp(lanes, place);
}
unsigned shuffle(unsigned value, unsigned source, CallPlace place) {
    return Machine::running()->synchronisation().shuffle(value, source, place);
}
int shuffle(int value, unsigned source, CallPlace place) {
    return std::bit_cast<int>(shuffle(std::bit_cast<unsigned>(value), source, place));
}
float shuffle(float value, unsigned source, CallPlace place) {
    return std::bit_cast<float>(shuffle(std::bit_cast<unsigned>(value), source, place));
}

unsigned cluster_rank() {
    return Machine::running()->thread().id.rank;
}
unsigned cluster_size() {
    return Machine::running()->request().cluster;
}
void synchronize_cluster(CallPlace place) {
    Machine::running()->synchronisation().cluster(place);
}
void arrive_cluster(CallPlace) {
    Machine::running()->synchronisation().arrive_cluster();
}
void wait_cluster(CallPlace place) {
    Machine::running()->synchronisation().wait_cluster(place);
}

unsigned count_in_order(unsigned* counter, unsigned addend) {
    simt::check_atomic(counter, __builtin_return_address(0));
    Machine::running()->synchronisation().meet_at_counter(counter);
    const unsigned old = *counter;
    *counter = old + addend;
    return old;
}

void assume_global(const float* address) {
    if (simt::GlobalMemory::instance().contains(address)) return;
    Machine& machine = *Machine::running();
    simt::Finding finding;
    finding.problem = "an address that is not of global memory, though the kernel says so";
    finding.event = machine.event("assumed", __builtin_return_address(0));
    machine.fail(std::move(finding));
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

void* remote_address(void* own, unsigned rank) {
    Machine& machine = *Machine::running();
    void* address = machine.shared().in_block(own, rank);
    if (address != nullptr) return address;
    Finding finding;
    finding.problem = "no such block in the cluster, or not an address in shared memory";
    finding.object = "block " + std::to_string(rank) + " of the cluster";
    finding.event = machine.event("asked for", __builtin_return_address(0));
    machine.fail(std::move(finding));
}

void* static_shared_memory(std::size_t bytes, std::size_t alignment) {
    Machine& machine = *Machine::running();
    void* memory = machine.shared().static_part(machine.thread().id, bytes, alignment);
    if (memory != nullptr) return memory;
    Finding finding;
    finding.problem = "shared memory that no block can have";
    finding.object = std::to_string(bytes) + " bytes, aligned to " + std::to_string(alignment) +
                     ": more than 48 KiB, more than 227 KiB with the dynamic part, not the same for "
                     "every thread, or asked for after the dynamic part";
    finding.event = machine.event("asked for", __builtin_return_address(0));
    machine.fail(std::move(finding));
}

}  // namespace simt
}  // namespace sgemm_shim
