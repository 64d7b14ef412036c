//go:build !purego

#include "textflag.h"

// func sumSignsAVX2(sums *uint16, signs, table *byte, bytes, blocks int)
//
// A block holds 32 codes: byte 0 of all 32, then byte 1 of all 32, and so on.
// Each half of a byte selects one of 16 table entries. Entries have 8 bits and
// sums 16, so each word of Y0 adds up two codes: the even one's sum plus 256
// times the odd one's. Y1 adds up the odd one alone.
TEXT ·sumSignsAVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	MOVQ signs+8(FP), SI
	MOVQ table+16(FP), R8
	MOVQ bytes+24(FP), R9
	MOVQ blocks+32(FP), R10
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ R8, BX
	MOVQ R9, CX

byte:
	VMOVDQU (SI), Y2
	VBROADCASTI128 (BX), Y4
	VBROADCASTI128 16(BX), Y5
	VPSRLW $4, Y2, Y3
	VPAND Y15, Y2, Y2
	VPAND Y15, Y3, Y3
	VPSHUFB Y2, Y4, Y4
	VPSHUFB Y3, Y5, Y5
	VPADDW Y4, Y0, Y0
	VPADDW Y5, Y0, Y0
	VPSRLW $8, Y4, Y4
	VPSRLW $8, Y5, Y5
	VPADDW Y4, Y1, Y1
	VPADDW Y5, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, BX
	DECQ CX
	JNZ byte

	VPSLLW $8, Y1, Y2
	VPSUBW Y2, Y0, Y0 // the even codes
	VPUNPCKLWD Y1, Y0, Y2 // codes 0–7 and 16–23
	VPUNPCKHWD Y1, Y0, Y3 // codes 8–15 and 24–31
	VPERM2I128 $0x20, Y3, Y2, Y4
	VPERM2I128 $0x31, Y3, Y2, Y5
	VMOVDQU Y4, (DI)
	VMOVDQU Y5, 32(DI)
	ADDQ $64, DI
	DECQ R10
	JNZ block
	VZEROUPPER
	RET

// func dotLowBitsAVX2(products *int32, lowBits *byte, places *uint32, n int, numbers *int8, groups int)
//
// A group is 32 bytes of a code: the lower halves belong to the first 32 of 64
// numbers, the upper halves to the other 32. The sum of four products of at most
// 15·127 fits into a word. Codes lie far apart in memory, so the code eight
// places ahead is prefetched.
TEXT ·dotLowBitsAVX2(SB), NOSPLIT, $0-48
	MOVQ products+0(FP), DI
	MOVQ lowBits+8(FP), R8
	MOVQ places+16(FP), R9
	MOVQ n+24(FP), R10
	MOVQ numbers+32(FP), R11
	MOVQ groups+40(FP), R12
	MOVQ R12, R13
	SHLQ $5, R13 // bytes of a code
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	MOVL $0x00010001, AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14

code:
	CMPQ R10, $8
	JLE last
	MOVL 32(R9), AX
	IMULQ R13, AX
	PREFETCHT0 (R8)(AX*1)
	PREFETCHT0 64(R8)(AX*1)

last:
	MOVL (R9), AX
	IMULQ R13, AX
	LEAQ (R8)(AX*1), SI
	MOVQ R11, BX
	MOVQ R12, CX
	VPXOR Y0, Y0, Y0

group:
	VMOVDQU (SI), Y2
	VPSRLW $4, Y2, Y3
	VPAND Y15, Y2, Y2
	VPAND Y15, Y3, Y3
	VPMADDUBSW (BX), Y2, Y2
	VPMADDUBSW 32(BX), Y3, Y3
	VPADDW Y2, Y3, Y3
	VPMADDWD Y14, Y3, Y3
	VPADDD Y3, Y0, Y0
	ADDQ $32, SI
	ADDQ $64, BX
	DECQ CX
	JNZ group

	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (DI)
	ADDQ $4, DI
	ADDQ $4, R9
	DECQ R10
	JNZ code
	VZEROUPPER
	RET
