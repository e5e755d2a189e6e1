/* Packages of rushlight (`rushlight.package`) in C, without Python.
 *
 *     cc program.c $(python -m rushlight.packaging --cflags --libs) -o program
 *
 *     rushlight_model *model;
 *     if (rushlight_open("model.rl", &model)) { puts(rushlight_message()); return 1; }
 *     float x[4 * 6] = {...}, y[4 * 2];
 *     int64_t in[] = {4, 6}, out[] = {4, 2};
 *     rushlight_tensor input = {x, RUSHLIGHT_FLOAT32, 2, in, NULL}, output = {y, RUSHLIGHT_FLOAT32, 2, out, NULL};
 *     if (rushlight_run(model, &input, 1, &output, 1)) { puts(rushlight_message()); return 1; }
 *     rushlight_close(model);
 *
 * A package runs at the sizes that it was made for, which are its cases (`package(..., sizes=...)`): those of the
 * example alone where nothing else was asked for. Results have the bits that Python gets.
 *
 * Any number of threads may call any function here at the same time, of one model too; a model is closed when no other
 * call has it. Every function that may fail returns a status, RUSHLIGHT_OK or what is wrong, and rushlight_message()
 * has the words. Nothing is printed, and nothing ends the process.
 *
 * A file holds machine code that is run: open what you trust. It is mapped into memory, and must stay as it is while
 * the model is open. */
#ifndef RUSHLIGHT_H
#define RUSHLIGHT_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RUSHLIGHT_OK = 0,
    RUSHLIGHT_NULL,        /* an argument is NULL that may not be */
    RUSHLIGHT_CANNOT_READ, /* the file is not there, or cannot be read or mapped */
    RUSHLIGHT_DAMAGED,     /* it is no package, was cut, or was changed */
    RUSHLIGHT_VERSION,     /* it was made by another version of rushlight than this library */
    RUSHLIGHT_PROCESSOR,   /* it has no code for this processor */
    RUSHLIGHT_UNSUPPORTED, /* the model does what runs in Python alone */
    RUSHLIGHT_COUNT,       /* there are not so many arguments, results or cases */
    RUSHLIGHT_DTYPE,       /* a tensor is of another dtype */
    RUSHLIGHT_SHAPE,       /* a tensor has sizes that no case has */
    RUSHLIGHT_STRIDES,     /* a result's strides lead to one place twice */
    RUSHLIGHT_INDEX,       /* an index lies outside of its dimension */
    RUSHLIGHT_DIVISION,    /* an integer is divided by zero */
    RUSHLIGHT_BLAS,        /* OpenBLAS, which the model needs, cannot be opened */
    RUSHLIGHT_MEMORY       /* there is no memory */
} rushlight_status;

typedef enum {
    RUSHLIGHT_BOOL = 0, /* bytes, 0 or 1 */
    RUSHLIGHT_UINT8 = 1,
    RUSHLIGHT_INT8 = 2,
    RUSHLIGHT_INT16 = 3,
    RUSHLIGHT_INT32 = 4,
    RUSHLIGHT_INT64 = 5,
    RUSHLIGHT_UINT16 = 6,
    RUSHLIGHT_UINT32 = 7,
    RUSHLIGHT_UINT64 = 8,
    RUSHLIGHT_FLOAT32 = 9,
    RUSHLIGHT_FLOAT64 = 10,
    RUSHLIGHT_FLOAT16 = 11,
    RUSHLIGHT_BFLOAT16 = 12,
    RUSHLIGHT_COMPLEX64 = 13,
    RUSHLIGHT_COMPLEX128 = 14,
    RUSHLIGHT_COMPLEX32 = 15,
    RUSHLIGHT_FLOAT8_E4M3FN = 16,
    RUSHLIGHT_FLOAT8_E4M3FNUZ = 17,
    RUSHLIGHT_FLOAT8_E5M2 = 18,
    RUSHLIGHT_FLOAT8_E5M2FNUZ = 19,
    RUSHLIGHT_FLOAT8_E8M0FNU = 20
} rushlight_dtype;

enum { RUSHLIGHT_MOST_DIMS = 64 };

typedef struct rushlight_model rushlight_model;

/* A tensor in memory of the caller's: the element at index i, j, ... is data[i * strides[0] + j * strides[1] + ...].
 * Strides are in elements, and NULL where the tensor lies row by row. An argument may have any strides (0 and negative
 * ones too); those of a result must lead to no place twice. Arguments that lie row by row are read where they are,
 * others are copied first; results are written when all else is done, so that they may lie where arguments do. */
typedef struct {
    void *data; /* may be NULL where there are no elements */
    int dtype;
    int rank;
    const int64_t *sizes;   /* may be NULL where rank is 0 */
    const int64_t *strides; /* or NULL */
} rushlight_tensor;

/* What an argument or a result is; all of it is the model's. */
typedef struct {
    const char *name; /* of an argument that of the model's forward, of a result where it stands in what that returns */
    int dtype;
    int rank;
    const int64_t *sizes;
    int64_t bytes; /* of all elements, row by row */
} rushlight_value;

/* Open a package. `*model` is NULL where it fails. */
rushlight_status rushlight_open(const char *path, rushlight_model **model);

/* Give back what the model has; NULL is allowed. */
void rushlight_close(rushlight_model *model);

/* What was wrong with the last call of this thread that failed; "" where none has. It stays until the next does. */
const char *rushlight_message(void);

/* How many arguments, results and cases a model has (0 where model is NULL), and the processor that its code was made
 * for. */
int rushlight_argument_count(const rushlight_model *model);
int rushlight_result_count(const rushlight_model *model);
int rushlight_case_count(const rushlight_model *model);
const char *rushlight_processor(const rushlight_model *model);

/* Argument, or result, number k in a case. */
rushlight_status rushlight_argument(const rushlight_model *model, int which, int k, rushlight_value *value);
rushlight_status rushlight_result(const rushlight_model *model, int which, int k, rushlight_value *value);

/* Which case has arguments of these sizes; the dtypes are compared as well. */
rushlight_status rushlight_find_case(const rushlight_model *model, const rushlight_tensor *arguments, int n_arguments,
                                     int *which);

/* Run the model. What results hold after a failure is not said. */
rushlight_status rushlight_run(const rushlight_model *model, const rushlight_tensor *arguments, int n_arguments,
                               const rushlight_tensor *results, int n_results);

/* How many threads a call may use, the caller's included; those that this process may use by its affinity, its cgroup's
 * quota and OMP_NUM_THREADS where nothing was set. All models share them. 0: that number again. */
void rushlight_set_threads(int n);
int rushlight_threads(void);

/* Products of a matrix and a vector, and of complex numbers, are OpenBLAS's, which is opened when a model first needs
 * it: the file that the variable RUSHLIGHT_OPENBLAS names, else libscipy_openblas64_.so, which the loader looks for
 * where the program's rpath says (`python -m rushlight.packaging --libs` writes one). */

#ifdef __cplusplus
}
#endif
#endif
