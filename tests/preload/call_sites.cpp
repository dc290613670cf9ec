// Built without optimisation, which would merge the calls into one.
#include "call_sites.hpp"

namespace {
const float one = 1.0f;
float* const nowhere = reinterpret_cast<float*>(0x1000);
}  // namespace

// clang-format off
#define SITE(number)                                                                                          \
    case number:                                                                                              \
        return cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 8, 8, &one, nowhere, m, nowhere, 8, &one,  \
                              nowhere, m);
#define TEN(number) SITE(number) SITE(number + 1) SITE(number + 2) SITE(number + 3) SITE(number + 4)          \
        SITE(number + 5) SITE(number + 6) SITE(number + 7) SITE(number + 8) SITE(number + 9)
#define HUNDRED(number) TEN(number) TEN(number + 10) TEN(number + 20) TEN(number + 30) TEN(number + 40)       \
        TEN(number + 50) TEN(number + 60) TEN(number + 70) TEN(number + 80) TEN(number + 90)
#define THOUSAND(number) HUNDRED(number) HUNDRED(number + 100) HUNDRED(number + 200) HUNDRED(number + 300)    \
        HUNDRED(number + 400) HUNDRED(number + 500) HUNDRED(number + 600) HUNDRED(number + 700)               \
        HUNDRED(number + 800) HUNDRED(number + 900)
// clang-format on

cublasStatus_t call_from_site(int site, cublasHandle_t handle, int m) {
    switch (site) {
        THOUSAND(0)
        THOUSAND(1000)
        THOUSAND(2000) THOUSAND(3000) THOUSAND(4000) default : return CUBLAS_STATUS_INTERNAL_ERROR;
    }
}
