#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "call_log.hpp"
#include "text.hpp"

using namespace sgemm_bench;

namespace {

CallLog recorded() {
    std::ifstream file(CALLS_FILE);
    CallLog log;
    log.read(file, "calls.csv");
    return log;
}

Shape find(const std::vector<Shape>& shapes, const std::string& name) {
    const auto found =
        std::find_if(shapes.begin(), shapes.end(), [&](const Shape& shape) { return shape.name == name; });
    REQUIRE_MESSAGE(found != shapes.end(), name);
    return *found;
}

std::string header() {
    std::ifstream file(CALLS_FILE);
    std::string line;
    std::getline(file, line);
    return line + "\n";
}

std::string message_of(const std::string& text) {
    std::istringstream file(text);
    CallLog log;
    try {
        log.read(file, "made up");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("different calls once each, with their counts, the most operations first") {
    const auto shapes = recorded().shapes();
    REQUIRE(shapes.size() == 7);
    CHECK(shapes[0].name == "23x23x23_NT_b30000_pointers_beta1");
    CHECK(shapes[0].count == 2);  // two entry points, one call
    CHECK(shapes[1].name == "768x197x768_TN");
    CHECK(shapes[1].count == 4);  // C is T, and neither alpha nor who served it makes a difference
    CHECK(shapes[2].name == "768x197x768_TN_beta1");
    CHECK(shapes[2].count == 1);
    CHECK(shapes[6].name == "33x17x5_NN_ld40/5/33_off1/2/3");
}

TEST_CASE("leading dimensions, strides, scalars, alignment and arrays of pointers are those of the call") {
    const auto shapes = recorded().shapes();
    const Problem padded = to_problem(find(shapes, "33x17x5_NN_ld40/5/33_off1/2/3"));
    CHECK(padded.a.leading_dimension == 40);
    CHECK(padded.b.leading_dimension == 5);
    CHECK(padded.a.misalignment == 1);
    CHECK(padded.b.misalignment == 2);
    CHECK(padded.c.misalignment == 3);
    CHECK(padded.beta == 0);

    // Heads of one matrix: each begins between the columns of the one before.
    const Problem heads = to_problem(find(shapes, "197x197x64_TN_b12_ld2304/2304/197_stride64/64/38809"));
    CHECK(heads.operations.a == 'T');
    CHECK(heads.a.stride == 64);
    CHECK_FALSE(heads.a.is_contiguous());
    CHECK(heads.a.elements() == 64 * 11 + 2304 * 197);
    CHECK(heads.c.is_contiguous());

    const Problem shared = to_problem(find(shapes, "64x64x64_NN_b8_stride4096/0/4096_beta0.5"));
    CHECK(shared.beta == 0.5f);
    CHECK(shared.b.elements() == 64 * 64);
    CHECK(shared.bytes() == 4.0 * 64 * 64 * (8 + 1 + 2 * 8));  // B is read once

    const Problem plain = to_problem(find(shapes, "64x64x64_NN_b8"));
    CHECK(plain.c.elements() == 8 * 64 * 64);
    CHECK_FALSE(plain.pointer_arrays);

    const Problem pointers = to_problem(shapes[0]);
    CHECK(pointers.pointer_arrays);
    CHECK(pointers.batch == 30000);
    CHECK(pointers.a.stride == 23 * 23);
}

TEST_CASE("what is no FP32 product is left out and counted under its reason") {
    const std::map<std::string, std::int64_t> expected{
        {"type", 1},     {"tf32", 2},      {"invalid argument", 1},
        {"status 1", 1}, {"alpha = 0", 1}, {"more than 32 bits", 1}};
    CHECK(recorded().left_out() == expected);
}

TEST_CASE("several logs add up, and alignments may be missing") {
    std::istringstream old(
        "reason,entry_point,operation_a,operation_b,m,n,k,lda,ldb,ldc,batch,stride_a,stride_b,stride_c,alpha,"
        "beta,kernel,status\n,cublasSgemm_v2,N,T,768,1,2,768,1,768,1,0,0,0,1,0,naive,0\n"
        ",cublasSgemm_v2,T,N,768,197,768,768,768,768,1,0,0,0,1,0,naive,0\n");
    CallLog log = recorded();
    log.read(old, "old");
    CHECK(log.shapes().size() == 8);
    CHECK(find(log.shapes(), "768x197x768_TN").count == 5);
    CHECK(find(log.shapes(), "768x1x2_NT").count == 1);
}

TEST_CASE("strides backwards through memory take as much of it; matrices of C must differ") {
    Shape shape = parse_shapes("4,5,6,NN,3", {}).front();
    shape.strides = {{-100, 24, -20}};
    CHECK(to_problem(shape).a.elements() == 2 * 100 + 24);
    CHECK(to_problem(shape).c.elements() == 60);
    shape.row_major = true;
    CHECK(to_problem(shape).b.stride == 100);
    shape.strides = {{24, 30, 0}};
    CHECK_THROWS_AS(to_problem(shape), InputError);
}

TEST_CASE("a file that is no log is refused, with the line") {
    const std::string good = "cublasSgemm_v2,N,N,4,4,4,4,4,4,1,0,0,0,1,0,0,0,0,naive,,0\n";
    CHECK(message_of(header() + good) == "no error");
    CHECK(message_of("") == "made up: empty");
    CHECK(message_of("name,m,n,k\n").find("no column entry_point") != std::string::npos);
    for (const char* bad :
         {"something on stderr\n", "cublasSgemm_v2,N,N,4,4,x,4,4,4,1,0,0,0,1,0,0,0,0,naive,,0\n",
          "cublasSgemm_v2,X,N,4,4,4,4,4,4,1,0,0,0,1,0,0,0,0,naive,,0\n",
          "cublasSgemm_v2,N,N,4,4,4,3,4,4,1,0,0,0,1,0,0,0,0,naive,,0\n",
          "cublasSgemm_v2,N,N,4,4,4,4,4,4,1,0,0,0,1,0,0,0,0,naive,,0,extra\n"})
        CHECK(message_of(header() + good + bad).starts_with("made up, line 3: "));
}
