// Functions that are compiled once per instruction set must never become symbols the linker could share between them.
//
// What CUDA's compiler reads as well, it compiles for the processor and for the device: one source for both.
#pragma once

#if defined(__CUDACC__)
#define DIFFEO_HOST_DEVICE __host__ __device__
#else
#define DIFFEO_HOST_DEVICE
#endif

#define DIFFEO_INLINE DIFFEO_HOST_DEVICE static inline __attribute__((always_inline))
#define DIFFEO_MEMBER DIFFEO_HOST_DEVICE inline __attribute__((always_inline))
