// Functions that are compiled once per instruction set must never become symbols the linker could share between them.
#pragma once

#define DIFFEO_INLINE static inline __attribute__((always_inline))
#define DIFFEO_MEMBER inline __attribute__((always_inline))
