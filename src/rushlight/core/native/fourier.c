#include "fourier_parts.h"

enum { BLOCK_LEAST = 4096, BLOCK_MOST = 1 << 17, FEW = 512 };

static int64_t axis_blocks(void *ctx, int64_t begin, int64_t end) {
    const axis *all = ctx, *a = all;
    const rl_fourier_plan *p = complex_plan(a->p);
    int64_t longest = a->real_n + 2 > a->n ? a->real_n + 2 : a->n;
    if (a->kind == RL_FOURIER_TRIG) longest = 2 * (a->p->a->n + a->n + 2);
    int64_t bytes = (a->kind == RL_FOURIER_TRIG ? 12 : 8) * plane_bytes(longest * a->lanes, a->item);
    int64_t apart = rl_fourier_any_lines_bytes(p), together = side_by_side_bytes(p, a->lanes);
    bytes += a->mode == LINES || (a->lead && apart > together) ? apart : together;
    char *base = rl_alloc((size_t)bytes);
    if (!base) return fail(a->j, RL_NO_MEMORY), 0;
    int64_t last = a->nd - 1;
    axis own = *all;
    a = &own;
    for (int64_t k = begin; k < end && !failed(a->j); k++) {
        int64_t block = k % a->blocks, first = block * a->lanes, rest = k / a->blocks, here = a->lanes;
        if (a->lead && block) first += a->lead - a->lanes;
        if (a->lead && !block) here = a->lead;
        if (here > a->size[last] - first) here = a->size[last] - first;
        own.mode = a->lead && !block ? LINES : all->mode;
        if (a->wanted) own.wanted = all->wanted + (rest * a->size[last] + first) * a->wanted_line;
        const char *in = a->in + first * a->x[last];
        char *out = a->out + first * a->y[last];
        for (int64_t d = last - 1; d >= 0; d--) {
            in += rest % a->size[d] * a->x[d], out += rest % a->size[d] * a->y[d];
            rest /= a->size[d];
        }
        room r = {base};
        if (a->kind == RL_FOURIER_TRIG)
            rl_fourier_block_trig(a, in, out, a->x[last], a->y[last], here, r);
        else if (a->kind == RL_FOURIER_C2C)
            rl_fourier_block_complex(a, in, out, a->x[last], a->y[last], here, r);
        else if (a->kind == RL_FOURIER_C2R)
            rl_fourier_block_back(a, in, out, a->x[last], a->y[last], here, r);
        else
            rl_fourier_block_forward(a, in, out, a->x[last], a->y[last], here, r);
    }
    rl_free(base, (size_t)bytes);
    return 0;
}

/* Whether a contiguous line has too few lanes for an expensive radix (`_work` in fourier_plans.py). */
static int few_lanes(const rl_fourier_plan *p, int64_t full) {
    if (!p->before) return 1;
    for (int64_t a = 0; a < p->passes; a++)
        if (p->radix[a] > 16 && p->n / p->radix[a] < full && p->n <= FEW) return 1;
    return 0;
}

/* How many lines, out of lines side by side, are left over beyond full vectors and so few that they are first done one
 * after the other. */
static int64_t lead_of(const rl_fourier_plan *p, int64_t lines, int64_t lanes) {
    int64_t rest = lines % lanes;
    return rest <= lanes / 8 && rest <= p->lines && p->before ? rest : 0;
}

/* Choose the mode: the bits of results are the same in all of them. within: the lines are those of one element of a
 * batch. */
static void run_axis(axis *a, int within) {
    int64_t item = a->item, last, best = -1, total = 1;
    int64_t unit_in = a->kind == RL_FOURIER_C2C || a->kind == RL_FOURIER_C2R ? 2 * item : item;
    int64_t unit_out = a->kind == RL_FOURIER_C2R || a->kind == RL_FOURIER_TRIG ? item : 2 * item;
    int64_t full = LANE_BYTES / item;
    const rl_fourier_plan *p = complex_plan(a->p);
    if (a->nd == 0) a->size[0] = 1, a->x[0] = a->y[0] = 0, a->nd = 1;
    for (int64_t d = 0; d < a->nd; d++) {
        total *= a->size[d];
        if (a->x[d] == unit_in && a->y[d] == unit_out && a->size[d] > 1) best = d;
    }
    int dense = a->in_step == unit_in && a->out_step == unit_out;
    a->mode = LINES, last = a->nd - 1;
    if (p->kind == RL_PLAN_PASSES) {
        if (best >= 0 && (a->size[best] >= full / 4 || !dense))
            a->mode = BESIDE, last = best;
        else if (total > 1 && (!dense || (p->n * item <= SHORT_BYTES && !in_registers(p)) || few_lanes(p, full))) {
            a->mode = PACKED, last = 0;
            for (int64_t d = 1; d < a->nd; d++)
                if (a->size[d] > a->size[last]) last = d;
        }
    }
    int64_t size = a->size[last], x = a->x[last], y = a->y[last], end = a->nd - 1; /* the dim of the lanes last */
    a->size[last] = a->size[end], a->x[last] = a->x[end], a->y[last] = a->y[end];
    a->size[end] = size, a->x[end] = x, a->y[end] = y;
    a->lanes = a->mode != LINES ? full : p->kind == RL_PLAN_PASSES ? p->lines : 1;
    /* nothing waits in memory */
    if (a->mode == LINES && a->kind <= RL_FOURIER_R2C && in_registers(p)) a->lanes *= MANY;
    if (a->lanes > size) a->lanes = size;
    /* not if lines are those of a batch: batches of all sizes use the same codelets */
    if (a->mode == BESIDE && a->kind == RL_FOURIER_C2C && within && size > a->lanes)
        a->lead = lead_of(p, size, a->lanes);
    a->blocks = (size - a->lead + a->lanes - 1) / a->lanes + (a->lead > 0);
    int64_t n = total / size * a->blocks;
    int transforms = p->kind == RL_PLAN_CHIRP ? 6 : p->kind == RL_PLAN_POWERS ? 3 : 1; /* of the length */
    double each = ns_of((double)(p->n * a->lanes), p->n, item) * transforms;
    if (p->kind != RL_PLAN_PASSES && n < 2 * rl_num_threads() && !a->j->dry)
        axis_blocks(a, 0, n); /* a long line is enough work for all threads */
    else
        parallel(a->j, axis_blocks, a, n, each + 50);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

typedef struct {
    job *j;
    const rl_fourier_call *c;
    int is_axis[RL_FOURIER_DIMS];
} whole;

/* Transform along axis k, over the other dims that are not in `fixed`. */
static void along(const whole *w, int64_t k, int kind, const char *in, char *out, const int64_t *in_step,
                  const int64_t *out_step, int within, double scale, char *wanted) {
    const rl_fourier_call *c = w->c;
    axis a = {w->j, c->plan[k], kind, c->item, c->trig, c->size[c->axis[k]], 0, in, out, in_step[c->axis[k]],
              out_step[c->axis[k]], 0, {0}, {0}, {0}, 0, 0, 0, c->inverse ? -1.0 : 1.0, scale, 0, wanted, 0};
    if (kind == RL_FOURIER_C2R) a.sign = -a.sign;
    if (kind != RL_FOURIER_C2C) a.real_n = c->real_size;
    a.wanted_line = 2 * c->item * a.n;
    for (int64_t d = 0; d < c->nd; d++) {
        if (d == c->axis[k] || c->size[d] == 1 || (within && !w->is_axis[d])) continue;
        int64_t e = a.nd - 1;
        if (e >= 0 && a.x[e] == c->size[d] * in_step[d] && a.y[e] == c->size[d] * out_step[d]) {
            a.size[e] *= c->size[d], a.x[e] = in_step[d], a.y[e] = out_step[d];
            continue;
        }
        a.size[a.nd] = c->size[d], a.x[a.nd] = in_step[d], a.y[a.nd] = out_step[d];
        a.nd++;
    }
    run_axis(&a, within);
}

/* Transform the real lines of one element of a batch, then the other axes of their spectra, which wait in memory that
 * is used for all elements and whose rows begin at cache lines; meanwhile their final places are prefetched. */
static void by_way_of_rows(const whole *w, const char *in, char *out) {
    const rl_fourier_call *c = w->c;
    int64_t unit = 2 * c->item, full = LANE_BYTES / c->item, last = c->n_axes - 1, dense = unit, bytes = 0, shift = 0;
    int64_t step[RL_FOURIER_DIMS] = {0};
    char *wanted = w->j->ask ? out : NULL;
    for (int64_t d = c->nd - 1; d >= 0; d--) {
        if (!w->is_axis[d]) continue;
        if (c->out_step[d] != dense) wanted = NULL;
        dense *= c->size[d];
        step[d] = bytes ? bytes : unit;
        if (bytes)
            bytes *= c->size[d];
        else {
            if (c->size[d] % full <= full / 8) shift = -(c->size[d] % full * unit) & (LANE_BYTES - 1);
            bytes = ((shift + unit * c->size[d] + LANE_BYTES - 1) / LANE_BYTES | 1) * LANE_BYTES;
        }
    }
    char *between = rl_alloc((size_t)bytes);
    if (!between) {
        fail(w->j, RL_NO_MEMORY);
        return;
    }
    along(w, last, RL_FOURIER_R2C, in, between + shift, c->in_step, step, 1, 1.0, wanted);
    for (int64_t k = last - 1; k >= 0 && !failed(w->j); k--)
        along(w, k, RL_FOURIER_C2C, between + shift, k ? between + shift : out, step, k ? step : c->out_step, 1,
              k ? 1.0 : c->scale, NULL);
    rl_free(between, (size_t)bytes);
}

static void all_axes(const whole *w, const char *in, char *out, int within) {
    const rl_fourier_call *c = w->c;
    int64_t last = c->n_axes - 1;
    if (c->kind == RL_FOURIER_R2C && within && last) {
        by_way_of_rows(w, in, out);
        return;
    }
    if (c->kind != RL_FOURIER_C2R) {
        for (int64_t k = last; k >= 0 && !failed(w->j); k--)
            along(w, k, k == last || c->kind == RL_FOURIER_TRIG ? (int)c->kind : RL_FOURIER_C2C, k == last ? in : out,
                  out, k == last ? c->in_step : c->out_step, c->out_step, within, k ? 1.0 : c->scale, NULL);
        return;
    }
    int64_t step[RL_FOURIER_DIMS], bytes = 2 * c->item;
    char *between = NULL;
    if (last) {
        for (int64_t d = c->nd - 1; d >= 0; d--) {
            step[d] = bytes;
            if (!within || w->is_axis[d]) bytes *= c->size[d];
        }
        between = rl_alloc((size_t)bytes);
        if (!between) {
            fail(w->j, RL_NO_MEMORY);
            return;
        }
        for (int64_t k = last - 1; k >= 0 && !failed(w->j); k--)
            along(w, k, RL_FOURIER_C2C, k == last - 1 ? in : between, between, k == last - 1 ? c->in_step : step, step,
                  within, 1.0, NULL);
    }
    if (!failed(w->j))
        along(w, last, RL_FOURIER_C2R, last ? between : in, out, last ? step : c->in_step, c->out_step, within,
              c->scale, NULL);
    if (last) rl_free(between, (size_t)bytes);
}

static int64_t blocks_of_axes(void *ctx, int64_t begin, int64_t end) {
    const whole *w = ctx;
    const rl_fourier_call *c = w->c;
    for (int64_t k = begin; k < end && !failed(w->j); k++) {
        const char *in = c->in;
        char *out = c->out;
        int64_t rest = k;
        for (int64_t d = c->nd - 1; d >= 0; d--) {
            if (w->is_axis[d]) continue;
            in += rest % c->size[d] * c->in_step[d], out += rest % c->size[d] * c->out_step[d];
            rest /= c->size[d];
        }
        all_axes(w, in, out, 1);
    }
    return 0;
}

static void transform(job *j, const rl_fourier_call *c) {
    whole w = {j, c, {0}};
    int64_t inner = 1, outer = 1;
    for (int64_t k = 0; k < c->n_axes; k++) w.is_axis[c->axis[k]] = 1;
    for (int64_t d = 0; d < c->nd; d++) *(w.is_axis[d] ? &inner : &outer) *= c->size[d];
    /* Several axes, block by block, so that the result of one axis is in the cache when the next one reads it. */
    if (c->n_axes > 1 && outer > 1 && inner >= BLOCK_LEAST && inner <= BLOCK_MOST)
        parallel(j, blocks_of_axes, &w, outer, ns_of((double)inner, inner, c->item));
    else
        all_axes(&w, c->in, c->out, 0);
}

int64_t rl_fourier(const rl_fourier_call *call) {
    int64_t bytes = 4 * call->item; /* of pairs, read and written */
    for (int64_t d = 0; d < call->nd; d++) bytes *= call->size[d];
    job dry = {1, bytes >= ASK_FROM, 0}, wet = dry;
    wet.dry = 0;
    transform(&dry, call);
    if (atomic_load(&dry.error)) return atomic_load(&dry.error);
    transform(&wet, call);
    return atomic_load(&wet.error);
}
