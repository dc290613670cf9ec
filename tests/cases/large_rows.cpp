// Rows of products that only a GPU's memory holds: checked at places that leave no tile out.
#include "engine_rows.hpp"
#include "tests/gpu/large_call.hpp"

namespace sgemm_shim::testing {
namespace {

LargeCall large_call(const GemmCase& gemm_case, const ProductCall& product, const char* name) {
    LargeCall call;
    call.name = name;
    call.operation_a = gemm_case.operation_a;
    call.operation_b = gemm_case.operation_b;
    call.m = gemm_case.m;
    call.n = gemm_case.n;
    call.k = gemm_case.k;
    call.lda = gemm_case.lda;
    call.ldb = gemm_case.ldb;
    call.ldc = gemm_case.ldc;
    call.alpha = gemm_case.alpha;
    call.beta = gemm_case.beta;
    call.batch_count = gemm_case.batch_count;
    call.stride_a = gemm_case.stride_a;
    call.stride_b = gemm_case.stride_b;
    call.stride_c = gemm_case.stride_c;
    call.sparsity = product.sparsity;
    return call;
}

}  // namespace

void run_large_row(const CaseRow& row, const Selection& selection, const Report& report) {
    const ProductCall product = parse_product_call(row.call);
    const std::string& wanted = product.gemm_case.kernel;
    const std::string only = wanted.empty() ? selection.kernel : wanted;
    if (!selection.kernel.empty() && only != selection.kernel) return;
    // All kernels of a call at once: what is expected is computed once.
    for (const GemmCase& gemm_case : neighbourhood(product.gemm_case, row.around)) {
        const LargeCall call = large_call(gemm_case, product, row.id.c_str());
        int kernels_run = 0;
        const std::vector<std::string> findings = run_large(call, only, kernels_run);
        const std::string line = row.id + " (large): " + to_line(gemm_case);
        for (const std::string& finding : findings) report(line, finding);
        for (int i = static_cast<int>(findings.size()); i < kernels_run; ++i) report(line, "");
    }
}

}  // namespace sgemm_shim::testing
