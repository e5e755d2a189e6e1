/* Packages as files: packaging/_file.py has the head, packaging/_runtime.py writes the section that is read here.
 *
 * The section is a sequence of words of 64 bits; a string is its length in bytes, then the bytes, padded with zeros to
 * whole words. Everything is checked against the length of the file: damage that no checksum shows is an error, too. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checked.h"
#include "runtime.h"
#include "trace_run.h"

enum { FORMAT = 4, HEAD = 56, CHECKED_FROM = 16 };

static const struct {
    const char *name;
    int64_t bytes;
} dtypes[] = {
    {"bool", 1},          {"uint8", 1},           {"int8", 1},        {"int16", 2},          {"int32", 4},
    {"int64", 8},         {"uint16", 2},          {"uint32", 4},      {"uint64", 8},         {"float32", 4},
    {"float64", 8},       {"float16", 2},         {"bfloat16", 2},    {"complex64", 8},      {"complex128", 16},
    {"complex32", 4},     {"float8_e4m3fn", 1},   {"float8_e4m3fnuz", 1}, {"float8_e5m2", 1}, {"float8_e5m2fnuz", 1},
    {"float8_e8m0fnu", 1}};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

int64_t rl_item_size(int dtype) { return dtype >= 0 && dtype < N_DTYPES ? dtypes[dtype].bytes : 0; }
const char *rl_dtype_name(int dtype) { return dtype >= 0 && dtype < N_DTYPES ? dtypes[dtype].name : "no dtype"; }

static rushlight_status damaged(const rushlight_model *m, const char *why) {
    return rl_failed(RUSHLIGHT_DAMAGED, "rushlight_open(): '%s' %s", m->path, why);
}

rushlight_status rl_no_memory(const rushlight_model *m) {
    return rl_failed(RUSHLIGHT_MEMORY, "rushlight_open(): there is no memory for '%s'", m->path);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static uint32_t crc_table[8][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void fill_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
        crc_table[0][i] = c;
    }
    for (int t = 1; t < 8; t++)
        for (int i = 0; i < 256; i++)
            crc_table[t][i] = crc_table[t - 1][i] >> 8 ^ crc_table[0][crc_table[t - 1][i] & 255];
}

/* The checksum of zlib (ISO 3309), eight bytes at a time: Kounavis and Berry, "A systematic approach to building high
 * performance software-based CRC generators", 2005. */
static uint32_t crc32_of(const unsigned char *p, int64_t n) {
    pthread_once(&crc_once, fill_crc_table);
    uint32_t c = 0xFFFFFFFFu;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= c;
        c = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
            crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
            crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    for (; n > 0; n--, p++) c = crc_table[0][(c ^ *p) & 255] ^ c >> 8;
    return ~c;
}

static uint64_t word_at(const char *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}

rushlight_status rl_package_map(rushlight_model *m) {
    int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not wait for a writer */
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        int why = fd < 0 ? errno : EINVAL;
        if (fd >= 0) close(fd);
        return rl_failed(RUSHLIGHT_CANNOT_READ, "rushlight_open(): cannot read '%s': %s", m->path,
                         fd < 0 ? strerror(why) : "it is no file");
    }
    if (info.st_size >= 8) {
        char *file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file == MAP_FAILED) {
            int why = errno;
            close(fd);
            return rl_failed(why == ENOMEM ? RUSHLIGHT_MEMORY : RUSHLIGHT_CANNOT_READ,
                             "rushlight_open(): cannot map '%s': %s", m->path, strerror(why));
        }
        m->file = file, m->file_bytes = info.st_size;
    }
    close(fd);
    if (!m->file || memcmp(m->file, "RLPACKGE", 8) != 0)
        return damaged(m, "is no file that rushlight.package() has written");
    if (m->file_bytes < HEAD) return damaged(m, "was cut");
    uint32_t version, crc;
    memcpy(&version, m->file + 8, 4);
    memcpy(&crc, m->file + 12, 4);
    if (version != FORMAT)
        return rl_failed(RUSHLIGHT_VERSION,
                         "rushlight_open(): '%s' has the format %u; this library reads the format %d: package the "
                         "model again", m->path, version, FORMAT);
    if ((int64_t)word_at(m->file + 16) != m->file_bytes)
        return rl_failed(RUSHLIGHT_DAMAGED, "rushlight_open(): '%s' must have %lld bytes; found %lld: it was cut",
                         m->path, (long long)word_at(m->file + 16), (long long)m->file_bytes);
    if (crc32_of((const unsigned char *)m->file + CHECKED_FROM, m->file_bytes - CHECKED_FROM) != crc)
        return damaged(m, "was changed: its checksum is not that of its bytes");
    m->section_at = (int64_t)word_at(m->file + 40), m->section_bytes = (int64_t)word_at(m->file + 48);
    return RUSHLIGHT_OK;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

rl_reader rl_reader_of(rushlight_model *m, int64_t at, int64_t bytes) {
    rl_reader r = {m, NULL, NULL, 0, 0};
    if (at < 0 || bytes < 0 || at % 8 || bytes > m->file_bytes || at > m->file_bytes - bytes)
        r.bad = 1;
    else
        r.at = m->file + at, r.end = r.at + bytes;
    return r;
}

/* The next number; 0 if there is none. */
int64_t rl_number(rl_reader *r) {
    if (r->bad || r->end - r->at < 8) {
        r->bad = 1;
        return 0;
    }
    r->at += 8;
    return (int64_t)word_at(r->at - 8);
}

/* A number from `least` to `most`. */
int64_t rl_within(rl_reader *r, int64_t least, int64_t most) {
    int64_t x = rl_number(r);
    if (x >= least && x <= most) return x;
    r->bad = 1;
    return least < 0 ? -1 : 0;
}

/* How many things follow, each of at least a word. */
int64_t rl_read_count(rl_reader *r) { return rl_within(r, 0, r->bad ? 0 : (r->end - r->at) / 8); }

const int64_t *rl_read_numbers(rl_reader *r, int64_t n) {
    if (r->bad || n < 0 || n > (r->end - r->at) / 8) {
        r->bad = 1;
        return NULL;
    }
    const int64_t *found = (const int64_t *)(const void *)r->at;
    r->at += 8 * n;
    return found;
}

/* Memory that is freed with the model. */
void *rl_kept(rl_reader *r, int64_t n, size_t size) {
    void **p = r->bad || r->full ? NULL : calloc(1, sizeof(void *) * 2 + (size_t)n * size);
    if (!p) {
        r->full = !r->bad;
        r->bad = 1;
        return NULL;
    }
    p[0] = r->m->kept;
    r->m->kept = p;
    return p + 2;
}

const char *rl_string(rl_reader *r) {
    int64_t n = rl_within(r, 0, r->bad ? 0 : r->end - r->at);
    const int64_t *from = rl_read_numbers(r, (n + 7) / 8);
    char *found = rl_kept(r, n + 1, 1);
    if (!found) return "";
    memcpy(found, from, (size_t)n);
    return found;
}

static rushlight_status unreadable(const rl_reader *r) {
    return r->full ? rl_no_memory(r->m) : damaged(r->m, "has a section for C that cannot be read");
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static void read_program(rushlight_model *m, rl_reader *section, rl_program *t) {
    t->threads = rl_within(section, 1, 1 << 20);
    int64_t at = rl_number(section), bytes = rl_number(section);
    if (section->bad) return;
    rl_reader r = rl_reader_of(m, at, bytes);
    t->workspace = rl_within(&r, 0, (int64_t)1 << 47);
    t->n_blocks = rl_read_count(&r);
    t->blocks = (const rl_block *)(const void *)rl_read_numbers(&r, 3 * t->n_blocks);
    for (int64_t k = 0; k < t->n_blocks && !r.bad; k++) {
        const rl_block *b = &t->blocks[k];
        if (b->kind < RL_WEIGHT || b->kind > RL_UNUSED || b->at < 0 || b->bytes < 0 ||
            (b->kind == RL_WEIGHT && (b->at >= m->n_weights || b->bytes > m->weight_bytes[b->at])) ||
            (b->kind == RL_ARGUMENT && b->at >= m->n_arguments) ||
            (b->kind == RL_WORKSPACE && (b->at > t->workspace || b->bytes > t->workspace - b->at)))
            r.bad = 1;
    }
    rl_place *results = rl_kept(&r, m->n_results, sizeof *results);
    t->results = results;
    for (int64_t k = 0; k < m->n_results && !r.bad; k++) {
        rl_place *p = &results[k];
        int64_t low = 0, high = 0, rank = m->results[k].rank, item = rl_item_size(m->results[k].dtype);
        p->block = rl_within(&r, -1, t->n_blocks - 1);
        p->offset = rl_number(&r);
        p->sizes = rl_read_numbers(&r, rank);
        p->strides = rl_read_numbers(&r, rank);
        if (r.bad || rl_reach((int)rank, p->sizes, p->strides, item, p->offset, &low, &high) != RL_FITS) r.bad = 1;
        if (r.bad || low == high) continue;
        const rl_block *b = p->block < 0 ? NULL : &t->blocks[p->block];
        if (!b || low < 0 || high > b->bytes || b->kind == RL_UNUSED) r.bad = 1;
    }
    t->n_words = r.bad ? 0 : (r.end - r.at) / 8;
    t->words = rl_read_numbers(&r, t->n_words);
    section->bad |= r.bad, section->full |= r.full;
}

static void read_cases(rl_reader *r) {
    rushlight_model *m = r->m;
    m->n_cases = rl_read_count(r);
    m->cases = rl_kept(r, m->n_cases, sizeof *m->cases);
    if (m->n_cases == 0) r->bad = 1;
    for (int64_t i = 0; i < m->n_cases && !r->bad; i++) {
        rl_case *c = &m->cases[i];
        c->arguments = rl_kept(r, m->n_arguments, sizeof *c->arguments);
        for (int64_t k = 0; k < m->n_arguments && !r->bad; k++) {
            int64_t n = 0;
            c->arguments[k] = rl_read_numbers(r, m->arguments[k].rank);
            if (!r->bad && rl_count(m->arguments[k].rank, c->arguments[k], &n) != RL_FITS) r->bad = 1;
        }
        c->n_traces = rl_read_count(r);
        c->traces = rl_kept(r, c->n_traces, sizeof *c->traces);
        if (c->n_traces == 0) r->bad = 1;
        for (int64_t k = 0; k < c->n_traces && !r->bad; k++) read_program(m, r, &c->traces[k]);
    }
}

static rl_value *read_values(rl_reader *r, int64_t *n) {
    *n = rl_read_count(r);
    rl_value *found = rl_kept(r, *n, sizeof *found);
    for (int64_t k = 0; k < *n && !r->bad; k++) {
        found[k].name = rl_string(r);
        found[k].dtype = (int)rl_within(r, 0, N_DTYPES - 1);
        found[k].rank = (int)rl_within(r, 0, RUSHLIGHT_MOST_DIMS);
    }
    return found;
}

rushlight_status rl_package_read(rushlight_model *m) {
    rl_reader r = rl_reader_of(m, m->section_at, m->section_bytes);
    const char *conventions = rl_string(&r);
    if (r.bad) return unreadable(&r);
    if (strcmp(conventions, rl_conventions) != 0)
        return rl_failed(RUSHLIGHT_VERSION, "rushlight_open(): '%s' was made by another version of rushlight than this "
                         "library: package the model again", m->path);
    const char *refused = rl_string(&r);
    if (!r.bad && refused[0])
        return rl_failed(RUSHLIGHT_UNSUPPORTED, "rushlight_open(): '%s' runs in Python alone: %s", m->path, refused);
    m->n_weights = rl_read_count(&r);
    int64_t *at = rl_kept(&r, m->n_weights, sizeof *at), *bytes = rl_kept(&r, m->n_weights, sizeof *bytes);
    for (int64_t k = 0; k < m->n_weights && !r.bad; k++) {
        at[k] = rl_within(&r, 0, m->file_bytes);
        bytes[k] = rl_within(&r, 0, m->file_bytes - at[k]);
    }
    m->weights = at, m->weight_bytes = bytes;
    m->arguments = read_values(&r, &m->n_arguments);
    m->results = read_values(&r, &m->n_results);
    int64_t n_kernels = rl_read_count(&r);
    read_cases(&r);
    if (r.bad) return unreadable(&r);
    rushlight_status rc = rl_read_processors(&r, n_kernels);
    return !rc && r.bad ? unreadable(&r) : rc;
}
