#include "jpeg.h"

#include <string.h>

#include "alloc.h"
#include "integers.h"
#include "jpeg_pixels.h"
#include "processor.h"

/* ---- markers ----------------------------------------------------------------------------------------------------- */

enum { SOF0 = 0xC0, DHT = 0xC4, RST0 = 0xD0, SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, DQT = 0xDB, DRI = 0xDD };
enum { APP0 = 0xE0, APP14 = 0xEE, APP15 = 0xEF, COM = 0xFE };
#define ALWAYS static inline __attribute__((always_inline))
enum { LOOK = 11, MOST = 65500 };

typedef struct {
    int known;
    uint8_t symbols[256];
    int32_t past[18];  /* by length: the first code, of 16 bits, that is longer */
    int32_t first[17]; /* what makes a code's place among the symbols */
    uint8_t length[1 << LOOK], symbol[1 << LOOK]; /* of codes of up to LOOK bits; length 0: a longer one */
    /* Of a code of up to LOOK bits and the number behind it, where that is among them too: how many bits these are; how
     * far it is from the coefficient before (from bit 8 on); the number (from bit 16 on). 0: they are more bits. */
    uint32_t table[1 << LOOK];
} codes;

typedef struct {
    int id, across, down, quantum, first, rest; /* tables: of both kinds of codes */
    int64_t groups, count, rows;                /* of sixteen blocks in a row; numbers that belong to the picture */
    int64_t row;                                /* bytes of a row of `pixels` */
    int16_t *blocks;                            /* of a row of units */
    uint8_t *pixels;                            /* of two rows of units, in turn: see `line` */
    int32_t last;
} component;

typedef struct {
    const uint8_t *at, *end;
    int64_t height, width, across, down, interval; /* interval: units between restarts, or 0 */
    int n, seen_frame, is_jfif, is_adobe, adobe_colours, quanta;
    component c[3];
    uint16_t quantum[4][64];
    codes *codes; /* two kinds of four; NULL while only the header is read */
} picture;

/* Where the number that comes k-th lies in a block, row by row: diagonals that go up and down in turn. */
static void order_of(uint8_t order[64]) {
    int k = 0;
    for (int d = 0; d < 15; d++)
        for (int i = 0; i <= d; i++) {
            int row = d % 2 ? i : d - i, column = d - row;
            if (row < 8 && column < 8) order[k++] = (uint8_t)(8 * row + column);
        }
}

static int word(const uint8_t *p) { return p[0] << 8 | p[1]; }

static int read_quanta(picture *j, const uint8_t *p, const uint8_t *end) {
    uint8_t order[64];
    order_of(order);
    for (; p < end; p += 65) {
        const int which = p[0]; /* and, in its upper half, whether they have 16 bits */
        if (end - p < 65 || which > 3) return RL_JPEG_NOT_OURS;
        for (int k = 0; k < 64; k++) j->quantum[which][order[k]] = p[1 + k];
        j->quanta |= 1 << which;
    }
    return 0;
}

/* The number of `size` bits that a code announces. */
static int32_t extended(int32_t bits, int size) {
    return size && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
}

/* Codes by length: `counts` of each of 1 to 16 bits. */
static int make_codes(codes *t, const uint8_t *counts, const uint8_t *symbols, int n, int is_rest) {
    memset(t, 0, sizeof *t);
    memcpy(t->symbols, symbols, (size_t)n);
    symbols = t->symbols;
    int32_t code = 0, at = 0;
    for (int bits = 1; bits <= 16; bits++) {
        t->first[bits] = at - code;
        for (int i = 0; i < counts[bits - 1]; i++, code++, at++) {
            if (code >= (1 << bits) - 1) return RL_JPEG_NOT_OURS; /* all ones are no code */
            if (bits > LOOK) continue;
            int32_t from = code << (LOOK - bits), to = (code + 1) << (LOOK - bits);
            int size = symbols[at] & 15, zeros = symbols[at] >> 4, left = LOOK - bits - size;
            for (int32_t k = from; k < to; k++) {
                t->length[k] = (uint8_t)bits, t->symbol[k] = symbols[at];
                if (left < 0) continue;
                const int32_t value = extended(k >> left & ((1 << size) - 1), size);
                const int32_t step = size == 0 && zeros != 15 ? 64 : zeros + 1; /* 64: the block ends */
                t->table[k] = (uint32_t)value << 16 | (uint32_t)step << 8 | (uint32_t)(bits + size);
            }
        }
        t->past[bits] = code << (16 - bits);
        code <<= 1;
    }
    t->past[17] = INT32_MAX;
    for (int i = 0; i < n; i++) {
        int size = symbols[i] & 15, zeros = symbols[i] >> 4;
        if (is_rest ? size == 0 && zeros != 0 && zeros != 15 : symbols[i] > 11) return RL_JPEG_NOT_OURS;
    }
    t->known = 1;
    return 0;
}

static int read_codes(picture *j, const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        uint8_t counts[17]; /* read once: another thread may write the file's bytes meanwhile */
        if (end - p < 17) return RL_JPEG_NOT_OURS;
        memcpy(counts, p, sizeof counts);
        int kind = counts[0] >> 4, which = counts[0] & 15, n = 0;
        for (int k = 1; k <= 16; k++) n += counts[k];
        if (kind > 1 || which > 3 || n > 256 || end - p < 17 + n) return RL_JPEG_NOT_OURS;
        if (j->codes && make_codes(&j->codes[4 * kind + which], counts + 1, p + 17, n, kind)) return RL_JPEG_NOT_OURS;
        p += 17 + n;
    }
    return 0;
}

static int read_frame(picture *j, const uint8_t *p, const uint8_t *end) {
    if (j->seen_frame || end - p < 6 || p[0] != 8) return RL_JPEG_NOT_OURS;
    j->height = word(p + 1), j->width = word(p + 3), j->n = p[5];
    if ((j->n != 1 && j->n != 3) || end - p != 6 + 3 * j->n || !j->height || !j->width || j->height > MOST ||
        j->width > MOST)
        return RL_JPEG_NOT_OURS;
    for (int i = 0; i < j->n; i++) {
        component *c = &j->c[i];
        const uint8_t *q = p + 6 + 3 * i;
        c->id = q[0], c->across = q[1] >> 4, c->down = q[1] & 15, c->quantum = q[2];
        if (c->across < 1 || c->across > 4 || c->down < 1 || c->down > 4 || c->quantum > 3) return RL_JPEG_NOT_OURS;
    }
    if (j->n == 1) j->c[0].across = j->c[0].down = 1; /* there is nothing beside which they would count */
    j->across = j->c[0].across, j->down = j->c[0].down, j->seen_frame = 1;
    for (int i = 1; i < j->n; i++)
        if (j->c[i].across != 1 || j->c[i].down != 1) return RL_JPEG_NOT_OURS;
    if (j->across > 2 || j->down > j->across) return RL_JPEG_NOT_OURS;
    /* A difference that is so small is not interpolated. */
    return j->across == 2 && j->width <= 4 ? RL_JPEG_NOT_OURS : 0;
}

/* Whether the three components are brightness and differences of colour. */
static int has_differences(const picture *j) {
    if (j->is_jfif) return 1;
    if (j->is_adobe) return j->adobe_colours == 1;
    return j->c[0].id == 1 && j->c[1].id == 2 && j->c[2].id == 3;
}

static int read_scan(picture *j, const uint8_t *p, const uint8_t *end) {
    if (!j->seen_frame || end - p != 4 + 2 * j->n || p[0] != j->n) return RL_JPEG_NOT_OURS;
    if (j->n == 3 && !has_differences(j)) return RL_JPEG_NOT_OURS;
    for (int i = 0; i < j->n; i++) {
        component *c = &j->c[i];
        c->first = p[2 + 2 * i] >> 4, c->rest = p[2 + 2 * i] & 15;
        if (p[1 + 2 * i] != c->id || c->first > 3 || c->rest > 3 || !(j->quanta >> c->quantum & 1))
            return RL_JPEG_NOT_OURS;
    }
    p += 1 + 2 * j->n;
    return p[0] == 0 && p[1] == 63 && p[2] == 0 ? 0 : RL_JPEG_NOT_OURS;
}

static void read_application(picture *j, int marker, const uint8_t *p, const uint8_t *end) {
    if (marker == APP0 && end - p >= 14 && memcmp(p, "JFIF", 5) == 0) j->is_jfif = 1;
    if (marker == APP14 && end - p >= 12 && memcmp(p, "Adobe", 5) == 0) j->is_adobe = 1, j->adobe_colours = p[11];
}

/* Read the markers up to the scan's data. */
static int read_markers(picture *j) {
    if (j->end - j->at < 2 || j->at[0] != 0xFF || j->at[1] != SOI) return RL_JPEG_NOT_OURS;
    j->at += 2;
    for (;;) {
        if (j->end - j->at < 4 || j->at[0] != 0xFF) return RL_JPEG_NOT_OURS;
        const int marker = j->at[1], length = word(j->at + 2);
        const uint8_t *p = j->at + 4;
        if (length < 2 || j->end - p < length - 2) return RL_JPEG_NOT_OURS;
        const uint8_t *end = j->at = p + length - 2;
        int rc = RL_JPEG_NOT_OURS;
        if (marker == DQT) rc = read_quanta(j, p, end);
        else if (marker == DHT) rc = read_codes(j, p, end);
        else if (marker == SOF0) rc = read_frame(j, p, end);
        else if (marker == DRI && length == 4) j->interval = word(p), rc = 0;
        else if (marker >= APP0 && marker <= APP15) read_application(j, marker, p, end), rc = 0;
        else if (marker == COM) rc = 0;
        else if (marker == SOS) return read_scan(j, p, end);
        if (rc) return rc;
    }
}

int64_t rl_jpeg_header(const uint8_t *data, size_t bytes, rl_jpeg_size *size) {
    picture j = {.at = data, .end = data + bytes};
    if (read_markers(&j)) return RL_JPEG_NOT_OURS;
    size->height = j.height, size->width = j.width, size->channels = j.n;
    return 0;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* Bits of a scan up to a marker, in memory where no byte stands for a marker's begin. */
typedef struct {
    const uint8_t *from, *next, *end; /* `end` and behind it: zeros */
    uint64_t bits;                    /* `count` of them, from the top, and at times some of those that follow */
    int count;
} reader;

enum { ROOM = 512 }; /* more than the bits of a block take */

/* At least 56 bits. */
ALWAYS void fill(reader *r) {
    uint64_t w;
    memcpy(&w, r->next, sizeof w);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    r->bits |= w >> r->count;
    r->next += (63 - r->count) >> 3;
    r->count |= 56;
}

ALWAYS void drop(reader *r, int n) { r->bits <<= n, r->count -= n; }

/* n from 1 on. */
ALWAYS int32_t take(reader *r, int n) {
    int32_t x = (int32_t)(r->bits >> (64 - n));
    drop(r, n);
    return x;
}

/* The bits up to the next marker, which is `marker`, go to `room`. */
static int begin_bits(picture *j, reader *r, uint8_t *room, int marker) {
    uint8_t *to = room;
    for (;;) {
        const uint8_t *stop = memchr(j->at, 0xFF, (size_t)(j->end - j->at));
        if (!stop || j->end - stop < 2) return RL_JPEG_NOT_OURS;
        memcpy(to, j->at, (size_t)(stop - j->at));
        to += stop - j->at, j->at = stop + 2;
        if (stop[1] == marker) break;
        if (stop[1] != 0) return RL_JPEG_NOT_OURS;
        *to++ = 0xFF;
    }
    memset(to, 0, ROOM);
    *r = (reader){.from = room, .next = room, .end = to};
    return 0;
}

/* Whether all bits were taken but those that fill up the last byte. */
static int all_taken(const reader *r) {
    int64_t left = (r->end - r->next) * 8 + r->count;
    return left >= 0 && left < 8;
}

/* A symbol whose code is longer than LOOK bits, or -1. */
static int long_code(const codes *t, reader *r) {
    const int32_t next = (int32_t)(r->bits >> 48);
    int n = LOOK + 1;
    while (next >= t->past[n]) n++;
    if (n > 16) return -1;
    int32_t at = (next >> (16 - n)) + t->first[n];
    drop(r, n);
    return t->symbols[at & 255];
}

ALWAYS int symbol(const codes *t, reader *r) {
    const int at = (int)(r->bits >> (64 - LOOK));
    if (!t->length[at]) return long_code(t, r);
    drop(r, t->length[at]);
    return t->symbol[at];
}

/* The coefficients of a block, every sixteenth of `to`, which are 0. */
ALWAYS int read_block(const codes *first, const codes *rest, reader *in, const int16_t *place, int32_t *last,
                      int16_t *to) {
    enum { AT_ONCE = 4 }; /* so many times LOOK bits there are after each `fill` */
    reader r = *in;
    fill(&r);
    const uint32_t known = first->table[r.bits >> (64 - LOOK)];
    if (known) {
        drop(&r, (int)(known & 63));
        *last += (int32_t)known >> 16;
    } else {
        const int size = symbol(first, &r);
        if (size < 0) return RL_JPEG_NOT_OURS;
        if (size) *last += extended(take(&r, size), size);
    }
    if (*last != (int16_t)*last) return RL_JPEG_NOT_OURS;
    to[0] = (int16_t)*last;
    int k = 0;
    while (k < 63) {
        fill(&r);
        for (int i = 0; i < AT_ONCE && k < 63; i++) {
            const uint32_t e = rest->table[r.bits >> (64 - LOOK)];
            if (e == 0) {
                if (i) fill(&r);
                const int s = symbol(rest, &r);
                if (s < 0) return RL_JPEG_NOT_OURS;
                if (s == 0) goto end;
                k += (s >> 4) + 1;
                if ((s & 15) == 0) break;
                if (k > 63) return RL_JPEG_NOT_OURS;
                to[place[k]] = (int16_t)extended(take(&r, s & 15), s & 15);
                break;
            }
            drop(&r, (int)(e & 63));
            k += (int)(e >> 8 & 127);
            if (k > 63) {
                if ((int32_t)e >> 16 == 0) goto end; /* the block ends, or is full of zeros */
                return RL_JPEG_NOT_OURS;
            }
            to[place[k]] = (int16_t)((int32_t)e >> 16);
        }
    }
end:
    *in = r;
    return r.next > r.end + 8 ? RL_JPEG_NOT_OURS : 0;
}

/* ---- the scan ---------------------------------------------------------------------------------------------------- */

/* Row y of a component's numbers, one of the last that were made. */
static uint8_t *line(const component *c, int64_t y) { return c->pixels + y % (2 * 8 * c->down) * c->row; }

/* The pixels of rows whose numbers, and those of the rows below, are there: up to `end`. */
static void put_rows(const picture *j, int channels, int64_t begin, int64_t end, rl_jpeg_rows *work, uint8_t *to) {
    const component *blue = &j->c[1], *red = &j->c[2];
    for (int64_t y = begin; y < end; y++) {
        const uint8_t *brightness = line(&j->c[0], y);
        uint8_t *row = to + y * j->width * channels;
        if (channels == 1) {
            memcpy(row, brightness, (size_t)j->width);
        } else if (j->n == 1) {
            for (int64_t x = 0; x < j->width; x++) row[3 * x] = row[3 * x + 1] = row[3 * x + 2] = brightness[x];
        } else {
            const int64_t last = blue->rows - 1, near = y / j->down;
            int64_t far = j->down == 1 ? near : y % 2 ? near + 1 : near - 1;
            far = far < 0 ? 0 : far > last ? last : far;
            rl_jpeg_colours(work, brightness, line(blue, near), line(blue, far), line(red, near), line(red, far), row);
        }
    }
}

ALWAYS int64_t read_units(picture *j, int channels, uint8_t *room, rl_jpeg_rows *work, uint8_t *to) {
    const int64_t across = ceil_div(j->width, 8 * j->across), down = ceil_div(j->height, 8 * j->down);
    const int64_t units = across * down;
    int64_t left = j->interval ? j->interval : units, done = 0, made = 0;
    uint8_t order[64];
    int16_t place[64];
    order_of(order);
    for (int k = 0; k < 64; k++) place[k] = (int16_t)(order[k] * RL_JPEG_LANES);
    reader r;
    if (begin_bits(j, &r, room, left < units ? RST0 : EOI)) return RL_JPEG_NOT_OURS;
    for (int64_t row = 0; row < down; row++) {
        for (int i = 0; i < j->n; i++)
            memset(j->c[i].blocks, 0, (size_t)(j->c[i].down * j->c[i].groups * RL_JPEG_GROUP) * sizeof(int16_t));
        for (int64_t unit = 0; unit < across; unit++, done++, left--) {
            if (left == 0) {
                if (!all_taken(&r)) return RL_JPEG_NOT_OURS;
                left = j->interval;
                int64_t next = done / left;
                const int marker = done + left < units ? RST0 + (int)(next & 7) : EOI;
                if (begin_bits(j, &r, room, marker)) return RL_JPEG_NOT_OURS;
                for (int i = 0; i < j->n; i++) j->c[i].last = 0;
            }
            for (int i = 0; i < j->n; i++) {
                component *c = &j->c[i];
                const codes *first = &j->codes[c->first], *rest = &j->codes[4 + c->rest];
                for (int v = 0; v < c->down; v++)
                    for (int h = 0; h < c->across; h++) {
                        const int64_t at = unit * c->across + h;
                        int16_t *block = c->blocks + (v * c->groups + at / RL_JPEG_LANES) * RL_JPEG_GROUP;
                        if (read_block(first, rest, &r, place, &c->last, block + at % RL_JPEG_LANES))
                            return RL_JPEG_NOT_OURS;
                    }
            }
        }
        for (int i = 0; i < (channels == 1 ? 1 : j->n); i++) {
            const component *c = &j->c[i];
            for (int64_t v = 0; v < c->down; v++)
                for (int64_t g = 0; g < c->groups; g++)
                    if (rl_jpeg_blocks(c->blocks + (v * c->groups + g) * RL_JPEG_GROUP, j->quantum[c->quantum],
                                       line(c, (row * c->down + v) * 8) + g * 8 * RL_JPEG_LANES, c->row))
                        return RL_JPEG_NOT_OURS;
        }
        int64_t end = (row + 1) * 8 * j->down - (j->down - 1); /* the last row's colours are half those of the next */
        if (row == down - 1) end = j->height;
        put_rows(j, channels, made, end, work, to);
        made = end;
    }
    return all_taken(&r) ? 0 : RL_JPEG_NOT_OURS;
}

#if defined(__x86_64__)
/* Shifts by numbers that are not known take one instruction then. */
__attribute__((target("bmi,bmi2"))) static int64_t
units_with_shifts(picture *j, int channels, uint8_t *room, rl_jpeg_rows *work, uint8_t *to) {
    return read_units(j, channels, room, work, to);
}
#endif

static int64_t units_of(picture *j, int channels, uint8_t *room, rl_jpeg_rows *work, uint8_t *to) {
#if defined(__x86_64__)
    if (rl_byte_level() && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return units_with_shifts(j, channels, room, work, to);
#endif
    return read_units(j, channels, room, work, to);
}

/* With one piece of memory: the scan's bits, a row of units' coefficients, the numbers of two, and work for a row of
 * pixels. */
static int64_t decode(picture *j, int channels, uint8_t *to) {
    const int64_t across = ceil_div(j->width, 8 * j->across);
    size_t blocks[3], pixels[3], all = ((size_t)(j->end - j->at) + ROOM + 63) & ~(size_t)63;
    for (int i = 0; i < j->n; i++) {
        component *c = &j->c[i];
        if (!j->codes[c->first].known || !j->codes[4 + c->rest].known) return RL_JPEG_NOT_OURS;
        c->groups = ceil_div(across * c->across, RL_JPEG_LANES), c->row = c->groups * 8 * RL_JPEG_LANES;
        c->count = ceil_div(j->width * c->across, j->across), c->rows = ceil_div(j->height * c->down, j->down);
        blocks[i] = all, all += (size_t)(c->down * c->groups * RL_JPEG_GROUP) * sizeof(int16_t);
        pixels[i] = all, all += (size_t)(2 * c->down * 8 * c->row);
    }
    const size_t work = all;
    all += 3 * (size_t)(j->width + 64) * sizeof(int16_t);
    uint8_t *room = rl_alloc(all);
    if (!room) return RL_NO_MEMORY;
    for (int i = 0; i < j->n; i++) j->c[i].blocks = (int16_t *)(room + blocks[i]), j->c[i].pixels = room + pixels[i];
    rl_jpeg_rows rows = {.width = j->width, .count = j->c[1].count, .across = (int)j->across, .down = (int)j->down,
                         .work = (int16_t *)(room + work)};
    rl_jpeg_prepare(&rows);
    const int64_t rc = units_of(j, channels, room, &rows, to);
    rl_free(room, all);
    return rc;
}

int64_t rl_jpeg_decode(const uint8_t *data, size_t bytes, const rl_jpeg_size *size, uint8_t *to) {
    picture j = {.at = data, .end = data + bytes};
    const size_t tables = 8 * sizeof(codes);
    j.codes = rl_alloc(tables);
    if (!j.codes) return RL_NO_MEMORY;
    for (int i = 0; i < 8; i++) j.codes[i].known = 0;
    int64_t rc = read_markers(&j);
    if (rc == 0 && (j.height != size->height || j.width != size->width)) rc = RL_JPEG_NOT_OURS;
    if (rc == 0) rc = decode(&j, size->channels, to);
    rl_free(j.codes, tables);
    return rc;
}
