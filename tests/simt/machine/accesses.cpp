// Every load and store of the kernels: their sources are compiled with -fsanitize=thread, but
// ThreadSanitizer's run-time library is not linked; the functions that the compiler calls before each access
// are these.
//
// An access is to the thread's own stack (private), to shared or global memory, to the launch's arguments or
// the program's constants, or it is wrong. Keep this file free of instrumentation: it runs for every access.
#include "machine/accesses.hpp"

#include <cstring>

#include "machine/global_memory.hpp"
#include "machine/machine.hpp"

namespace sgemm_shim::simt {
namespace {

const char* name_of(bool is_write) {
    return is_write ? "write" : "read";
}

[[noreturn]] void fail(Machine& machine, const char* problem, std::string object, bool is_write,
                       std::size_t bytes, const void* code) {
    Finding finding;
    finding.problem = problem;
    finding.object = std::move(object);
    finding.event =
        machine.event(std::string(name_of(is_write)) + " of " + std::to_string(bytes) + " bytes", code);
    machine.fail(std::move(finding));
}

std::string address_text(const void* address) {
    char text[32];
    std::snprintf(text, sizeof(text), "address %p", address);
    return text;
}

/// Whether the last write to the word is ordered before what the current thread does.
bool is_ordered(Machine& machine, const GlobalWord& word) {
    if (word.time <= machine.launch_start()) return true;
    const ThreadId writer{word.rank, word.index};
    if (word.time <= machine.cluster_start())  // a block that ran before
        return machine.thread().known.knows_past(writer, word.time);
    return writer == machine.thread().id || machine.thread().known.knows(writer, word.time);
}

/// Pinned and managed memory is every device's.
bool is_reachable(const Machine& machine, const GlobalWord& word) {
    return word.accessible && (word.device == machine.request().device || word.host);
}

/// Of an access to a word that is not reachable.
const char* problem_with(const GlobalWord& word, bool is_write) {
    if (word.accessible) return "access to another device's memory";
    return is_write ? "global write outside an operand" : "global read outside an operand";
}

void global_access(Machine& machine, const void* address, std::size_t bytes, bool is_write,
                   const void* code) {
    GlobalMemory& memory = GlobalMemory::instance();
    const std::size_t count = (reinterpret_cast<std::uintptr_t>(address) % 4 + bytes + 3) / 4;
    GlobalWord* words = memory.word(address);
    for (std::size_t i = 0; i < count; ++i) {
        GlobalWord& word = words[i];
        if (!is_reachable(machine, word))
            fail(machine, problem_with(word, is_write),
                 memory.describe(static_cast<const char*>(address) + 4 * i), is_write, bytes, code);
        if (!is_ordered(machine, word))
            fail(machine, "race on global memory: not ordered after an earlier write of the same launch",
                 memory.describe(static_cast<const char*>(address) + 4 * i), is_write, bytes, code);
        if (is_write) {
            const Thread& thread = machine.thread();
            word.time = thread.time;
            word.rank = thread.id.rank & 0xff;
            word.index = thread.id.index & 0xfff;
        }
    }
}

bool is_constant(const Machine& machine, const char* address, std::size_t bytes) {
    const auto* arguments = static_cast<const char*>(machine.request().constants);
    return AddressRange{arguments, arguments + machine.request().constant_bytes}.contains(address, bytes) ||
           machine.constants().contains(address, bytes);
}

void other_access(Machine& machine, const void* address, std::size_t bytes, bool is_write, const void* code) {
    if (!is_write && is_constant(machine, static_cast<const char*>(address), bytes)) return;
    if (machine.fibers().owns(address))
        fail(machine, "access to another thread's local memory", address_text(address), is_write, bytes,
             code);
    fail(machine, "a kernel dereferences host memory", address_text(address), is_write, bytes, code);
}

void host_access(const void* address, bool is_write, const void* code) {
    const GlobalMemory& memory = GlobalMemory::instance();
    if (!memory.contains(address) || memory.word(address)->host) return;
    Finding finding;
    finding.problem = std::string("host code ") + name_of(is_write) + "s device memory";
    finding.object = GlobalMemory::instance().describe(address);
    finding.event = Event{name_of(is_write), 0, 0, code, {}};
    FindingList::instance().add(describe(finding));
}

}  // namespace

void check_access(const void* address, std::size_t bytes, bool is_write, const void* code) {
    Machine* const machine = Machine::running();
    if (machine == nullptr) return host_access(address, is_write, code);
    const Thread& thread = machine->thread();
    if (thread.fiber->owns(address)) return;
    SharedMemory& shared = machine->shared();
    if (shared.contains(address)) {
        const Time start = machine->cluster_start();
        if (is_write) {
            if (bytes == 4 && shared.write_own_word(thread, start, address, code)) return;
            shared.write(*machine, address, bytes, code);
        } else {
            if (bytes == 4 && shared.read_own_word(thread, start, address, code)) return;
            shared.read(*machine, address, bytes, code);
        }
    } else if (GlobalMemory::instance().contains(address)) {
        global_access(*machine, address, bytes, is_write, code);
    } else {
        other_access(*machine, address, bytes, is_write, code);
    }
}

void check_atomic(const void* address, const void* code) {
    check_alignment(address, 4, true, code);
    GlobalMemory& memory = GlobalMemory::instance();
    if (!memory.contains(address) || !is_reachable(*Machine::running(), *memory.word(address)))
        fail(*Machine::running(), "an atomic outside global memory", memory.describe(address), true, 4, code);
}

void check_global_read(const void* address, std::size_t bytes, const void* code) {
    if (GlobalMemory::instance().contains(address))
        global_access(*Machine::running(), address, bytes, false, code);
    else
        fail(*Machine::running(), "a copy from memory that is not global", address_text(address), false,
             bytes, code);
}

void refuse_alignment(const void* address, std::size_t alignment, bool is_write, const void* code) {
    Machine* const machine = Machine::running();
    if (machine == nullptr) return;
    fail(*machine, "misaligned access",
         address_text(address) + " is no multiple of " + std::to_string(alignment), is_write, alignment,
         code);
}

}  // namespace sgemm_shim::simt
