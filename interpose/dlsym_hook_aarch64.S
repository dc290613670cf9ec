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

/* Calls sgemm_shim_note_library(w9) and keeps the registers that hold arguments. Those of floating-point values are not
   among them: cuBLAS takes every scalar by pointer. */
    .type note_library, %function
    .balign 16
note_library:
    .cfi_startproc
    stp x29, x30, [sp, #-96]!
    .cfi_def_cfa_offset 96
    .cfi_offset 29, -96
    .cfi_offset 30, -88
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    mov w0, w9
    bl sgemm_shim_note_library
    ldr x8, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #96
    .cfi_restore 30
    .cfi_restore 29
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size note_library, . - note_library

/* A stub notes which library its function was looked up in, and goes on to this library's function of that name with
   the arguments and the stack that it was given. */
.macro stub function, library
1:  hint 34                             /* bti c */
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    mov w9, #\library
    bl note_library
    ldp x29, x30, [sp], #16
    .cfi_restore 30
    .cfi_restore 29
    .cfi_def_cfa_offset 0
    b \function
    .org 1b + SGEMM_SHIM_STUB_SIZE      /* an error if the stub is longer */
.endm

#define STUBS(function) stub function, 1; stub function, 2; stub function, 3; stub function, 4;
#define STUBS_OF_PRODUCT(enumerator, function) STUBS(function)
#if SGEMM_SHIM_STUB_LIBRARIES != 4
#error "STUBS makes four"
#endif

    .globl sgemm_shim_stubs
    .hidden sgemm_shim_stubs
    .type sgemm_shim_stubs, %function
    .balign SGEMM_SHIM_STUB_SIZE
sgemm_shim_stubs:
    .cfi_startproc
    SGEMM_SHIM_INTERPOSED_FUNCTIONS(STUBS_OF_PRODUCT, STUBS)
    .cfi_endproc
    .size sgemm_shim_stubs, . - sgemm_shim_stubs

/* Without it the stack becomes executable in every process that loads the library. */
    .section .note.GNU-stack, "", %progbits
