// Kernel 7, double_buffer: the next slice is on its way while this one is multiplied.
//
// The idea: everything twice.
//   - Two shared-memory buffers. The next 8 steps of k travel from global memory to registers during the
//     multiplication, are stored into the other buffer near its end, and cost one barrier for each slice
//     instead of two.
//   - Two fragment buffers. The 8 + 8 floats of step l + 1 are loaded from shared memory while step l is
//     multiplied.
//
// What changed from kernel 6: that one waits for its loads, twice in every slice. Tiles, squares, 16-byte
// loads and the transposition on the way into shared memory are the same.
//
// The loop over the slices is bare of tests: it handles whole slices, with a successor that is whole. The
// ragged last slice, if there is one, is brought in by a copy of the loop's body after it.
//
// Tile 128 x 128 x 8, 256 threads, 8 x 8 elements each, 2 blocks a multiprocessor (128 registers a thread).
// Measured: see the table in the README.
#pragma once

#include "thread_squares.cuh"

namespace sgemm_shim::double_buffer {

using namespace thread_squares;

/// The block's product for one thread's squares at (m, n) of the tile.
template <Major major_a, Major major_b, int vector_width>
class Pipeline {
  public:
    __device__ Pipeline(const GemmArguments& arguments, const TilePosition& position, unsigned thread)
        : buffers_(shared_memory<Buffers>()),
          loader_a_(view_of_a<major_a>(arguments, position.batch), position.m, arguments.m, thread),
          loader_b_(view_of_b<major_b>(arguments, position.batch), position.n, arguments.n, thread),
          place_(thread) {}

    __device__ void accumulate(Accumulator& sum, std::int64_t count_k) {
        load_next(count_k);
        publish_loaded();

        std::int64_t remaining_k = count_k - Shape::k;
        for (; remaining_k >= Shape::k; remaining_k -= Shape::k) {
            loader_a_.load();
            loader_b_.load();
            multiply_all_but_last_step(sum);
            turn_to_other_buffer();
            publish_loaded();
            multiply_add(sum, fragments_[last_step % 2]);
        }
        if (remaining_k > 0) {
            load_next(remaining_k);
            multiply_all_but_last_step(sum);
            turn_to_other_buffer();
            publish_loaded();
            multiply_add(sum, fragments_[last_step % 2]);
        }
        multiply_all_but_last_step(sum);
        multiply_add(sum, fragments_[last_step % 2]);
    }

  private:
    static constexpr int last_step = Shape::k - 1;
    static_assert(last_step % 2 == 1,
                  "the last step leaves fragment buffer 0 free for the next slice's first");

    struct Buffers {
        SliceA<Shape> a[2];
        SliceB<Shape> b[2];
    };

    /// Starts the loads of a slice that may be the ragged last one.
    __device__ void load_next(std::int64_t remaining_k) {
        if (remaining_k >= Shape::k) {
            loader_a_.load();
            loader_b_.load();
        } else {
            loader_a_.load_last(static_cast<int>(remaining_k));
            loader_b_.load_last(static_cast<int>(remaining_k));
        }
    }

    /// Stores the loaded slice into the current buffer and fetches its first fragment. One barrier is enough:
    /// the buffer was last read before the barrier of the slice before.
    __device__ void publish_loaded() {
        loader_a_.store(buffers_.a[current_]);
        loader_b_.store(buffers_.b[current_]);
        synchronize_block();
        load_fragment(0);
    }

    __device__ void multiply_all_but_last_step(Accumulator& sum) {
#pragma unroll
        for (int k = 0; k < last_step; ++k) {
            load_fragment(k + 1);
            multiply_add(sum, fragments_[k % 2]);
        }
    }

    __device__ void load_fragment(int k) {
        fragments_[k % 2].load(buffers_.a[current_], buffers_.b[current_], k, place_.m, place_.n);
    }

    __device__ void turn_to_other_buffer() {
        current_ ^= 1;
    }

    Buffers& buffers_;
    LoaderA<Shape, major_a, vector_width> loader_a_;
    LoaderB<Shape, major_b, vector_width> loader_b_;
    ThreadPlace place_;
    Fragment fragments_[2];
    int current_ = 0;
};

template <Major major_a, Major major_b, int vector_width>
__global__ void __launch_bounds__(Shape::threads, 2) kernel(GemmArguments arguments) {
    const TilePosition position = tile_position<Shape::m, Shape::n>(block_index(), arguments);
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    const ThreadPlace place(thread_index());
    Accumulator sum{};
    if (epilogue.has_product()) {
        Pipeline<major_a, major_b, vector_width> pipeline(arguments, position, thread_index());
        pipeline.accumulate(sum, arguments.k);
    }
    write_squares(arguments, epilogue, matrix_c(arguments, position.batch), position.m + place.m,
                  position.n + place.n, sum);
}

}  // namespace sgemm_shim::double_buffer
