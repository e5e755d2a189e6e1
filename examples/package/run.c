/* Run a package of rushlight, made by make.py beside this file or by any program that calls rushlight.package().
 *
 *     cc run.c $(python -m rushlight.packaging --cflags --libs) -o run
 *     ./run model.rl                                 what the model takes and gives, and a run on numbers 0, 1, 2, ...
 *     ./run model.rl -c 1 -t 2 -o result x.bin y.bin  in its second case, on two threads; arguments are read from files
 *                                                    of raw elements, results are written to result.0, result.1, ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rushlight.h"

static int fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    return 1;
}

/* The number at place i, of the dtypes that are printed and filled here. */
static double element(const void *data, int dtype, int64_t i) {
    switch (dtype) {
        case RUSHLIGHT_FLOAT32: return ((const float *)data)[i];
        case RUSHLIGHT_FLOAT64: return ((const double *)data)[i];
        case RUSHLIGHT_INT64: return (double)((const int64_t *)data)[i];
        case RUSHLIGHT_INT32: return ((const int32_t *)data)[i];
        case RUSHLIGHT_BOOL:
        case RUSHLIGHT_UINT8: return ((const uint8_t *)data)[i];
        default: return 0;
    }
}

static void fill(void *data, int dtype, int64_t bytes) {
    memset(data, 0, (size_t)bytes);
    if (dtype == RUSHLIGHT_FLOAT32)
        for (int64_t i = 0; i < bytes / 4; i++) ((float *)data)[i] = (float)i / (float)(bytes / 4);
    if (dtype == RUSHLIGHT_FLOAT64)
        for (int64_t i = 0; i < bytes / 8; i++) ((double *)data)[i] = (double)i / (double)(bytes / 8);
}

static int read_file(const char *path, void *to, int64_t bytes) {
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    int whole = fread(to, 1, (size_t)bytes, f) == (size_t)bytes && fgetc(f) == EOF;
    fclose(f);
    return whole;
}

static int write_file(const char *prefix, int k, const void *from, int64_t bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", prefix, k);
    FILE *f = fopen(path, "wb");
    if (!f) return 0;
    int whole = fwrite(from, 1, (size_t)bytes, f) == (size_t)bytes;
    return fclose(f) == 0 && whole;
}

static void show(const char *what, const rushlight_value *v) {
    printf("%s '%s': dtype %d, sizes [", what, v->name, v->dtype);
    for (int d = 0; d < v->rank; d++) printf(d ? ", %lld" : "%lld", (long long)v->sizes[d]);
    printf("]\n");
}

int main(int argc, char **argv) {
    int which = 0, first = 2;
    const char *prefix = NULL;
    if (argc < 2) return fail("usage: run MODEL [-c CASE] [-t THREADS] [-o PREFIX] [FILE...]");
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "-c") == 0) which = atoi(argv[first + 1]);
        if (strcmp(argv[first], "-t") == 0) rushlight_set_threads(atoi(argv[first + 1]));
        if (strcmp(argv[first], "-o") == 0) prefix = argv[first + 1];
    }
    rushlight_model *model;
    if (rushlight_open(argv[1], &model)) return fail(rushlight_message());

    int n_in = rushlight_argument_count(model), n_out = rushlight_result_count(model), rc = 0;
    rushlight_tensor *in = calloc((size_t)n_in + 1, sizeof *in), *out = calloc((size_t)n_out + 1, sizeof *out);
    if (!in || !out) return fail("no memory");
    printf("code for %s, cases: %d\n", rushlight_processor(model), rushlight_case_count(model));
    for (int k = 0; k < n_in && !rc; k++) {
        rushlight_value v;
        if (rushlight_argument(model, which, k, &v)) {
            rc = fail(rushlight_message());
            break;
        }
        show("argument", &v);
        in[k] = (rushlight_tensor){malloc((size_t)v.bytes + 1), v.dtype, v.rank, v.sizes, NULL};
        if (!in[k].data)
            rc = fail("no memory");
        else if (first + k >= argc)
            fill(in[k].data, v.dtype, v.bytes);
        else if (!read_file(argv[first + k], in[k].data, v.bytes))
            rc = fail("a file of an argument is not there, or has other bytes than that");
    }
    for (int k = 0; k < n_out && !rc; k++) {
        rushlight_value v;
        if (rushlight_result(model, which, k, &v)) {
            rc = fail(rushlight_message());
            break;
        }
        out[k] = (rushlight_tensor){malloc((size_t)v.bytes + 1), v.dtype, v.rank, v.sizes, NULL};
        if (!out[k].data) rc = fail("no memory");
    }
    if (!rc && rushlight_run(model, in, n_in, out, n_out)) rc = fail(rushlight_message());
    for (int k = 0; k < n_out && !rc; k++) {
        rushlight_value v;
        rushlight_result(model, which, k, &v);
        show("result", &v);
        if (prefix && !write_file(prefix, k, out[k].data, v.bytes)) rc = fail("a result cannot be written");
        int64_t n = 1;
        for (int d = 0; d < v.rank; d++) n *= v.sizes[d];
        for (int64_t i = 0; i < n && i < 8 && !prefix; i++) printf(" %g", element(out[k].data, v.dtype, i));
        if (!prefix) printf(n > 8 ? " ...\n" : "\n");
    }
    for (int k = 0; k < n_in; k++) free(in[k].data);
    for (int k = 0; k < n_out; k++) free(out[k].data);
    free(in);
    free(out);
    rushlight_close(model);
    return rc;
}
