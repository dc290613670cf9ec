#include "machine/machine.hpp"

#include <link.h>
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>

namespace sgemm_shim::simt {
namespace {

constexpr Time last_time = 0xf0000000u;

/// Visits 0 .. count - 1 in an order that a seed decides, without storing it.
class Permutation {
  public:
    Permutation(unsigned count, Random& random) : count_(count), offset_(random.below(count)) {
        do step_ = 1 + random.below(count);
        while (std::gcd(step_, count) != 1);
    }
    unsigned operator()(unsigned i) const {
        return static_cast<unsigned>((std::uint64_t{i} * step_ + offset_) % count_);
    }

  private:
    std::uint64_t count_, step_, offset_;
};

}  // namespace

constinit thread_local Running running_now;

namespace {

/// What a sanitizer's own report of the kernel lacks.
void say_who_ran() {
    const Machine* machine = Machine::running();
    if (machine == nullptr) return;
    const Event who = machine->event("", nullptr);
    std::fprintf(stderr, "software GPU: thread %u of block %u ran, SGEMM_SIMT_SEED=%llu\n%s", who.thread,
                 who.block, static_cast<unsigned long long>(machine->seed()),
                 describe_launch(machine->request(), machine->seed()).c_str());
}

std::uint64_t seed_of_environment() {
    const char* text = std::getenv("SGEMM_SIMT_SEED");
    if (text == nullptr) return 1;
    std::uint64_t seed = 0;
    const char* end = text + std::strlen(text);
    if (const auto [parsed_to, error] = std::from_chars(text, end, seed);
        error != std::errc{} || parsed_to != end) {
        std::fprintf(stderr, "SGEMM_SIMT_SEED must be a number, not '%s'\n", text);
        std::exit(2);
    }
    return seed;
}

/// The loaded file, program or library, that holds the kernel: its constants are what a kernel may read
/// besides.
AddressRange constants_of(const void* kernel) {
    struct Search {
        std::uintptr_t kernel;
        AddressRange found;
    } search{reinterpret_cast<std::uintptr_t>(kernel), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* opaque) {
            Search& wanted = *static_cast<Search*>(opaque);
            std::uintptr_t begin = UINTPTR_MAX, end = 0;
            for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
                const ElfW(Phdr)& segment = module->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD) continue;
                begin = std::min(begin, module->dlpi_addr + segment.p_vaddr);
                end = std::max(end, module->dlpi_addr + segment.p_vaddr + segment.p_memsz);
            }
            if (wanted.kernel < begin || wanted.kernel >= end) return 0;
            wanted.found = {reinterpret_cast<const char*>(begin), reinterpret_cast<const char*>(end)};
            return 1;
        },
        &search);
    return search.found;
}

}  // namespace

/// UndefinedBehaviorSanitizer calls this with each report.
extern "C" [[gnu::visibility("default")]] void __ubsan_on_report() {
    say_who_ran();
}

Machine::Machine() : seed_(seed_of_environment()) {
    __sanitizer_set_death_callback(say_who_ran);
}

Machine& Machine::instance() {
    static Machine* const machine = new Machine;
    return *machine;
}

void Machine::run(const LaunchRequest& request) {
    if (time_ > last_time) {
        FindingList::instance().add("software GPU: the clock has run out; start a new process\n");
        return;
    }
    request_ = &request;
    constants_ = constants_of(request.kernel);
    random_ = Random(seed_ ^ (std::uint64_t{request.grid} << 32 | request.block));
    failed_ = false;
    launch_start_ = time_;
    synchronisation_.start_launch();
    const unsigned clusters = request.grid / request.cluster;
    const Permutation order(clusters, random_);
    for (unsigned i = 0; i < clusters && !failed_; ++i) run_cluster(order(i) * request.cluster);
    if (failed_) FindingList::instance().add(describe(failure_) + describe_launch(request, seed_));
    request_ = nullptr;
}

void Machine::start_threads(unsigned first_block) {
    const LaunchRequest& request = *request_;
    cluster_start_ = time_;
    const Time now = advance();
    threads_.resize(std::size_t{request.block} * request.cluster);
    blocks_.resize(request.cluster);
    ready_.clear();
    unfinished_ = threads_.size();
    for (unsigned rank = 0; rank < request.cluster; ++rank) {
        blocks_[rank].index = first_block + rank;
        blocks_[rank].at_barrier.clear();
        blocks_[rank].finished = 0;
        for (unsigned i = 0; i < request.block; ++i) {
            const std::size_t number = std::size_t{rank} * request.block + i;
            Thread& thread = threads_[number];
            thread.fiber = &fibers_.fiber(number);
            thread.id = {static_cast<std::uint16_t>(rank), static_cast<std::uint16_t>(i)};
            thread.state = Thread::State::ready;
            thread.time = now;
            thread.copy_group = 0;
            thread.known.reset(cluster_start_, request.block, request.cluster);
            thread.fiber->start(run_thread, &thread);
            ready_.push_back(&thread);
        }
    }
    shared_.start_cluster(request.cluster, request.block, request.dynamic_shared_bytes);
    synchronisation_.start_cluster();
    copies_.start_cluster();
}

void Machine::run_thread(void* opaque) {
    Thread& thread = *static_cast<Thread*>(opaque);
    Machine& machine = *running();
    machine.request_->run_thread(machine.request_->constants);
    thread.state = Thread::State::finished;
    --machine.unfinished_;
    ++machine.block().finished;
}

void Machine::run_cluster(unsigned first_block) {
    start_threads(first_block);
    running_now.machine = this;
    while (unfinished_ != 0 && !failed_) {
        if (copies_.has_work() && (ready_.empty() || random_.below(8) == 0)) {
            copies_.land_one();
            continue;
        }
        if (ready_.empty()) {
            report(stuck());
            break;
        }
        std::swap(ready_[random_.below(static_cast<std::uint32_t>(ready_.size()))], ready_.back());
        current_ = ready_.back();
        ready_.pop_back();
        running_now.private_memory = current_->fiber->stack_low();
        shared_.select(current_->id);
        current_->fiber->resume();
    }
    running_now = {};
}

void Machine::report(Finding finding) {
    failure_ = std::move(finding);
    failed_ = true;
}

void Machine::fail(Finding finding) {
    report(std::move(finding));
    current_->fiber->abandon();
}

Event Machine::event_of(ThreadId thread, std::string action, const void* code) const {
    return {std::move(action), blocks_[thread.rank].index, thread.index, code, {}};
}

Event Machine::event(std::string action, const void* code) const {
    return event_of(current_->id, std::move(action), code);
}

void Machine::wait(const char* what, unsigned number, CallPlace place) {
    current_->state = Thread::State::waiting;
    current_->waiting_for = what;
    current_->waiting_number = number;
    current_->place = place;
    current_->fiber->suspend();
}

void Machine::make_ready(Thread& thread) {
    thread.state = Thread::State::ready;
    ready_.push_back(&thread);
}

void Machine::yield() {
    make_ready(*current_);
    current_->fiber->suspend();
}

void Machine::synchronize_block(CallPlace place) {
    Block& own = block();
    current_->place = place;
    own.at_barrier.push_back(current_);
    if (own.at_barrier.size() == request_->block) {
        release_block_barrier(own);
    } else {
        wait("the block's barrier", 0, place);
    }
}

/// Called by the last thread that arrives.
void Machine::release_block_barrier(Block& block) {
    for (const Thread* other : block.at_barrier) {
        if (other->place.line == current_->place.line &&
            std::strcmp(other->place.file, current_->place.file) == 0)
            continue;
        Finding finding;
        finding.problem = "the threads of a block wait at different barriers";
        finding.event = event("wait", nullptr);
        finding.event->place = current_->place;
        finding.earlier = event_of(other->id, "wait", nullptr);
        finding.earlier->place = other->place;
        fail(std::move(finding));
    }
    const Time before = time_;
    const Time now = advance();
    const bool has_details = std::any_of(block.at_barrier.begin(), block.at_barrier.end(),
                                         [](const Thread* other) { return other->known.has_details(); });
    if (has_details || request_->cluster > 1) {  // what one has learned from elsewhere, all know now
        VectorClock all = block.at_barrier.front()->known;
        for (const Thread* other : block.at_barrier) all.learn(other->known);
        if (request_->cluster == 1) all.forget_threads();
        for (Thread* other : block.at_barrier) other->known = all;
    }
    for (Thread* other : block.at_barrier) {
        other->known.learn_block(other->id.rank, before);
        other->time = now;
        if (other != current_) make_ready(*other);
    }
    block.at_barrier.clear();
}

/// Nobody can go on: who waits where?
Finding Machine::stuck() const {
    using Place = std::tuple<unsigned, std::string, unsigned, std::string>;
    struct Group {
        unsigned count = 0;
        unsigned first = 0;
    };
    std::map<Place, Group> groups;
    bool at_barrier = false;
    for (const Thread& thread : threads_) {
        const bool finished = thread.state == Thread::State::finished;
        std::string where;
        if (!finished) {
            where = std::string(" at ") + thread.place.file + ":" + std::to_string(thread.place.line);
            at_barrier = at_barrier || std::strcmp(thread.waiting_for, "the block's barrier") == 0;
        }
        const Place place{blocks_[thread.id.rank].index, finished ? "" : thread.waiting_for,
                          thread.waiting_number, where};
        Group& group = groups[place];
        if (group.count++ == 0) group.first = thread.id.index;
    }
    Finding finding;
    finding.problem =
        at_barrier ? "a barrier that not all threads of the block reach" : "deadlock: every thread waits";
    for (const auto& [place, group] : groups) {
        const auto& [block, what, number, where] = place;
        if (!finding.object.empty()) finding.object += "\n           ";
        finding.object += "block " + std::to_string(block) + ": " + std::to_string(group.count) +
                          (group.count == 1 ? " thread" : " threads") +
                          " (first: " + std::to_string(group.first) + ") ";
        finding.object += what.empty() ? "ended" : "waiting for " + what;
        if (!what.empty() && number != 0) finding.object += " " + std::to_string(number);
        finding.object += where;
    }
    return finding;
}

}  // namespace sgemm_shim::simt
