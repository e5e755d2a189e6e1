#include "restart.h"

#include "codeload.h"

#if defined(__linux__) && defined(__x86_64__)
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The word of a thread's area that the system reads: the address of the description of the thread's current sequence,
 * or NULL. */
typedef struct {
    uint32_t cpu_id_start, cpu_id;
    _Atomic uint64_t sequence;
} thread_area;

/* The system's description of a sequence (linux/rseq.h: struct rseq_cs). */
typedef struct {
    _Alignas(32) uint32_t version;
    uint32_t flags;
    uint64_t start, length, abort;
} sequence;

_Static_assert(sizeof(sequence) == 32, "the system reads it");

/* A call of a kernel: the state that the code below keeps while it runs. That code depends on the order of the fields.
   */
typedef struct {
    void *stack;
    thread_area *area;
    const sequence *of;
    const void *gate; /* the gate: the first instructions of the arena */
    _Atomic uint64_t *held;
    uint64_t word;
    rl_kernel kernel;
    int64_t outcome;
} call;

_Static_assert(offsetof(call, outcome) == 56, "the code below counts in words");

/* `rl_restart_enter(ptrs, params, begin, end, call)` registers the thread's sequence, and calls the gate. The gate is
 * in the arena and hence in the sequence: it calls the kernel only if the thread has not been preempted since (the
 * system would have cleared the word of its area) and if no other thread has taken the items. A thread that takes them
 * later makes the system end this thread's sequence. Then, or after a preemption, the thread continues at
 * `rl_restart_aborted` with undefined registers: it finds the stack of its call through the thread pointer alone. The
 * word before that address is the signature that glibc has registered for such addresses. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl rl_restart_enter\n"
        ".hidden rl_restart_enter\n"
        ".type rl_restart_enter, @function\n"
        "rl_restart_enter:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    push %r8\n"
        "    mov %rsp, 0(%r8)\n"
        "    mov 8(%r8), %r9\n"
        "    mov 16(%r8), %rax\n"
        "    mov %rax, 8(%r9)\n"
        "    call *24(%r8)\n"
        "    mov (%rsp), %r8\n"
        "    mov 8(%r8), %r9\n"
        "    movq $0, 8(%r9)\n"
        "1:  add $8, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        "    .long 0x53053053\n"
        ".globl rl_restart_aborted\n"
        ".hidden rl_restart_aborted\n"
        "rl_restart_aborted:\n"
        "    vzeroupper\n"
        "    cld\n"
        "    and $-16, %rsp\n"
        "    call rl_restart_call\n"
        "    mov 0(%rax), %rsp\n"
        "    movq $1, 56(%rax)\n"
        "    jmp 1b\n"
        ".size rl_restart_enter, .-rl_restart_enter\n"
        ".p2align 4\n"
        ".globl rl_restart_gate\n"
        ".hidden rl_restart_gate\n"
        "rl_restart_gate:\n"
        "    cmp %rax, 8(%r9)\n"
        "    jne 2f\n"
        "    mov 32(%r8), %r10\n"
        "    mov 40(%r8), %r11\n"
        "    cmp %r11, (%r10)\n"
        "    jne 3f\n"
        "    jmp *48(%r8)\n"
        "2:  movq $1, 56(%r8)\n"
        "    ret\n"
        "3:  movq $2, 56(%r8)\n"
        "    ret\n"
        ".globl rl_restart_gate_end\n"
        ".hidden rl_restart_gate_end\n"
        "rl_restart_gate_end:\n");

__attribute__((visibility("hidden"))) int64_t
rl_restart_enter(void **ptrs, const int64_t *params, int64_t begin, int64_t end, call *c);
__attribute__((visibility("hidden"))) call *rl_restart_call(void);
extern const char rl_restart_aborted[] __attribute__((visibility("hidden")));
extern const char rl_restart_gate[] __attribute__((visibility("hidden")));
extern const char rl_restart_gate_end[] __attribute__((visibility("hidden")));

static sequence arena_sequence;
static const void *gate;
static ptrdiff_t area_offset;
static _Atomic int ready; /* 1: yes, -1: no, 0: not yet known */
static _Thread_local call *running;

/* The call that this thread is in. */
call *rl_restart_call(void) { return running; }

static int register_process(void) {
    const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
    const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
    if (!size || !offset || *size == 0 || !__builtin_cpu_supports("avx")) return 0;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0) return 0;
    size_t length = (size_t)(rl_restart_gate_end - rl_restart_gate);
    void *arena;
    size_t arena_size;
    const void *placed = rl_code_load(rl_restart_gate, length);
    if (!placed || !rl_code_arena(&arena, &arena_size) || !rl_code_in_arena(placed)) return 0;
    area_offset = *offset;
    gate = placed;
    arena_sequence.start = (uint64_t)(uintptr_t)arena, arena_sequence.length = arena_size;
    arena_sequence.abort = (uint64_t)(uintptr_t)rl_restart_aborted;
    return 1;
}

int rl_restart_ready(void) {
    int is = atomic_load_explicit(&ready, memory_order_acquire);
    if (is == 0) {
        static _Atomic int asking;
        if (atomic_exchange(&asking, 1)) return 0; /* another thread is finding out: not yet, for this one */
        is = register_process() ? 1 : -1;
        atomic_store_explicit(&ready, is, memory_order_release);
        atomic_store(&asking, 0);
    }
    return is > 0;
}

void rl_restart_forked(void) {
    if (atomic_load(&ready) > 0 && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0)
        atomic_store(&ready, -1);
}

rl_outcome rl_restart_run(
    rl_desk *desk, uint64_t word, rl_kernel kernel, void **ptrs, const int64_t *params, int64_t begin, int64_t end,
    int64_t *code) {
    thread_area *area = (thread_area *)((char *)__builtin_thread_pointer() + area_offset);
    /* A negative number of a processor: glibc could not register this thread. */
    if (!rl_code_in_arena((const void *)(uintptr_t)kernel) || (int32_t)area->cpu_id < 0) return RL_PUSHED;
    call c = {
        .area = area,
        .of = &arena_sequence,
        .gate = gate,
        .held = &desk->held,
        .word = word,
        .kernel = kernel,
        .outcome = RL_RAN,
    };
    running = &c;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *code = rl_restart_enter(ptrs, params, begin, end, &c);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    running = NULL;
    return (rl_outcome)c.outcome;
}

void rl_restart_bar(void) {
    /* It fails only if the system has no memory for it at this moment. */
    while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0) sched_yield();
}

#else

int rl_restart_ready(void) { return 0; }
void rl_restart_forked(void) {}
void rl_restart_bar(void) {}
rl_outcome rl_restart_run(
    rl_desk *desk, uint64_t word, rl_kernel kernel, void **ptrs, const int64_t *params, int64_t begin, int64_t end,
    int64_t *code) {
    (void)desk, (void)word, (void)kernel, (void)ptrs, (void)params, (void)begin, (void)end, (void)code;
    return RL_PUSHED;
}
#endif
