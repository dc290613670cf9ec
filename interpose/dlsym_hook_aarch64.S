/* dlsym() and the stubs that it hands out, for 64-bit ARM. See dlsym_hook.cpp for what they are for.

   Assembly, because dlsym() finds its caller by the return address: RTLD_NEXT means "behind the library that calls". A
   wrapper in C would be the caller itself, and others' look-ups would go wrong or loop. */
#include "interposed_functions.h"

    .text

/* void* dlsym(void* handle, const char* name): asks sgemm_shim_decide_dlsym(handle, name, return address), which answers with a
   stub, or with the function to go on to as if this one had never been. */
    .globl dlsym
    .type dlsym, %function
    .balign 16
dlsym:
    .cfi_startproc
    hint 34                             /* bti c */
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    mov x29, sp
    stp x0, x1, [sp, #16]
    mov x2, x30
    bl sgemm_shim_decide_dlsym
    mov x9, x0
    mov x16, x1
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore 30
    .cfi_restore 29
    .cfi_def_cfa_offset 0
    cbnz x9, 1f
    br x16
1:  mov x0, x9
    ret
    .cfi_endproc
    .size dlsym, . - dlsym

/* A stub notes which library its function was looked up in, and goes on to this library's function of that name. It
   changes no register that holds an argument, and leaves the stack alone. */
.macro stub function, library
    .balign SGEMM_SHIM_STUB_SIZE
1:  hint 34                             /* bti c */
    mrs x16, tpidr_el0
    adrp x17, :gottprel:sgemm_shim_stub_library
    ldr x17, [x17, #:gottprel_lo12:sgemm_shim_stub_library]
    mov w9, #\library
    str w9, [x16, x17]
    b \function
    .org 1b + SGEMM_SHIM_STUB_SIZE      /* an error if the stub is longer */
.endm

#define STUBS(function) stub function, 1; stub function, 2; stub function, 3; stub function, 4;
#if SGEMM_SHIM_STUB_LIBRARIES != 4
#error "STUBS makes four"
#endif

    .globl sgemm_shim_stubs
    .hidden sgemm_shim_stubs
    .type sgemm_shim_stubs, %function
    .balign SGEMM_SHIM_STUB_SIZE
sgemm_shim_stubs:
    .cfi_startproc
    SGEMM_SHIM_INTERPOSED_FUNCTIONS(STUBS)
    .cfi_endproc
    .size sgemm_shim_stubs, . - sgemm_shim_stubs

/* Without it the stack becomes executable in every process that loads the library. */
    .section .note.GNU-stack, "", %progbits
