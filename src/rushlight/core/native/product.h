/* Matrix products by generated kernels: the loops around them (docs/design/products.md).
 *
 * Every element of C is summed in one order that depends on K alone: K is cut into equal blocks of at most RL_PRODUCT_K
 * terms, the sum over each is a chain of fused multiply-adds in order of k, and the blocks' sums are added in order. So
 * the bits depend neither on the tiles nor on the threads, nor on how the operands lie. */
#ifndef RL_PRODUCT_H
#define RL_PRODUCT_H
#include <stdint.h>

enum { RL_F32, RL_F64, RL_C64, RL_C128, RL_BF16, RL_F16 }; /* of a product; OpenBLAS has none of the last two */
enum { RL_PRODUCT_K = 128, RL_PRODUCT_DTYPES = 6, RL_MOST_DIMS = 8 };

/* What a tile's kernel takes (compiler/products/tile.py): C (m, n) = A (m, k) @ B (k, n), or that added to what lies at
 * `from`; strides in bytes. Rows of B, C and `from` are contiguous. 1 <= m <= rows, 1 <= n <= columns, k >= 1. The
 * kernel with a table finds row l of B at b + ((const int64_t *)b_k)[l], its second half `apart` behind that, and all
 * columns of C have places. The turned one finds column l of A at a + ((const int64_t *)a_k)[l], rows side by side. */
typedef struct {
    const char *a;
    int64_t a_row, a_k;
    const char *b;
    int64_t b_k;
    char *c;
    int64_t c_row, m, n, k, add;
    const char *from;
    int64_t from_row;
    int64_t apart;   /* with a table: bytes from B's first vector to its second */
    int64_t further; /* so many terms further ahead A is asked for: it comes from a cache that is far */
    char *to;        /* NULL, or where B's rows are to be packed, to_k apart: of a tile of all rows and columns */
    int64_t to_k;
    const char *next; /* NULL, or a pair of lines that is asked for, next_k apart: it is wanted after this tile */
    int64_t next_k;
    int64_t pause; /* ... and the next pair each so many terms and one, a power of two: they come from far away */
} rl_tile;

/* What a packing kernel takes (compiler/products/pack.py): to[k * step + i] = from[i * across + k * along_k] for i <
 * count; strides in bytes. */
typedef struct {
    const char *from;
    int64_t across, along_k, count, k;
    char *to;
    int64_t step;
} rl_panel;

typedef void (*rl_tile_fn)(const rl_tile *);
typedef void (*rl_panel_fn)(const rl_panel *);

/* How B lies where it is a convolution's column matrix: element (k, j) at b + k_at[k] + n_at[j], in bytes. Neighbours
 * mostly lie side by side along n. Behind the last element there are RL_SLACK bytes that may be read. */
enum { RL_SLACK = 128 };
typedef struct {
    const int64_t *k_at, *n_at;
    const char *packed; /* NULL, or all of A as rl_product_pack_rows leaves it: for products on one thread */
} rl_gather;

/* The kernel that goes on with a product's elements, piece by piece while they are in a cache (compiler/emit/frame.py):
 * an ordinary kernel over rows and columns, to which C is one of `n` operands, number `at`.
 *
 * params: what it is told: its sizes (which each piece replaces), the strides in bytes along rows and columns of each
 * operand, numbers. Operand o of product number b begins at pointers[o] plus b's place in a row-major array of `nd`
 * sizes, of strides steps[d * n + o] in bytes. */
enum { RL_MOST_OPERANDS = 16, RL_MOST_NUMBERS = 16, RL_MOST_PARAMS = 2 + 2 * RL_MOST_OPERANDS + 2 * RL_MOST_NUMBERS };
typedef struct {
    int64_t (*kernel)(void **, const int64_t *, int64_t, int64_t);
    int64_t n, at, n_params, nd;
    double ns;     /* about what an element takes */
    int64_t block; /* columns of an item of the kernel */
    void *pointers[RL_MOST_OPERANDS];
    int64_t params[RL_MOST_PARAMS];
    int64_t sizes[RL_MOST_DIMS], steps[RL_MOST_DIMS * RL_MOST_OPERANDS];
} rl_epilogue;

/* A product, C (m, n) = A (m, k) @ B (k, n), or C += that where `add`; for each of `batch`, *_bs apart. Strides in
 * bytes, any. `then`: what goes on with C, whose batch is numbered from `first`; where C is NULL nobody else wants
 * it. */
typedef struct {
    int dtype, add;
    int64_t batch, m, n, k;
    const char *a, *b;
    char *c;
    int64_t a_bs, a_rs, a_cs, b_bs, b_rs, b_cs, c_bs, c_rs, c_cs;
    const rl_gather *gather; /* NULL, or where B lies; then C has contiguous rows, and is float32 or float64 */
    const rl_epilogue *then;
    int64_t first;
    int wide; /* C is float32, of half types; its rows are contiguous */
} rl_product;

/* Use these kernels for a dtype from now on; tiles are rows x columns, and the kernel has code for 1 ... 8 rows and for
 * even numbers up to `rows`. A half type is packed as float32, and `narrow` brings a product back. A tile that is NULL:
 * OpenBLAS multiplies this dtype, or nobody. */
void rl_product_use(int dtype, rl_tile_fn tile, rl_panel_fn pack, rl_panel_fn narrow, int64_t rows, int64_t columns);

/* The kernels with a table, of tiles of the same size: of B's rows, and of A's columns. */
void rl_product_use_table(int dtype, rl_tile_fn table, rl_tile_fn turned);

/* Multiply bfloat16 in AMX's tiles instead, with the kernel of compiler/products/amx.py and such that transpose
 * elements of four bytes, and such that round. NULL: not so. */
void rl_product_use_amx(rl_tile_fn tile, rl_panel_fn pairs, rl_panel_fn narrow);
int rl_product_has_amx(void);
int rl_product_run_amx(const rl_product *p, int parallel);

/* For loops of another kind on these tiles: a thread opens them and closes them again. Rows of A and columns of B are
 * packed 32 by 32, with zeros behind the edges; n of them with k terms take rl_amx_bytes. A strip of rows times a panel
 * of columns sets 32 x 32 elements in float32. Strides in bytes. */
enum { RL_AMX_EDGE = 32 }; /* rows and columns of a tile's C, and terms of a step */
void rl_amx_open(void);
void rl_amx_close(void);
int64_t rl_amx_bytes(int64_t n, int64_t k);
void rl_amx_rows(const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to);
void rl_amx_columns(const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to);
void rl_amx_tile(const char *a, const char *b, int64_t k, char *c, int64_t c_row);

/* The kernels in use for a dtype, for loops of another kind than those of products: item and wide are the bytes of an
 * element and of a packed one. */
typedef struct {
    rl_tile_fn tile, table, turned; /* table, turned: NULL until rl_product_use_table */
    rl_panel_fn pack, narrow;
    int64_t rows, columns, item, wide;
} rl_product_parts;
rl_product_parts rl_product_kernels(int dtype);

/* Of so many rows that are left, how many the next tile takes. */
int64_t rl_product_next_rows(int dtype, int64_t left);

/* How many turns (of two multiply-adds each) a step over k takes in the tiles of so many rows. */
double rl_product_turns(int dtype, int64_t m);

/* How many bytes of packed operands stay in the second-level cache: half of what the processor reports. */
int64_t rl_product_cache_room(void);

/* How many terms a block of K has: the fewest equal blocks of at most RL_PRODUCT_K. */
int64_t rl_product_depth(int64_t k);

/* Whether there are kernels for a dtype. */
int rl_product_serves(int dtype);

/* How many columns of B a tile takes; 0 where B is not read as it lies. */
int64_t rl_product_columns(int dtype);

/* B (k, n) in panels of so many columns, one behind the other, each with its rows in one piece: for products that have
 * B in common, as many products whose B is not packed. Strides in bytes. */
void rl_product_panels(int dtype, int64_t n, int64_t k, const void *b, int64_t b_rs, int64_t b_cs, void *to);

/* Pack the rows of A (m, k) for the block of K that begins at k0, into its place in m * k elements: for products that
 * have A in common. */
void rl_product_pack_rows(int dtype, int64_t m, int64_t k, int64_t k0, const char *a, int64_t a_rs, int64_t a_cs,
                          char *to);

/* Whether a product is worth making piece by piece, for what goes on with it. */
int rl_product_pays_then(const rl_product *p);

/* Let the kernel go on with m x n elements from row i and column j on, of product number b. They lie at `c`, in rows
 * that are c_row bytes apart, or where C lies if that is NULL. */
void rl_product_go_on(const rl_product *p, int64_t b, int64_t i, int64_t j, int64_t m, int64_t n, char *c,
                      int64_t c_row, int64_t item);

/* The same of `rows` rows of C from row i on, of each from column j on what lies as `lines` of n elements that are
 * c_line bytes apart, and its rows c_row; NULL: where C lies, one line behind the other. */
void rl_product_go_on_lines(const rl_epilogue *e, int64_t b, int64_t i, int64_t j, int64_t rows, int64_t lines,
                            int64_t n, char *c, int64_t c_row, int64_t c_line, int64_t item);

/* C^T = B^T A^T in the place of C = A B. */
void rl_product_turn(rl_product *p);

/* Multiply. Returns 0 or RL_NO_MEMORY. (Half types are not added to C.) */
int rl_product_run(const rl_product *p, int parallel);
/* The same of one product of float32 or float64, whose sums are long: blocks of K side by side. */
int rl_product_in_parts(const rl_product *p);

/* What the processor can do that products make use of, as the bits below; asked of CPUID, and for the tiles of the
 * kernel too, whose leave they need. */
enum { RL_HAS_AVX2 = 1, RL_HAS_AVX512 = 2, RL_HAS_AMX_BF16 = 4 };
int rl_processor(void);

#endif
