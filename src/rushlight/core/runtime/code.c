/* The machine code of packages: the processors that it is for, its place in memory, and its registration for products
 * and attention. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "attention.h"
#include "product.h"
#include "runtime.h"

enum { PAGE = 4096 };

/* ---- code ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t at, bytes, entry, n_calls, place;
    const int64_t *calls; /* pairs: the place for the address of a piece, and the number of that piece */
} piece;

/* Kernels of products belong to the process, not to a model: those of the first model that has any are used. */
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static char shared_path[32];
static unsigned char has_product[RL_PRODUCT_DTYPES], has_table[RL_PRODUCT_DTYPES], has_bf16;

typedef struct {
    const char *name, *code_path;
    int64_t n_pieces, n_products, n_bf16, n_attention;
    piece *pieces;
    const int64_t *kernels, *products, *bf16, *attention;
} processor;

enum { PRODUCT_WORDS = 8, ATTENTION_WORDS = 5 };

static void read_pieces(rl_reader *r, processor *p) {
    p->n_pieces = rl_read_count(r);
    p->pieces = rl_kept(r, p->n_pieces, sizeof *p->pieces);
    for (int64_t i = 0; i < p->n_pieces && !r->bad; i++) {
        piece *x = &p->pieces[i];
        x->at = rl_within(r, 0, r->m->file_bytes);
        x->bytes = rl_within(r, 1, r->m->file_bytes - x->at);
        x->entry = rl_within(r, 0, x->bytes - 1);
        x->n_calls = rl_read_count(r);
        x->calls = rl_read_numbers(r, 2 * x->n_calls);
        for (int64_t c = 0; c < x->n_calls && !r->bad; c++)
            if (x->calls[2 * c] < 0 || x->calls[2 * c] > x->bytes - 8 || x->calls[2 * c + 1] < 0 ||
                x->calls[2 * c + 1] >= p->n_pieces)
                r->bad = 1;
    }
}

/* Whether each of n numbers is that of a piece, or -1 where a piece may be missing. */
static void check_pieces(rl_reader *r, const processor *p, const int64_t *given, int64_t n, int64_t least) {
    for (int64_t i = 0; i < n && !r->bad; i++)
        if (given[i] < least || given[i] >= p->n_pieces) r->bad = 1;
}

static void read_code(rl_reader *r, processor *p, int64_t n_kernels) {
    read_pieces(r, p);
    p->kernels = rl_read_numbers(r, n_kernels);
    check_pieces(r, p, p->kernels, n_kernels, 0);
    p->n_products = rl_read_count(r);
    p->products = rl_read_numbers(r, PRODUCT_WORDS * p->n_products);
    for (int64_t i = 0; i < p->n_products && !r->bad; i++) {
        /* dtype, rows, columns, tile, pack, narrow, table, turned */
        const int64_t *x = p->products + PRODUCT_WORDS * i;
        if (x[0] < 0 || x[0] >= RL_PRODUCT_DTYPES || x[1] < 1 || x[1] > 16 || x[2] < 1 || x[2] > 1024) r->bad = 1;
        check_pieces(r, p, x + 3, 2, 0);
        check_pieces(r, p, x + 5, 3, -1);
    }
    p->n_bf16 = rl_read_count(r);
    p->bf16 = rl_read_numbers(r, p->n_bf16);
    check_pieces(r, p, p->bf16, p->n_bf16, 0);
    if (p->n_bf16 != 0 && p->n_bf16 != 3) r->bad = 1;
    p->n_attention = rl_read_count(r);
    p->attention = rl_read_numbers(r, ATTENTION_WORDS * p->n_attention);
    for (int64_t i = 0; i < p->n_attention && !r->bad; i++) {
        const int64_t *x = p->attention + ATTENTION_WORDS * i; /* dtype, backward, mask, rows, finish */
        if (x[0] < 0 || x[0] >= RL_PRODUCT_DTYPES || x[1] >> 1 || x[2] < 0 || x[2] >= RL_MASKS) r->bad = 1;
        check_pieces(r, p, x + 3, 1, 0);
        check_pieces(r, p, x + 4, 1, -1);
    }
}

/* Put all pieces into their own pages, with the addresses of the functions that they call. */
static rushlight_status load_code(rl_reader *r, processor *p) {
    rushlight_model *m = r->m;
    for (int64_t i = 0; i < p->n_pieces; i++) {
        p->pieces[i].place = m->code_bytes;
        m->code_bytes += (p->pieces[i].bytes + PAGE - 1) / PAGE * PAGE;
    }
    if (!m->code_bytes) return RUSHLIGHT_OK;
    char *code = mmap(NULL, (size_t)m->code_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return rl_no_memory(m);
    m->code = code;
    for (int64_t i = 0; i < p->n_pieces; i++) {
        const piece *x = &p->pieces[i];
        memcpy(code + x->place, m->file + x->at, (size_t)x->bytes);
        for (int64_t c = 0; c < x->n_calls; c++) {
            const piece *called = &p->pieces[x->calls[2 * c + 1]];
            uint64_t address = (uint64_t)(uintptr_t)(code + called->place + called->entry);
            memcpy(code + x->place + x->calls[2 * c], &address, 8);
        }
    }
    if (mprotect(code, (size_t)m->code_bytes, PROT_READ | PROT_EXEC) != 0)
        return rl_failed(RUSHLIGHT_MEMORY, "rushlight_open(): the system lets no code of '%s' be run: %s", m->path,
                         strerror(errno));
    __builtin___clear_cache(code, code + m->code_bytes);
    return RUSHLIGHT_OK;
}

static void *entry_of(const rushlight_model *m, const processor *p, int64_t k) {
    return k < 0 ? NULL : m->code + p->pieces[k].place + p->pieces[k].entry;
}

/* Under the lock: let products and attention use a model's kernels if they have none. */
static void share_kernels(rushlight_model *m, const processor *p) {
    snprintf(shared_path, sizeof shared_path, "%s", p->code_path);
    for (int64_t i = 0; i < p->n_products; i++) {
        const int64_t *x = p->products + PRODUCT_WORDS * i;
        int dtype = (int)x[0];
        if (!has_product[dtype]) {
            rl_product_use(dtype, (rl_tile_fn)entry_of(m, p, x[3]), (rl_panel_fn)entry_of(m, p, x[4]),
                           (rl_panel_fn)entry_of(m, p, x[5]), x[1], x[2]);
            has_product[dtype] = 1, m->code_stays = 1;
        }
        if (x[6] >= 0 && x[7] >= 0 && !has_table[dtype]) {
            rl_product_use_table(dtype, (rl_tile_fn)entry_of(m, p, x[6]), (rl_tile_fn)entry_of(m, p, x[7]));
            has_table[dtype] = 1, m->code_stays = 1;
        }
    }
    if (p->n_bf16 && !has_bf16) {
        rl_product_use_bf16((rl_tile_fn)entry_of(m, p, p->bf16[0]), (rl_panel_fn)entry_of(m, p, p->bf16[1]),
                           (rl_panel_fn)entry_of(m, p, p->bf16[2]));
        has_bf16 = 1, m->code_stays = 1;
    }
    for (int64_t i = 0; i < p->n_attention; i++) {
        const int64_t *x = p->attention + ATTENTION_WORDS * i;
        rl_attention call = {.dtype = (int)x[0], .backward = (int)x[1], .mask = (int)x[2]};
        if (rl_attention_ready(&call)) continue;
        rl_attention_use(call.dtype, call.backward, call.mask, (rl_rows_fn)entry_of(m, p, x[3]),
                         (rl_finish_fn)entry_of(m, p, x[4]));
        m->code_stays = 1;
    }
}

/* ---- processors ------------------------------------------------------------------------------------------------- */

/* The flags that Linux shows for this processor, between spaces; the caller frees them. NULL: no memory. */
static char *own_flags(void) {
    FILE *f = fopen("/proc/cpuinfo", "re");
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (f && !found && getline(&line, &room, f) > 0) {
        char *from = strchr(line, ':');
        if (!from || (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0)) continue;
        size_t n = strlen(from);
        found = malloc(n + 2);
        if (!found) break;
        memcpy(found, from, n + 1);
        found[0] = ' ';
        found[n - 1] = ' ';
    }
    free(line);
    if (f) fclose(f);
    return found ? found : calloc(1, 1);
}

/* How many flags are required; -1 if the processor lacks one, whose place is put into `lacks`. */
static int64_t flags_had(const char *had, const char *wanted, const char **lacks) {
    char flag[64];
    int64_t n = 0;
    while (*wanted) {
        size_t length = strcspn(wanted, " ");
        snprintf(flag, sizeof flag, " %.*s ", (int)length, wanted);
        if (length && !strstr(had, flag)) {
            *lacks = wanted;
            return -1;
        }
        n += length > 0;
        wanted += length + (wanted[length] == ' ');
    }
    return n;
}

/* Choose, among the processors whose code can run here, the one with the most flags, and prepare its code. */
rushlight_status rl_read_processors(rl_reader *r, int64_t n_kernels) {
    rushlight_model *m = r->m;
    int64_t n = rl_read_count(r), most = -1;
    processor best = {0};
    char names[256] = "", lacking[96] = "", *had = own_flags();
    if (!had) return rl_no_memory(m);
    int tiles = rl_processor() & RL_HAS_AMX_BF16;
    rushlight_status rc = RUSHLIGHT_OK;
    pthread_mutex_lock(&shared);
    for (int64_t i = 0; i < n && !r->bad; i++) {
        processor p = {0};
        const char *lacks = NULL;
        p.name = rl_string(r);
        const char *flags = rl_string(r);
        p.code_path = rl_string(r);
        read_code(r, &p, n_kernels);
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", p.name);
        int64_t found = flags_had(had, flags, &lacks);
        int width = lacks ? (int)strcspn(lacks, " ") : 0;
        if (found >= 0 && strcmp(p.code_path, "amx") == 0 && !tiles) /* the permission of the system is no flag */
            found = -1, lacks = "AMX's tiles", width = (int)strlen(lacks);
        int others = found >= 0 && shared_path[0] && strcmp(p.code_path, shared_path) != 0;
        if (found < 0 && !lacking[0])
            snprintf(lacking, sizeof lacking, "this processor lacks %.*s", width, lacks);
        else if (others && !lacking[0])
            snprintf(lacking, sizeof lacking, "models that were opened before run that for %s", shared_path);
        if (found > most && !others) best = p, most = found;
    }
    if (!r->bad && most < 0)
        rc = rl_failed(RUSHLIGHT_PROCESSOR, "rushlight_open(): '%s' has code for %s; %s", m->path, names, lacking);
    if (!r->bad && !rc) rc = load_code(r, &best);
    if (!r->bad && !rc) {
        m->processor = best.name;
        m->n_kernels = n_kernels;
        m->kernels = rl_kept(r, n_kernels, sizeof *m->kernels);
        for (int64_t k = 0; k < n_kernels && !r->bad; k++)
            m->kernels[k] = (rl_kernel)entry_of(m, &best, best.kernels[k]);
        if (!r->bad && (best.n_products || best.n_attention)) share_kernels(m, &best);
    }
    pthread_mutex_unlock(&shared);
    free(had);
    return rc;
}
