# SPDX-License-Identifier: BSD-3-Clause
# Writes wgmma_shapes.inc: one function per shape of the tensor-core instruction, since its
# operands must be spelled out. Run again after changing the lists.
import pathlib

TF32 = [32, 64]  # columns of a chunk of positions
BF16 = [32, 64, 80, 112, 128, 192]  # those, and the widths of whitened patches
TRANSPOSED = [32, 64, 80, 112, 128, 192]  # widths of patches, in the gradient's product


def function(name, shape, kinds, n, trans):
    half = n // 2
    regs = ", ".join(f"%{i}" for i in range(half))
    ops = ", ".join(f'"+f"(d[{i}])' for i in range(half))
    a = ", ".join(f"%{half + i}" for i in range(4))
    tail = "1, 1" + trans
    return f"""template <>
struct {name}<{n}> {{
  static __device__ __forceinline__ void run(float (&d)[{half}], const unsigned (&a)[4],
                                             unsigned long long b, int add) {{
    asm volatile(
        "{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{half + 5}, 0;\\n"
        "wgmma.mma_async.sync.aligned.m64n{n}{shape}.f32.{kinds} {{{regs}}}, {{{a}}}, %{half + 4}, p, {tail};\\n}}\\n"
        : {ops}
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
  }}
}};
"""


with open(pathlib.Path(__file__).with_name("wgmma_shapes.inc"), "w") as f:
    f.write("// SPDX-License-Identifier: BSD-3-Clause\n// Written by make_wgmma.py.\n// clang-format off\n")
    for n in TF32:
        f.write(function("MmaTf32", "k8", "tf32.tf32", n, ""))
    for n in BF16:
        f.write(function("MmaBf16", "k16", "bf16.bf16", n, ", 0"))
    for n in TRANSPOSED:
        f.write(function("MmaBf16Transposed", "k16", "bf16.bf16", n, ", 1"))
