// The functions under test as a table: each called with the arguments of a StandInCall, as far as it takes
// them.
#pragma once

#include <cublas_v2.h>

#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "stand_in.hpp"

namespace sgemm_shim::testing {

/// What a function takes besides the arguments of cublasSgemm.
struct Extras {
    bool strides = false;
    bool pointer_arrays = false;
    bool types = false;
    bool compute_type = false;
    bool algorithm = false;
    bool groups = false;  ///< everything else as host arrays, of one element for each group

    constexpr bool batch_count() const { return strides || pointer_arrays; }
};

struct EntryPoint {
    const char* name;
    Extras extras;
    bool wide;  ///< 64-bit sizes
    std::function<cublasStatus_t(const StandInCall&)> send;
};

template <bool wanted, class Value>
auto only_if(Value value) {
    if constexpr (wanted)
        return std::tuple(value);
    else
        return std::tuple();
}

template <class Size, Extras extras, class Pointer, class Function>
EntryPoint entry_point(const char* name, Function function) {
    // One pointer less for what is C's: its matrices are not const, and neither are those of its array.
    using Input = std::conditional_t<extras.pointer_arrays, const Pointer* const*, const Pointer*>;
    using Output = std::conditional_t<extras.pointer_arrays, Pointer* const*, Pointer*>;
    using Scalar = std::conditional_t<extras.compute_type, const void*, const float*>;
    const auto send = [function](const StandInCall& call) {
        const auto operand = [&](auto pointer, std::size_t place, std::int64_t leading_dimension) {
            return std::tuple_cat(std::tuple(pointer),
                                  only_if<extras.types>(static_cast<cudaDataType>(call.extras.types[place])),
                                  std::tuple(static_cast<Size>(leading_dimension)),
                                  only_if<extras.strides>(call.extras.strides[place]));
        };
        const auto input = [](const void* address) { return static_cast<Input>(address); };
        return std::apply(
            function,
            std::tuple_cat(
                std::tuple(
                    static_cast<cublasHandle_t>(call.handle), static_cast<cublasOperation_t>(call.transa),
                    static_cast<cublasOperation_t>(call.transb), static_cast<Size>(call.m),
                    static_cast<Size>(call.n), static_cast<Size>(call.k), static_cast<Scalar>(call.alpha)),
                operand(input(call.a), 0, call.lda), operand(input(call.b), 1, call.ldb),
                std::tuple(static_cast<Scalar>(call.beta)),
                operand(static_cast<Output>(static_cast<void*>(call.c)), 2, call.ldc),
                only_if<extras.batch_count()>(static_cast<Size>(call.extras.batch_count)),
                only_if<extras.compute_type>(static_cast<cublasComputeType_t>(call.extras.compute_type)),
                only_if<extras.algorithm>(static_cast<cublasGemmAlgo_t>(call.extras.algorithm))));
    };
    return {name, extras, sizeof(Size) == 8, send};
}

/// The call as the only group. Its scalars and pointer arrays are those of the call.
template <class Size, Extras extras, class Pointer, class Function>
EntryPoint grouped_entry_point(const char* name, Function function) {
    using Scalars = std::conditional_t<extras.compute_type, const void*, const float*>;
    const auto send = [function](const StandInCall& call) {
        const cublasOperation_t operations[] = {static_cast<cublasOperation_t>(call.transa),
                                                static_cast<cublasOperation_t>(call.transb)};
        const Size sizes[] = {static_cast<Size>(call.m),
                              static_cast<Size>(call.n),
                              static_cast<Size>(call.k),
                              static_cast<Size>(call.lda),
                              static_cast<Size>(call.ldb),
                              static_cast<Size>(call.ldc),
                              static_cast<Size>(call.extras.batch_count)};
        const auto operand = [&](auto pointers, std::size_t place) {
            return std::tuple_cat(std::tuple(pointers),
                                  only_if<extras.types>(static_cast<cudaDataType>(call.extras.types[place])),
                                  std::tuple(&sizes[3 + place]));
        };
        const auto input = [](const void* address) { return static_cast<const Pointer* const*>(address); };
        return std::apply(
            function,
            std::tuple_cat(
                std::tuple(static_cast<cublasHandle_t>(call.handle), &operations[0], &operations[1],
                           &sizes[0], &sizes[1], &sizes[2], static_cast<Scalars>(call.alpha)),
                operand(input(call.a), 0), operand(input(call.b), 1),
                std::tuple(static_cast<Scalars>(call.beta)),
                operand(static_cast<Pointer* const*>(static_cast<void*>(call.c)), 2),
                std::tuple(Size{1}, &sizes[6]),
                only_if<extras.compute_type>(static_cast<cublasComputeType_t>(call.extras.compute_type))));
    };
    return {name, extras, sizeof(Size) == 8, send};
}

inline const std::vector<EntryPoint>& entry_points() {
    constexpr Extras plain, strided{true}, arrays{false, true}, typed{false, false, true},
        computing{false, false, true, true, true}, strided_computing{true, false, true, true, true},
        arrays_computing{false, true, true, true, true}, grouped{.pointer_arrays = true, .groups = true},
        grouped_computing{.pointer_arrays = true, .types = true, .compute_type = true, .groups = true};
// Through a lambda, because cublas_v2.h overloads some of the names.
#define TWINS_OF(make, name, extras, Pointer)                                                \
    make<int, extras, Pointer>(#name, [](auto... arguments) { return name(arguments...); }), \
        make<int64_t, extras, Pointer>(#name "_64",                                          \
                                       [](auto... arguments) { return name##_64(arguments...); })
#define TWINS(name, extras, Pointer) TWINS_OF(entry_point, name, extras, Pointer)
#define GROUPED_TWINS(name, extras, Pointer) TWINS_OF(grouped_entry_point, name, extras, Pointer)
    static const std::vector<EntryPoint> table = {
        TWINS(cublasSgemm_v2, plain, float),
        TWINS(cublasSgemmStridedBatched, strided, float),
        TWINS(cublasSgemmBatched, arrays, float),
        TWINS(cublasSgemmEx, typed, void),
        TWINS(cublasGemmEx, computing, void),
        TWINS(cublasGemmStridedBatchedEx, strided_computing, void),
        TWINS(cublasGemmBatchedEx, arrays_computing, void),
        GROUPED_TWINS(cublasSgemmGroupedBatched, grouped, float),
        GROUPED_TWINS(cublasGemmGroupedBatchedEx, grouped_computing, void),
    };
#undef TWINS
#undef GROUPED_TWINS
#undef TWINS_OF
    return table;
}

/// What of a call the function can pass on.
inline StandInCall as_taken(const EntryPoint& entry, StandInCall call) {
    if (!entry.extras.types) call.extras.types = {};
    if (!entry.extras.strides) call.extras.strides = {};
    if (!entry.extras.batch_count()) call.extras.batch_count = 0;
    if (!entry.extras.compute_type) call.extras.compute_type = 0;
    if (!entry.extras.algorithm) call.extras.algorithm = 0;
    return call;
}

}  // namespace sgemm_shim::testing
