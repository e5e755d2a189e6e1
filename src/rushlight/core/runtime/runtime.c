/* include/rushlight.h: packages without Python. packaging/_runtime.py writes what is read here. */
#include "rushlight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc.h"
#include "blas.h"
#include "checked.h"
#include "runtime.h"
#include "trace_run.h"

/* ---- messages --------------------------------------------------------------------------------------------------- */

static _Thread_local char text[1024];

const char *rushlight_message(void) { return text; }

rushlight_status rl_failed(rushlight_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return status;
}

static rushlight_status no_memory(const char *what) {
    return rl_failed(RUSHLIGHT_MEMORY, "there is no memory for %s", what);
}

/* ---- what a model is -------------------------------------------------------------------------------------------- */

int rushlight_argument_count(const rushlight_model *m) { return m ? (int)m->n_arguments : 0; }
int rushlight_result_count(const rushlight_model *m) { return m ? (int)m->n_results : 0; }
int rushlight_case_count(const rushlight_model *m) { return m ? (int)m->n_cases : 0; }
const char *rushlight_processor(const rushlight_model *m) { return m ? m->processor : ""; }

static int64_t count_of(int rank, const int64_t *sizes) {
    int64_t n = 0;
    return rl_count(rank, sizes, &n) == RL_FITS ? n : -1;
}

static rushlight_status told(const rushlight_model *m, const char *function, const rl_value *values, int64_t n,
                             const char *what, int which, int k, rushlight_value *value) {
    if (!m || !value)
        return rl_failed(RUSHLIGHT_NULL, "%s(): argument '%s' must not be NULL", function, m ? "value" : "model");
    if (which < 0 || which >= m->n_cases)
        return rl_failed(RUSHLIGHT_COUNT, "%s(): the model has %d cases; found number %d", function, (int)m->n_cases,
                         which);
    if (k < 0 || k >= n)
        return rl_failed(RUSHLIGHT_COUNT, "%s(): the model has %d %s; found number %d", function, (int)n, what, k);
    const rl_case *c = &m->cases[which];
    const int64_t *sizes = values == m->arguments ? c->arguments[k] : c->traces[0].results[k].sizes;
    *value = (rushlight_value){values[k].name, values[k].dtype, values[k].rank, sizes,
                               count_of(values[k].rank, sizes) * rl_item_size(values[k].dtype)};
    return RUSHLIGHT_OK;
}

rushlight_status rushlight_argument(const rushlight_model *m, int which, int k, rushlight_value *value) {
    return told(m, "rushlight_argument", m ? m->arguments : NULL, m ? m->n_arguments : 0, "arguments", which, k, value);
}

rushlight_status rushlight_result(const rushlight_model *m, int which, int k, rushlight_value *value) {
    return told(m, "rushlight_result", m ? m->results : NULL, m ? m->n_results : 0, "results", which, k, value);
}

/* ---- tensors that a caller hands over --------------------------------------------------------------------------- */

/* Sizes as "[4, 6]"; sizes for which there is no room are left out. */
static void show_sizes(char *to, size_t room, int rank, const int64_t *sizes) {
    size_t n = 0;
    to[0] = 0;
    for (int d = 0; d <= rank && n < room; d++) {
        int wrote = d == rank ? snprintf(to + n, room - n, rank ? "]" : "[]")
                              : snprintf(to + n, room - n, "%s%lld", d ? ", " : "[", (long long)sizes[d]);
        n += (size_t)(wrote > 0 ? wrote : 0);
    }
}

static rushlight_status check_counts(const rushlight_model *m, const char *function, const void *given, int n,
                                     int64_t expected, const char *what) {
    if (!m) return rl_failed(RUSHLIGHT_NULL, "%s(): argument 'model' must not be NULL", function);
    if (n != expected)
        return rl_failed(RUSHLIGHT_COUNT, "%s(): the model has %d %s; found %d", function, (int)expected, what, n);
    if (n && !given) return rl_failed(RUSHLIGHT_NULL, "%s(): argument '%s' must not be NULL", function, what);
    return RUSHLIGHT_OK;
}

static rushlight_status check_value(const rl_value *v, const char *what, const rushlight_tensor *t) {
    if (t->dtype != v->dtype)
        return rl_failed(RUSHLIGHT_DTYPE, "%s '%s' must be of %s; found %s", what, v->name, rl_dtype_name(v->dtype),
                         rl_dtype_name(t->dtype));
    if (t->rank != v->rank)
        return rl_failed(RUSHLIGHT_SHAPE, "%s '%s' must have %d dimensions; found %d", what, v->name, v->rank, t->rank);
    if (t->rank && !t->sizes)
        return rl_failed(RUSHLIGHT_NULL, "%s '%s' must have sizes; found NULL", what, v->name);
    return RUSHLIGHT_OK;
}

static rushlight_status check_data(const rl_value *v, const char *what, const rushlight_tensor *t) {
    int64_t low, high;
    if (!t->data && count_of(t->rank, t->sizes))
        return rl_failed(RUSHLIGHT_NULL, "%s '%s' must have data; found NULL", what, v->name);
    if (t->strides && rl_reach(t->rank, t->sizes, t->strides, rl_item_size(t->dtype), 0, &low, &high) != RL_FITS)
        return rl_failed(RUSHLIGHT_STRIDES, "%s '%s' has strides that lead out of all memory", what, v->name);
    return RUSHLIGHT_OK;
}

static int same_sizes(int rank, const int64_t *a, const int64_t *b) {
    for (int d = 0; d < rank; d++)
        if (a[d] != b[d]) return 0;
    return 1;
}

/* Report the argument whose sizes fit no case, as an error. */
static rushlight_status no_case(const rushlight_model *m, const rushlight_tensor *given) {
    char found[128], expected[512] = "";
    int k = 0;
    for (; k < m->n_arguments - 1; k++) {
        int known = 0;
        for (int64_t c = 0; c < m->n_cases && !known; c++)
            known = same_sizes(given[k].rank, given[k].sizes, m->cases[c].arguments[k]);
        if (!known) break;
    }
    size_t n = 0;
    for (int64_t c = 0; c < m->n_cases && n + 1 < sizeof expected; c++) {
        if (c) n += (size_t)snprintf(expected + n, sizeof expected - n, " or ");
        if (n >= sizeof expected) break;
        show_sizes(expected + n, sizeof expected - n, given[k].rank, m->cases[c].arguments[k]);
        n = strlen(expected);
    }
    show_sizes(found, sizeof found, given[k].rank, given[k].sizes);
    return rl_failed(RUSHLIGHT_SHAPE,
                     "argument '%s' must have the sizes %s%s; found %s (rushlight.package(..., sizes=...) says for "
                     "which a file has code in C)",
                     m->arguments[k].name, expected, m->n_cases > 1 ? ", as the other arguments" : "", found);
}

rushlight_status rushlight_find_case(const rushlight_model *m, const rushlight_tensor *given, int n, int *which) {
    const char *self = "rushlight_find_case";
    if (!which) return rl_failed(RUSHLIGHT_NULL, "%s(): argument 'which' must not be NULL", self);
    rushlight_status rc = check_counts(m, self, given, n, m ? m->n_arguments : 0, "arguments");
    for (int k = 0; k < n && !rc; k++) rc = check_value(&m->arguments[k], "argument", &given[k]);
    if (rc) return rc;
    for (int64_t c = 0; c < m->n_cases; c++) {
        int fits = 1;
        for (int k = 0; k < n && fits; k++) fits = same_sizes(given[k].rank, given[k].sizes, m->cases[c].arguments[k]);
        if (fits) {
            *which = (int)c;
            return RUSHLIGHT_OK;
        }
    }
    return no_case(m, given);
}

/* Whether a tensor is row-major, with aligned elements. */
static int lies_in_rows(const rushlight_tensor *t) {
    int64_t n = 1, item = rl_item_size(t->dtype);
    if ((uintptr_t)t->data % (uintptr_t)(item > 8 ? 8 : item)) return 0;
    for (int d = t->rank - 1; d >= 0 && t->strides; d--) {
        if (t->sizes[d] != 1 && t->strides[d] != n) return 0;
        n *= t->sizes[d];
    }
    return 1;
}

/* Whether strides may reach one place twice: each must step over everything that the smaller ones reach. */
static int overlaps(int rank, const int64_t *sizes, const int64_t *strides) {
    int order[RUSHLIGHT_MOST_DIMS], n = 0;
    for (int d = 0; d < rank; d++) {
        if (sizes[d] == 0) return 0;
        if (sizes[d] == 1) continue;
        int j = n++;
        for (; j > 0 && llabs(strides[order[j - 1]]) > llabs(strides[d]); j--) order[j] = order[j - 1];
        order[j] = d;
    }
    int64_t reach = 0;
    for (int j = 0; j < n; j++) {
        int64_t step = llabs(strides[order[j]]);
        if (step <= reach) return 1;
        reach += (sizes[order[j]] - 1) * step;
    }
    return 0;
}

/* Strides in elements; NULL: row-major. */
static void copy(char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides, int rank,
                 const int64_t *sizes, int64_t item) {
    int64_t rows[2][RUSHLIGHT_MOST_DIMS], index[RUSHLIGHT_MOST_DIMS] = {0}, n = 1;
    for (int d = rank - 1; d >= 0; d--) {
        rows[0][d] = to_strides ? to_strides[d] : n;
        rows[1][d] = from_strides ? from_strides[d] : n;
        n *= sizes[d];
    }
    int64_t run = 1; /* elements of the inner dimensions that are contiguous in both */
    int outer = rank;
    while (outer > 0 && (sizes[outer - 1] == 1 || (rows[0][outer - 1] == run && rows[1][outer - 1] == run)))
        run *= sizes[--outer];
    for (int64_t left = n; left > 0; left -= run) {
        int64_t a = 0, b = 0;
        for (int d = 0; d < outer; d++) a += index[d] * rows[0][d], b += index[d] * rows[1][d];
        memcpy(to + a * item, from + b * item, (size_t)(run * item));
        for (int d = outer - 1; d >= 0 && ++index[d] == sizes[d]; d--) index[d] = 0;
    }
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static rushlight_status open_blas(void) {
    const char *path = getenv("RUSHLIGHT_OPENBLAS");
    if (!path || !*path) path = "libscipy_openblas64_.so";
    int rc = rl_blas_open(path);
    if (rc == 0) return RUSHLIGHT_OK;
    return rl_failed(rc == -3 ? RUSHLIGHT_MEMORY : RUSHLIGHT_BLAS,
                     "the model has products that OpenBLAS makes, which cannot be opened (RUSHLIGHT_OPENBLAS names the "
                     "file): %s",
                     rl_blas_error());
}

static rushlight_status run_trace(const rushlight_model *m, const rl_program *t, char *const *blocks) {
    int64_t err[4] = {0};
    rl_trace_run_args args = {t->words, t->n_words, t->n_blocks, m->n_kernels, blocks, m->kernels};
    int rc = rl_trace_run(&args, err);
    if (rc == RL_TRACE_NO_BLAS) {
        rushlight_status opened = open_blas();
        if (opened) return opened;
        rc = rl_trace_run(&args, err);
    }
    if (rc == RL_TRACE_DONE) return RUSHLIGHT_OK;
    if (rc == RL_TRACE_NO_MEMORY) return no_memory("a workspace");
    if (rc == RL_TRACE_KERNEL && err[0] == 2)
        return rl_failed(RUSHLIGHT_DIVISION, "rushlight_run(): an integer is divided by zero");
    if (rc == RL_TRACE_KERNEL)
        return rl_failed(RUSHLIGHT_INDEX, "rushlight_run(): index %lld lies outside dimension %lld, which has the size "
                         "%lld", (long long)err[1], (long long)err[3], (long long)err[2]);
    return rl_failed(RUSHLIGHT_DAMAGED, "rushlight_run(): the file tells of a call that this library does not know");
}

/* Bytes rounded up to 64, so that all blocks are aligned as the allocator's are. */
static int64_t room_of(int64_t bytes) { return rl_times_most(rl_plus_most(bytes, 63) / 64, 64); }

static rushlight_status run_case(const rushlight_model *m, const rl_case *c, const rushlight_tensor *given,
                                 const rushlight_tensor *results) {
    const rl_program *t = &c->traces[0];
    for (int64_t i = 1; i < c->n_traces; i++)
        if (c->traces[i].threads <= rushlight_threads()) t = &c->traces[i];
    int64_t table = room_of((t->n_blocks + m->n_arguments) * (int64_t)sizeof(char *)), all = table + t->workspace;
    for (int64_t k = 0; k < m->n_arguments; k++)
        if (!lies_in_rows(&given[k]))
            all = rl_plus_most(all, room_of(count_of(given[k].rank, given[k].sizes) * rl_item_size(given[k].dtype)));
    char *memory = rl_alloc((size_t)all), *free_from = memory + table + t->workspace;
    if (!memory) return no_memory("the values of the model");
    char **blocks = (char **)memory, **places = blocks + t->n_blocks;
    for (int64_t k = 0; k < m->n_arguments; k++) {
        const rushlight_tensor *x = &given[k];
        int64_t item = rl_item_size(x->dtype), n = count_of(x->rank, x->sizes);
        places[k] = x->data;
        if (lies_in_rows(x)) continue;
        copy(places[k] = free_from, NULL, x->data, x->strides, x->rank, x->sizes, item);
        free_from += room_of(n * item);
    }
    for (int64_t b = 0; b < t->n_blocks; b++) {
        const rl_block *k = &t->blocks[b];
        blocks[b] = k->kind == RL_WEIGHT      ? m->file + m->weights[k->at]
                    : k->kind == RL_ARGUMENT  ? places[k->at]
                    : k->kind == RL_WORKSPACE ? memory + table + k->at
                                              : NULL;
    }
    rushlight_status rc = run_trace(m, t, blocks);
    for (int64_t k = 0; k < m->n_results && !rc; k++) {
        const rl_place *r = &t->results[k];
        if (r->block >= 0)
            copy(results[k].data, results[k].strides, blocks[r->block] + r->offset, r->strides, results[k].rank,
                 results[k].sizes, rl_item_size(results[k].dtype));
    }
    rl_free(memory, (size_t)all);
    return rc;
}

rushlight_status rushlight_run(const rushlight_model *m, const rushlight_tensor *given, int n,
                               const rushlight_tensor *results, int n_results) {
    const char *self = "rushlight_run";
    rushlight_status rc = check_counts(m, self, given, n, m ? m->n_arguments : 0, "arguments");
    if (!rc) rc = check_counts(m, self, results, n_results, m->n_results, "results");
    int which = 0;
    if (!rc) rc = rushlight_find_case(m, given, n, &which);
    for (int k = 0; k < n && !rc; k++) rc = check_data(&m->arguments[k], "argument", &given[k]);
    for (int k = 0; k < n_results && !rc; k++) {
        const rl_value *v = &m->results[k];
        const int64_t *sizes = m->cases[which].traces[0].results[k].sizes;
        rc = check_value(v, "result", &results[k]);
        if (!rc && !same_sizes(v->rank, results[k].sizes, sizes)) {
            char expected[256], found[256];
            show_sizes(expected, sizeof expected, v->rank, sizes);
            show_sizes(found, sizeof found, v->rank, results[k].sizes);
            rc = rl_failed(RUSHLIGHT_SHAPE, "result '%s' must have the sizes %s, as these arguments are; found %s",
                           v->name, expected, found);
        }
        if (!rc) rc = check_data(v, "result", &results[k]);
        if (!rc && results[k].strides && overlaps(v->rank, results[k].sizes, results[k].strides))
            rc = rl_failed(RUSHLIGHT_STRIDES, "result '%s' has strides that lead to one place twice", v->name);
    }
    return rc ? rc : run_case(m, &m->cases[which], given, results);
}

void rushlight_set_threads(int n) { rl_set_num_threads(n < 0 ? 0 : n); }
int rushlight_threads(void) { return rl_num_threads(); }

/* ---- opening ---------------------------------------------------------------------------------------------------- */

void rushlight_close(rushlight_model *m) {
    if (!m) return;
    if (m->code && !m->code_stays) munmap(m->code, m->code_bytes);
    if (m->file) munmap(m->file, m->file_bytes);
    while (m->kept) {
        void *next = *(void **)m->kept;
        free(m->kept);
        m->kept = next;
    }
    free(m);
}

rushlight_status rushlight_open(const char *path, rushlight_model **model) {
    if (!path || !model)
        return rl_failed(RUSHLIGHT_NULL, "rushlight_open(): argument '%s' must not be NULL", path ? "model" : "path");
    *model = NULL;
    rushlight_model *m = calloc(1, sizeof *m);
    if (!m) return no_memory("a model");
    m->path = path;
    rushlight_status rc = rl_package_map(m);
    if (!rc) rc = rl_package_read(m);
    m->path = NULL;
    if (rc)
        rushlight_close(m);
    else
        *model = m;
    return rc;
}
