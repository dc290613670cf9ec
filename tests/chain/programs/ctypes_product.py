"""What product_program.cpp does, by ctypes: the libraries of CUDA and cuBLAS are opened by the paths given."""
import ctypes
import sys

runtime, cublas = (ctypes.CDLL(path) for path in sys.argv[1:])
SIZE = 8
Matrix = ctypes.c_float * (SIZE * SIZE)


def to_device(value):
    device = ctypes.c_void_p()
    host = Matrix(*[value] * len(Matrix()))
    assert runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(ctypes.sizeof(host))) == 0
    assert runtime.cudaMemcpy(device, host, ctypes.c_size_t(ctypes.sizeof(host)), 1) == 0
    return device


for _ in range(2):
    a, b, c = to_device(2), to_device(3), to_device(-1)
    handle = ctypes.c_void_p()
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    alpha, beta = ctypes.c_float(0.5), ctypes.c_float(0)
    assert cublas.cublasSgemm_v2(handle, 0, 1, SIZE, SIZE, SIZE, ctypes.byref(alpha), a, SIZE, b, SIZE,
                                 ctypes.byref(beta), c, SIZE) == 0
    result = Matrix()
    assert runtime.cudaMemcpy(result, c, ctypes.c_size_t(ctypes.sizeof(result)), 2) == 0
    print(int(list(result) == [24.0] * len(result)), end=' ')
print()
