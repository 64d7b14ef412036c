//go:build !purego

package cpu

func init() {
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return
	}
	const osxsave, avx, fma = 1 << 27, 1 << 28, 1 << 12
	_, _, ecx, _ := cpuid(1, 0)
	if ecx&osxsave == 0 || ecx&avx == 0 {
		return
	}
	const xmm, ymm = 1 << 1, 1 << 2
	if saved := xgetbv(); saved&xmm == 0 || saved&ymm == 0 {
		return
	}
	const avx2 = 1 << 5
	_, ebx, _, _ := cpuid(7, 0)
	AVX2, FMA = ebx&avx2 != 0, ecx&fma != 0
}

// cpuid executes CPUID.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns the lower half of XCR0, the registers that are saved.
func xgetbv() (eax uint32)
