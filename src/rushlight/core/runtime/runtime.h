/* What an open package is, for the files of the runtime. */
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

/* Where the elements of a result lie when a program has run: -1 for one without elements. Strides in elements. */
typedef struct {
    int64_t block, offset;
    const int64_t *sizes, *strides;
} rl_place;

enum { RL_WEIGHT, RL_ARGUMENT, RL_WORKSPACE, RL_UNUSED };

/* A block of a trace: weight or argument number `at`, or so many bytes from the workspace's beginning. */
typedef struct {
    int64_t kind, at, bytes;
} rl_block;

/* A trace, made for so many threads; it gives its bits on any number. */
typedef struct {
    int64_t threads, n_blocks, workspace, n_words;
    const rl_block *blocks;
    const rl_place *results;
    const int64_t *words;
} rl_program;

typedef struct {
    const int64_t **arguments; /* sizes of each */
    rl_program *traces;        /* by rising numbers of threads */
    int64_t n_traces;
} rl_case;

struct rushlight_model {
    const char *path, *processor;
    char *file, *code;
    int64_t file_bytes, code_bytes;
    int code_stays; /* kernels of products, which all models share, lie in it */
    int64_t n_weights, n_arguments, n_results, n_cases, n_kernels;
    const int64_t *weights; /* where each begins in the file */
    const int64_t *weight_bytes;
    rl_value *arguments, *results;
    rl_case *cases;
    rl_kernel *kernels;
    int64_t section_at, section_bytes;
    void *kept; /* memory that goes with the model, each piece with the one before in its first word */
};

/* Say what is wrong; gives the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
rushlight_status rl_failed(rushlight_status status, const char *format, ...);

/* The bytes of an element, and the name, of a dtype. */
int64_t rl_item_size(int dtype);
const char *rl_dtype_name(int dtype);

rushlight_status rl_no_memory(const rushlight_model *m);

/* What reads words of a file, between two places. */
typedef struct {
    rushlight_model *m;
    const char *at, *end;
    int bad, full; /* the words are no section; there was no memory */
} rl_reader;
rl_reader rl_reader_of(rushlight_model *m, int64_t at, int64_t bytes);

/* The next number; 0 where there is none. The reader is bad then, and after all else that does not fit. */
int64_t rl_number(rl_reader *r);
/* A number from `least` to `most`. */
int64_t rl_within(rl_reader *r, int64_t least, int64_t most);
/* How many things follow, each of a word at least. */
int64_t rl_read_count(rl_reader *r);
/* So many words, where they are; NULL where there are not so many. */
const int64_t *rl_read_numbers(rl_reader *r, int64_t n);
/* A string, which the model keeps. */
const char *rl_string(rl_reader *r);
/* Memory that goes with the model, all zeros; NULL where there is none, or the reader is bad. */
void *rl_kept(rl_reader *r, int64_t n, size_t size);

/* Choose the processor whose code runs here and asks most of it, and make that ready. */
rushlight_status rl_read_processors(rl_reader *r, int64_t n_kernels);

/* Map the file of `path` and compare its checksum. */
rushlight_status rl_package_map(rushlight_model *m);

/* Read what the file has for C, and make its code ready. */
rushlight_status rl_package_read(rushlight_model *m);

#endif
