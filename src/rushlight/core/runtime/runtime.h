/* The structure of an open package, for the files of the runtime. */
#ifndef RL_RUNTIME_H
#define RL_RUNTIME_H
#include <stddef.h>
#include <stdint.h>

#include "pool.h"
#include "rushlight.h"

typedef struct {
    const char *name;
    int dtype, rank;
} rl_value;

/* The place of the elements of a result after a program has run: -1 for one without elements. Strides in elements. */
typedef struct {
    int64_t block, offset;
    const int64_t *sizes, *strides;
} rl_place;

enum { RL_WEIGHT, RL_ARGUMENT, RL_WORKSPACE, RL_UNUSED };

/* A block of a trace: weight or argument number `at`, or an offset in bytes in the workspace. */
typedef struct {
    int64_t kind, at, bytes;
} rl_block;

/* A trace, made for so many threads; it has the same bits on any number. */
typedef struct {
    int64_t threads, n_blocks, workspace, n_words;
    const rl_block *blocks;
    const rl_place *results;
    const int64_t *words;
} rl_program;

typedef struct {
    const int64_t **arguments; /* sizes of each */
    rl_program *traces;        /* by increasing numbers of threads */
    int64_t n_traces;
} rl_case;

struct rushlight_model {
    const char *path, *processor;
    char *file, *code;
    int64_t file_bytes, code_bytes;
    int code_stays; /* it has kernels of products, which all models share */
    int64_t n_weights, n_arguments, n_results, n_cases, n_kernels;
    const int64_t *weights; /* the offset of each in the file */
    const int64_t *weight_bytes;
    rl_value *arguments, *results;
    rl_case *cases;
    rl_kernel *kernels;
    int64_t section_at, section_bytes;
    void *kept; /* memory that is freed with the model; the first word of each piece is the address of the one before */
};

/* Set the message of an error; returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
rushlight_status rl_failed(rushlight_status status, const char *format, ...);

/* The bytes of an element, and the name, of a dtype. */
int64_t rl_item_size(int dtype);
const char *rl_dtype_name(int dtype);

rushlight_status rl_no_memory(const rushlight_model *m);

/* A reader of words of a file, between two places. */
typedef struct {
    rushlight_model *m;
    const char *at, *end;
    int bad, full; /* whether the words are no section, and whether there was no memory */
} rl_reader;
rl_reader rl_reader_of(rushlight_model *m, int64_t at, int64_t bytes);

/* The next number; 0 if there is none, and then, as after all other errors, the reader is bad. */
int64_t rl_number(rl_reader *r);
/* A number from `least` to `most`. */
int64_t rl_within(rl_reader *r, int64_t least, int64_t most);
/* How many things follow, each of at least a word. */
int64_t rl_read_count(rl_reader *r);
/* The address of so many words; NULL if there are not so many. */
const int64_t *rl_read_numbers(rl_reader *r, int64_t n);
/* A string, which the model keeps. */
const char *rl_string(rl_reader *r);
/* Zeroed memory that is freed with the model; NULL if there is none, or the reader is bad. */
void *rl_kept(rl_reader *r, int64_t n, size_t size);

/* Choose, among the processors whose code can run here, the one with the most flags, and prepare its code. */
rushlight_status rl_read_processors(rl_reader *r, int64_t n_kernels);

/* Map the file at `path` and check its checksum. */
rushlight_status rl_package_map(rushlight_model *m);

/* Read the section for C, and prepare its code. */
rushlight_status rl_package_read(rushlight_model *m);

#endif
