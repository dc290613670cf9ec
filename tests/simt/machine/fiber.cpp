#include "machine/fiber.hpp"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <new>

// Not there in a program without AddressSanitizer.
#pragma weak __asan_unpoison_memory_region
#pragma weak __sanitizer_start_switch_fiber
#pragma weak __sanitizer_finish_switch_fiber

namespace sgemm_shim::simt {
namespace {

void start_switch(void** fake_stack, const void* stack, std::size_t bytes) {
    if (__sanitizer_start_switch_fiber != nullptr) __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
}

void finish_switch(void* fake_stack, const void** old_stack, std::size_t* old_bytes) {
    if (__sanitizer_finish_switch_fiber != nullptr)
        __sanitizer_finish_switch_fiber(fake_stack, old_stack, old_bytes);
}

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

}  // namespace

void Fiber::start(void (*entry)(void*), void* argument) {
    if (started_ && __asan_unpoison_memory_region != nullptr)  // redzones of frames left behind
        __asan_unpoison_memory_region(stack_low_, stack_bytes);
    started_ = true;
    entry_ = entry;
    argument_ = argument;
    fake_stack_ = nullptr;
    context_ = make_fcontext(stack_low_ + stack_bytes, stack_bytes,
                             [](transfer_t from) { run(from.fctx, static_cast<Fiber*>(from.data)); });
}

void Fiber::run(void* context, Fiber* fiber) {
    finish_switch(fiber->fake_stack_, &fiber->scheduler_stack_, &fiber->scheduler_stack_bytes_);
    fiber->scheduler_ = context;
    fiber->entry_(fiber->argument_);
    fiber->started_ = false;
    fiber->abandon();
}

void Fiber::resume() {
    void* fake_stack = nullptr;
    start_switch(&fake_stack, stack_low_, stack_bytes);
    const transfer_t from = jump_fcontext(context_, this);
    finish_switch(fake_stack, nullptr, nullptr);
    context_ = from.fctx;
}

void Fiber::switch_to_scheduler(bool forever) {
    start_switch(forever ? nullptr : &fake_stack_, scheduler_stack_, scheduler_stack_bytes_);
    const transfer_t from = jump_fcontext(scheduler_, nullptr);
    finish_switch(fake_stack_, &scheduler_stack_, &scheduler_stack_bytes_);
    scheduler_ = from.fctx;
}

void Fiber::suspend() {
    switch_to_scheduler(false);
}

void Fiber::abandon() {
    switch_to_scheduler(true);
    std::abort();  // resumed although it had ended
}

Fiber& FiberPool::fiber(std::size_t number) {
    constexpr std::size_t guard = 4096;
    while (fibers_.size() <= number) {
        void* memory = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory, guard, PROT_NONE);
        fibers_.push_back(std::make_unique<Fiber>());
        fibers_.back()->stack_low_ = static_cast<char*>(memory) + guard;
    }
    return *fibers_[number];
}

bool FiberPool::owns(const void* address) const {
    for (const auto& fiber : fibers_) {
        if (fiber->owns(address)) return true;
    }
    return false;
}

}  // namespace sgemm_shim::simt
