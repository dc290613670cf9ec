// A program's view of cuBLAS: handles, calls of the functions that multiply FP32 matrices, and their results
// judged by FP64. Nothing here knows of the shim.
#pragma once

#include <atomic>
#include <string>

#include "cublas_handle.hpp"
#include "cuda_objects.hpp"
#include "tests/engine/reference.hpp"

namespace sgemm_shim::testing {

/// How many calls the program made of each class: what a call log must show.
enum class CallClass {
    ordinary,
    further_group,  ///< of an ordinary call, which has a row for each group if its arrays were read
    tf32,
    math_mode,
    invalid,
    empty,
    no_handle,
    logging,
    sm_target,
    data_type,
    compute_type,
    algorithm,
    count
};

const char* to_string(CallClass call_class);

/// Over all functions.
std::atomic<int>& calls_made(CallClass call_class);

enum class EntryWidth { bits_32, bits_64 };
inline constexpr EntryWidth both_widths[] = {EntryWidth::bits_32, EntryWidth::bits_64};

enum class Function {
    sgemm,
    strided_batched,
    batched,
    sgemm_ex,
    gemm_ex,
    strided_batched_ex,
    batched_ex,
    grouped,
    grouped_ex,
    count
};

inline constexpr Function every_function[] = {
    Function::sgemm,      Function::strided_batched, Function::batched,
    Function::sgemm_ex,   Function::gemm_ex,         Function::strided_batched_ex,
    Function::batched_ex, Function::grouped,         Function::grouped_ex};
inline constexpr Function batched_functions[] = {Function::strided_batched, Function::batched,
                                                 Function::strided_batched_ex, Function::batched_ex};
/// These refuse scalars in device memory.
inline constexpr Function grouped_functions[] = {Function::grouped, Function::grouped_ex};
inline constexpr bool is_grouped(Function function) {
    return function == Function::grouped || function == Function::grouped_ex;
}
/// And an algorithm.
inline constexpr Function functions_with_compute_type[] = {Function::gemm_ex, Function::strided_batched_ex,
                                                           Function::batched_ex};

/// How a case is called.
struct Entry {
    Function function = Function::sgemm;
    EntryWidth width = EntryWidth::bits_32;
    // Only some functions take these.
    cublasComputeType_t compute_type = CUBLAS_COMPUTE_32F;
    cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT;

    Entry() = default;
    Entry(EntryWidth entry_width) : width(entry_width) {}
    Entry(Function entry_function, EntryWidth entry_width,
          cublasComputeType_t entry_compute_type = CUBLAS_COMPUTE_32F,
          cublasGemmAlgo_t entry_algorithm = CUBLAS_GEMM_DEFAULT)
        : function(entry_function),
          width(entry_width),
          compute_type(entry_compute_type),
          algorithm(entry_algorithm) {}
};

/// The exported symbol.
std::string symbol_of(const Entry& entry);

void count_call(CallClass call_class, const Entry& entry = {});

/// Prints "calls: CLASS NUMBER" for each class and "calls: CLASS NUMBER SYMBOL" for each class and function
/// that was called, and for the class `ordinary` of every function.
void report_calls();

/// A case with its operands on the device. The matrices of a batch have the case's strides under every
/// function; for those that take pointers, arrays of them are on the device too.
class CublasCase {
  public:
    explicit CublasCase(const char* line) : CublasCase(parse_case(line)) {}
    explicit CublasCase(const GemmCase& gemm_case);

    /// Calls the function on the handle, in the case's pointer mode, and counts the call. A grouped function
    /// gets the case as its only group.
    cublasStatus_t call(cublasHandle_t handle, const Entry& entry = {},
                        CallClass call_class = CallClass::ordinary);

    /// What is wrong with C once the caller has synchronised; empty: nothing. C is then set back.
    std::string finding();

    /// Sets C back.
    void restore() { c_.upload(problem_.c.values); }

    /// The scalars in device memory, for replays with other values; tells what to expect then.
    void change_device_scalars(float alpha, float beta);

    /// Another batch count for the next calls, whose C nobody may judge then.
    void change_batch_count(std::int64_t batch_count) { case_.batch_count = batch_count; }

    const float* c() const { return c_.data(); }
    /// All of C, with the padding and what lies between the matrices.
    std::vector<float> result() const { return c_.download(); }
    const GemmCase& description() const { return case_; }
    // Where the matrices are.
    const DeviceArray<float*>& a_pointers() const { return a_array_; }
    const DeviceArray<float*>& b_pointers() const { return b_array_; }
    const DeviceArray<float*>& c_pointers() const { return c_array_; }

  private:
    GemmCase case_;
    Problem problem_;
    DeviceArray<float> a_, b_, c_, scalars_;
    DeviceArray<float*> a_array_, b_array_, c_array_;
};

/// The whole of it: call, wait for the stream, judge. Returns what is wrong.
std::string run_case(const GemmCase& gemm_case, cublasHandle_t handle, const Entry& entry = {},
                     CallClass call_class = CallClass::ordinary);

}  // namespace sgemm_shim::testing
