// cuBLAS's declarations, to be had from here only: what it declares and we define must be exported, although
// everything else is compiled with hidden visibility.
#pragma once

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop
