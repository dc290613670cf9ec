// A library that has nothing to do with cuBLAS but for the name of a function.
extern "C" int cublasSgemm_v2() {
    return 77;
}
