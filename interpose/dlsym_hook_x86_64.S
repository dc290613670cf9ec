/* dlsym() and the stubs that it hands out, for x86-64. See dlsym_hook.cpp for what they are for.

   Assembly, because dlsym() finds its caller by the return address: RTLD_NEXT means "behind the library that calls". A
   wrapper in C would be the caller itself, and others' look-ups would go wrong or loop. */
#include "interposed_functions.h"

    .text

/* void* dlsym(void* handle, const char* name): asks sgemm_shim_decide_dlsym(handle, name, return address), which answers with a
   stub, or with the function to go on to as if this one had never been. */
    .globl dlsym
    .type dlsym, @function
    .balign 16
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp                       /* the stack is aligned to 16 bytes at a call */
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx
    call sgemm_shim_decide_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jnz 1f
    jmp *%rdx
1:  ret
    .cfi_endproc
    .size dlsym, . - dlsym

/* Calls sgemm_shim_note_library(%r11d) and keeps the registers that hold arguments. Those of floating-point values are
   not among them: cuBLAS takes every scalar by pointer. */
    .type note_library, @function
    .balign 16
note_library:
    .cfi_startproc
    .irp argument, %rdi, %rsi, %rdx, %rcx, %r8, %r9
    pushq \argument
    .cfi_adjust_cfa_offset 8
    .endr
    movl %r11d, %edi
    call sgemm_shim_note_library        /* the stack is aligned: 8 pushes since the program's call */
    .irp argument, %r9, %r8, %rcx, %rdx, %rsi, %rdi
    popq \argument
    .cfi_adjust_cfa_offset -8
    .endr
    ret
    .cfi_endproc
    .size note_library, . - note_library

/* A stub notes which library its function was looked up in, and goes on to this library's function of that name with
   the arguments and the stack that it was given. */
.macro stub function, library
1:  endbr64
    movl $\library, %r11d
    call note_library
    jmp \function
    .org 1b + SGEMM_SHIM_STUB_SIZE      /* an error if the stub is longer */
.endm

#define STUBS(function) stub function, 1; stub function, 2; stub function, 3; stub function, 4;
#define STUBS_OF_PRODUCT(enumerator, function) STUBS(function)
#if SGEMM_SHIM_STUB_LIBRARIES != 4
#error "STUBS makes four"
#endif

    .globl sgemm_shim_stubs
    .hidden sgemm_shim_stubs
    .type sgemm_shim_stubs, @function
    .balign SGEMM_SHIM_STUB_SIZE
sgemm_shim_stubs:
    .cfi_startproc
    SGEMM_SHIM_INTERPOSED_FUNCTIONS(STUBS_OF_PRODUCT, STUBS)
    .cfi_endproc
    .size sgemm_shim_stubs, . - sgemm_shim_stubs

/* Without it the stack becomes executable in every process that loads the library. */
    .section .note.GNU-stack, "", @progbits
