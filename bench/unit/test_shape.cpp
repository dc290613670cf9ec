#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "shape.hpp"
#include "text.hpp"

using namespace sgemm_bench;

namespace {

const std::string header = "name,m,n,k,transA,transB,batch,lda,ldb,ldc,beta,source\n";

std::vector<Shape> read(const std::string& text) {
    std::istringstream file(text);
    return read_shapes(file);
}

}  // namespace

TEST_CASE("leading dimensions follow the transposition") {
    Shape shape;
    shape.m = 5;
    shape.n = 7;
    shape.k = 11;
    for (const char a : {'N', 'T'}) {
        for (const char b : {'N', 'T'}) {
            shape.operations = {a, b};
            const Problem problem = to_problem(shape);
            CHECK(problem.a.leading_dimension == (a == 'N' ? 5 : 11));
            CHECK(problem.a.columns == (a == 'N' ? 11 : 5));
            CHECK(problem.b.leading_dimension == (b == 'N' ? 11 : 7));
            CHECK(problem.b.columns == (b == 'N' ? 7 : 11));
            CHECK(problem.c.leading_dimension == 5);
            CHECK(problem.c.columns == 7);
        }
    }
}

TEST_CASE("row-major shapes swap everything that belongs to an operand") {
    Shape shape;
    shape.m = 5;
    shape.n = 7;
    shape.k = 11;
    shape.operations = {'N', 'T'};  // row-major A is 5 x 11, pitch 11; B is 7 x 11, pitch 11
    shape.lda = 20;
    shape.ldc = 9;
    shape.row_major = true;
    shape.variation = {{1, 2, 3}, 4};
    const Problem problem = to_problem(shape);
    CHECK(problem.m == 7);
    CHECK(problem.n == 5);
    CHECK(problem.operations.a == 'T');
    CHECK(problem.operations.b == 'N');
    CHECK(problem.a.leading_dimension == 15);  // the row-major B: 11 and the pad
    CHECK(problem.a.columns == 7);
    CHECK(problem.a.misalignment == 2);
    CHECK(problem.b.leading_dimension == 20);
    CHECK(problem.b.columns == 5);
    CHECK(problem.b.misalignment == 1);
    CHECK(problem.c.leading_dimension == 9);
    CHECK(problem.c.misalignment == 3);
}

TEST_CASE("a leading dimension that is too small is refused") {
    Shape shape;
    shape.m = shape.n = shape.k = 8;
    shape.ldb = 7;
    CHECK_THROWS_AS(to_problem(shape), InputError);
}

TEST_CASE("operations and bytes") {
    Shape shape = parse_shapes("4,5,6,NN,3", {}).front();
    CHECK(to_problem(shape).flops() == 2.0 * 4 * 5 * 6 * 3);
    CHECK(to_problem(shape).bytes() == 4.0 * 3 * (4 * 6 + 6 * 5 + 4 * 5));
    shape.beta = 1;
    shape.lda = 100;  // stored padding does not count
    CHECK(to_problem(shape).bytes() == 4.0 * 3 * (4 * 6 + 6 * 5 + 2 * 4 * 5));
}

TEST_CASE("copies keep the alignment and cover the bytes asked for") {
    Shape shape = parse_shapes("33,17,5,NN", {}).front();
    shape.variation.misalignment = {1, 0, 3};
    const Problem problem = to_problem(shape);
    for (const Storage& storage : {problem.a, problem.b, problem.c}) {
        CHECK(storage.spacing() % 64 == 0);
        CHECK(storage.spacing() >= storage.elements() + storage.misalignment);
    }
    const std::int64_t count = rotation_count(problem, 1'000'000, 4096);
    CHECK(count * problem.spacing_bytes() >= 1'000'000);
    CHECK((count - 1) * problem.spacing_bytes() < 1'000'000);
    CHECK(rotation_count(problem, 1'000'000, 3) == 3);
    CHECK(rotation_count(problem, 1, 4096) == 1);
}

TEST_CASE("shapes of the command line") {
    const auto shapes = parse_shapes("1,2,3;4,5,6,TN;7,8,9,NT,10", {{'N', 'N'}, {'T', 'T'}});
    REQUIRE(shapes.size() == 4);
    CHECK(shapes[0].name == "1x2x3_NN");
    CHECK(shapes[1].name == "1x2x3_TT");
    CHECK(shapes[2].name == "4x5x6_TN");
    CHECK(shapes[3].name == "7x8x9_NT_b10");
    CHECK(shapes[3].batch == 10);
    for (const char* bad : {"1,2", "1,2,3,NX", "1,2,3,NN,4,5", "0,1,1", "-1,1,1", "a,1,1", "1,1,1x",
                            "4294967296,1,1", "1,1,1,N"})
        CHECK_THROWS_AS(parse_shapes(bad, {{'N', 'N'}}), InputError);
    CHECK_THROWS_AS(parse_shapes("", {{'N', 'N'}}), InputError);
}

TEST_CASE("sizes and ranges of them") {
    using Sizes = std::vector<std::int64_t>;
    CHECK(parse_sizes("256,100") == Sizes{256, 100});
    CHECK(parse_sizes("128:512:128,7") == Sizes{128, 256, 384, 512, 7});
    CHECK(parse_sizes("1:6:2") == Sizes{1, 3, 5});
    CHECK(parse_sizes("5:5:1") == Sizes{5});
    CHECK(parse_sizes("128:1920:128").size() == 15);
    CHECK(parse_sizes("2147483646:2147483647:2147483647") == Sizes{2147483646});
    for (const char* bad : {"", "1,", "1:2", "1:2:3:4", "0:2:1", "2:1:1", "1:2:0", "1:2:-1", "2147483648"})
        CHECK_THROWS_AS(parse_sizes(bad), InputError);
}

TEST_CASE("random shapes: the same for a seed, in bounds, spread over every octave and operation") {
    const auto shapes = random_shapes(2000, 7);
    REQUIRE(shapes.size() == 2000);
    std::map<int, int> octaves;
    std::map<std::string, int> operations;
    for (const Shape& shape : shapes) {
        for (const std::int64_t size : {shape.m, shape.n, shape.k}) {
            CHECK((size >= 1 && size <= 8192));
            ++octaves[std::ilogb(static_cast<double>(size))];
        }
        ++operations[{shape.operations.a, shape.operations.b}];
        CHECK(shape.batch == 1);
    }
    // 6000 draws over 13 octaves (8192 alone is the fourteenth), 2000 over four pairs: five deviations wide.
    for (int octave = 0; octave < 13; ++octave) CHECK(std::abs(octaves[octave] - 6000 / 13) < 105);
    CHECK(operations.size() == 4);
    for (const auto& [pair, count] : operations) CHECK(std::abs(count - 500) < 97);

    // Whoever repeats a run with another build or library must get these.
    const auto first = random_shapes(3, 1);
    CHECK(first[0].name == "3x3x58_NT");
    CHECK(first[1].name == "23x3685x69_TN");
    CHECK(first[2].name == "169x306x2_TT");
    CHECK(random_shapes(3, 2)[0].name != first[0].name);
    // A row's name is what repeats it.
    const auto again = parse_shapes("3,3,58,NT", {});
    CHECK(again[0].name == first[0].name);
}

TEST_CASE("shapes that no memory holds are refused") {
    const std::string most = "2147483647";
    CHECK_THROWS_AS(to_problem(parse_shapes(most + "," + most + ",1,NN," + most, {}).front()), InputError);
    CHECK_NOTHROW(to_problem(parse_shapes(most + ",1,1,NN", {}).front()));
    Shape padded = parse_shapes(most + ",1,1,NN", {}).front();
    padded.variation.leading_dimension_pad = 1;
    CHECK_THROWS_AS(to_problem(padded), InputError);
}

TEST_CASE("unaligned shapes stand behind the aligned one") {
    Shape shape = parse_shapes("8,12,16,TN", {}).front();
    shape.ldb = 20;
    const auto shapes = with_unaligned({shape, shape});
    REQUIRE(shapes.size() == 6);
    CHECK(shapes[3].name == "8x12x16_TN");
    const Problem aligned = to_problem(shapes[0]);
    const Problem misaligned = to_problem(shapes[1]);
    const Problem padded = to_problem(shapes[2]);
    CHECK(aligned.a.misalignment + aligned.b.misalignment + aligned.c.misalignment == 0);
    CHECK(misaligned.a.misalignment == 1);
    CHECK(misaligned.b.misalignment == 1);
    CHECK(misaligned.c.misalignment == 1);
    CHECK(misaligned.a.leading_dimension == 16);
    CHECK(padded.a.misalignment == 0);
    CHECK(padded.a.leading_dimension == 17);
    CHECK(padded.b.leading_dimension == 20);  // the shape says so
    CHECK(padded.c.leading_dimension == 9);
}

TEST_CASE("shapes that are listed read back as the same calls") {
    std::vector<Shape> shapes = parse_shapes("4,5,6,TN,3;7,8,9,NT", {});
    shapes[0].row_major = true;
    shapes[0].beta = 0.1f;
    shapes[1].ldb = 20;
    shapes[0].variation.leading_dimension_pad = 2;
    std::stringstream file;
    write_shapes(file, shapes);
    const auto listed = read_shapes(file);
    REQUIRE(listed.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const Problem wanted = to_problem(shapes[i]);
        const Problem found = to_problem(listed[i]);
        CHECK(listed[i].name == shapes[i].name);
        CHECK(found.m == wanted.m);
        CHECK(found.n == wanted.n);
        CHECK(found.k == wanted.k);
        CHECK(found.operations.a == wanted.operations.a);
        CHECK(found.operations.b == wanted.operations.b);
        CHECK(found.batch == wanted.batch);
        CHECK(found.beta == wanted.beta);
        CHECK(found.a.leading_dimension == wanted.a.leading_dimension);
        CHECK(found.b.leading_dimension == wanted.b.leading_dimension);
        CHECK(found.c.leading_dimension == wanted.c.leading_dimension);
    }
}

TEST_CASE("operations") {
    CHECK(parse_operations("NN,TT").size() == 2);
    for (const char* bad : {"", "N", "nn", "NC", "NN,,TT", "NNN"})
        CHECK_THROWS_AS(parse_operations(bad), InputError);
}

TEST_CASE("a shapes file: empty fields, quotes, comments") {
    const auto shapes =
        read("# made up\n" + header + "a,1,2,3,T,N,,,,,,\"x, \"\"y\"\"\"\r\nb,4,5,6,N,T,7,8,9,10,-0.5,\n");
    REQUIRE(shapes.size() == 2);
    CHECK(shapes[0].batch == 1);
    CHECK(shapes[0].lda == 0);
    CHECK(shapes[0].beta == 0);
    CHECK(shapes[0].operations.a == 'T');
    CHECK(shapes[1].batch == 7);
    CHECK(shapes[1].lda == 8);
    CHECK(shapes[1].ldb == 9);
    CHECK(shapes[1].ldc == 10);
    CHECK(shapes[1].beta == -0.5f);
    for (const std::string& bad : {std::string("m,n,k\n1,2,3\n"), header, header + "a,1,2\n",
                                   header + "a,1,2,3,N,N,0,,,,,\n", header + "a,1,2,3,N,N,1,,,,x,\n",
                                   header + "a,1,2,3,N,N,1,,,,inf,\n", header + "\"a,1,2,3,N,N,1,,,,,\n"})
        CHECK_THROWS_AS(read(bad), InputError);
}

TEST_CASE("the recorded shapes are legal") {
    std::ifstream file(SHAPES_FILE);
    const auto shapes = read_shapes(file);
    CHECK(shapes.size() == 79);
    for (const Shape& shape : shapes) CHECK_NOTHROW(to_problem(shape));
}

TEST_CASE("the second source's shapes are row-major") {
    const auto shapes = second_source_shapes();
    REQUIRE(shapes.size() == 6);
    const Problem first = to_problem(shapes[0]);
    CHECK(first.m == 1605632);
    CHECK(first.n == 32);
    CHECK(first.k == 27);
    CHECK(first.a.leading_dimension == 1605632);
}
