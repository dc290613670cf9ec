// Runs a case on the backend and judges the result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "kernel_table.hpp"
#include "reference.hpp"

namespace sgemm_shim::testing {

/// One operand in the backend's memory: one buffer for a strided batch, or one for each matrix and an array
/// of their addresses.
class DeviceOperand {
  public:
    DeviceOperand(const HostOperand& host, int misalignment, bool pointer_array);

    /// Copies the values; then poisons the padding, or everything if the operand must not be touched at all.
    void upload(const HostOperand& host, bool untouchable);
    /// In the order of the host's buffer, whose values stand where no matrix lies.
    std::vector<float> download(const HostOperand& host) const;

    template <class Element>
    MatrixBatch<Element> matrices() const {
        MatrixBatch<Element> result;
        result.leading_dimension = layout_.leading_dimension;
        if (layout_.extent() == 0) return result;  // k = 0: a program may pass NULL
        if (pointers_ != nullptr) {
            result.array = reinterpret_cast<Element* const*>(pointers_->data());
        } else {
            result.first = buffers_.front()->data() + layout_.offset(0);
            result.stride = layout_.stride;
        }
        return result;
    }

  private:
    OperandLayout layout_;
    std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
    std::unique_ptr<DeviceBuffer> pointers_;
};

/// A case with its data on the backend and its expected result, ready to be run by one kernel after another.
class PreparedCase {
  public:
    explicit PreparedCase(const GemmCase& gemm_case);

    /// Whether the kernel says that it can serve the call.
    bool is_supported_by(const Kernel& kernel);

    /// Launches the kernel, dividing its work in the ways that the seed draws. Returns what is wrong, or an
    /// empty text.
    std::string run(const Kernel& kernel);

    /// The same through plan(), with the kernel chosen by name: what it must choose, and the result.
    std::string run_through_plan(const Kernel& kernel);

    /// C's buffer after the last run.
    const std::vector<float>& result() const { return result_; }

  private:
    GemmCall make_call();
    std::string launch_and_compare(const Kernel& kernel, const GemmCall& call, const Partition& partition,
                                   const Workspace& workspace);
    /// After the same without a workspace, whose bits it must give.
    std::string meet_in_workspace(const Kernel& kernel, const Partition& partition);
    std::string find_changed_inputs() const;

    GemmCase case_;
    Problem problem_;
    Expectation expectation_;
    DeviceOperand a_, b_, c_;
    float host_scalars_[2] = {};
    DeviceBuffer device_alpha_, device_beta_;
    std::vector<float> result_;
};

}  // namespace sgemm_shim::testing
