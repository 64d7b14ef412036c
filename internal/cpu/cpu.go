// Package cpu reports what the processor offers to kernels in assembly.
package cpu

var (
	// AVX2 reports vectors of 256 bits: Intel's processors since 2013, AMD's
	// since 2015, where the operating system saves their registers.
	AVX2 bool
	// FMA reports fused multiply-add on such vectors.
	FMA bool
)
