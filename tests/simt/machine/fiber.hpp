// Coroutines with small pooled stacks: one for each CUDA thread of the blocks that run. Boost.Context
// switches them without a system call; AddressSanitizer is told about every switch.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sgemm_shim::simt {

inline constexpr std::size_t stack_bytes = 64 * 1024;

class Fiber {
  public:
    /// Prepares `entry(argument)` to run on the fiber's stack at the next resume(). Whatever ran there before
    /// is abandoned without unwinding: kernels own nothing.
    void start(void (*entry)(void*), void* argument);
    /// From the scheduler: runs the fiber until it suspends or finishes.
    void resume();
    /// From within the fiber: back to the scheduler.
    void suspend();
    /// From within the fiber: back to the scheduler, for good.
    [[noreturn]] void abandon();

    const char* stack_low() const { return stack_low_; }
    bool owns(const void* address) const {
        return static_cast<std::size_t>(static_cast<const char*>(address) - stack_low_) < stack_bytes;
    }

  private:
    friend class FiberPool;
    static void run(void* context, Fiber* fiber);
    void switch_to_scheduler(bool forever);

    char* stack_low_ = nullptr;
    bool started_ = false;       ///< and not finished
    void* context_ = nullptr;    ///< where to go on
    void* scheduler_ = nullptr;  ///< where resume() was called
    void (*entry_)(void*) = nullptr;
    void* argument_ = nullptr;
    void* fake_stack_ = nullptr;
    const void* scheduler_stack_ = nullptr;
    std::size_t scheduler_stack_bytes_ = 0;
};

/// Fibers by number; stacks are made once, with a guard page below each.
class FiberPool {
  public:
    Fiber& fiber(std::size_t number);
    /// Whether the address lies in the stack of any fiber.
    bool owns(const void* address) const;

  private:
    std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace sgemm_shim::simt
