/* Matrix products by generated kernels: the loops around them (docs/design/products.md).
 *
 * Every element of C is summed in one order that depends on K alone: K is cut into equal blocks of at most RL_PRODUCT_K
 * terms, the sum over each is a chain of fused multiply-adds in order of k, and the blocks' sums are added in order. So
 * the bits depend neither on the tiles, nor on the threads, nor on the strides of operands. */
#ifndef RL_PRODUCT_H
#define RL_PRODUCT_H
#include <stdint.h>

enum { RL_F32, RL_F64, RL_C64, RL_C128, RL_BF16, RL_F16, RL_I8 }; /* OpenBLAS lacks the last three; I8: uint8, too */
enum { RL_PRODUCT_K = 128, RL_PRODUCT_DTYPES = 7, RL_MOST_DIMS = 8 };

/* The arguments of a tile's kernel (compiler/products/tile.py): C (m, n) = A (m, k) @ B (k, n), or that added to the
 * sums at `from`; strides in bytes. Rows of B, C and `from` are contiguous. 1 <= m <= rows, 1 <= n <= columns, k >= 1.
 * The kernel with a table finds row l of B at b + ((const int64_t *)b_k)[l], its second half `apart` bytes later, and
 * all columns of C exist. The transposed one finds column l of A at a + ((const int64_t *)a_k)[l], with contiguous
 * rows. */
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
    int64_t further; /* A is prefetched so many terms ahead, because it comes from a far cache */
    char *to;        /* NULL, or the memory for packed rows of B, to_k apart: of a tile with all rows and columns */
    int64_t to_k;
    const char *next; /* NULL, or a pair of lines that is asked for, next_k apart: it is wanted after this tile */
    int64_t next_k;
    int64_t pause; /* ... and the next pair each so many terms and one, a power of two: they come from far away */
} rl_tile;

/* The arguments of a packing kernel (compiler/products/pack.py): to[k * step + i] = from[i * across + k * along_k] for
 * i < count; strides in bytes. */
typedef struct {
    const char *from;
    int64_t across, along_k, count, k;
    char *to;
    int64_t step;
} rl_panel;

typedef void (*rl_tile_fn)(const rl_tile *);
typedef void (*rl_panel_fn)(const rl_panel *);

/* B as a convolution's column matrix: element (k, j) is at b + k_at[k] + n_at[j], in bytes. Neighbours along n are
 * mostly contiguous. RL_SLACK bytes behind the last element may be read. */
enum { RL_SLACK = 128 };
typedef struct {
    const int64_t *k_at, *n_at;
    const char *packed; /* NULL, or all of A as rl_product_pack_rows leaves it: for products on one thread */
} rl_gather;

/* The kernel that follows a product, and is run on pieces of it while they are in a cache (compiler/emit/frame.py): an
 * ordinary kernel over rows and columns, of whose `n` operands C is number `at`.
 * params: its parameters: sizes (which each piece replaces), the strides in bytes along rows and columns of each
 * operand, numbers. Operand o of product number b begins at pointers[o] plus b's place in a row-major array of `nd`
 * sizes, of strides steps[d * n + o] in bytes. */
enum { RL_MOST_OPERANDS = 16, RL_MOST_NUMBERS = 16, RL_MOST_PARAMS = 2 + 2 * RL_MOST_OPERANDS + 2 * RL_MOST_NUMBERS };
typedef struct {
    int64_t (*kernel)(void **, const int64_t *, int64_t, int64_t);
    int64_t n, at, n_params, nd;
    double ns;     /* about the time of an element, in ns */
    int64_t block; /* columns of an item of the kernel */
    void *pointers[RL_MOST_OPERANDS];
    int64_t params[RL_MOST_PARAMS];
    int64_t sizes[RL_MOST_DIMS], steps[RL_MOST_DIMS * RL_MOST_OPERANDS];
} rl_epilogue;

/* A product, C (m, n) = A (m, k) @ B (k, n), or C += that where `add`; for each of `batch`, *_bs apart. Strides in
 * bytes, any. `then`: the kernel that follows on C, whose batch is numbered from `first`; C is NULL if only that kernel
 * needs it. */
typedef struct {
    int dtype, add;
    int64_t batch, m, n, k;
    const char *a, *b;
    char *c;
    int64_t a_bs, a_rs, a_cs, b_bs, b_rs, b_cs, c_bs, c_rs, c_cs;
    const rl_gather *gather; /* NULL, or the places of B; then C has contiguous rows, and is float32 or float64 */
    const rl_epilogue *then;
    int64_t first;
    int wide; /* C is float32, of half types, or int32, of int8; its rows are contiguous */
} rl_product;

/* Set the kernels for a dtype; tiles are rows x columns, and the kernel has code for 1 ... 8 rows and for even numbers
 * up to `rows`. A half type is packed as float32, and `narrow` converts a product back. If the tile is NULL, OpenBLAS
 * multiplies this dtype, or nothing does. */
void rl_product_use(int dtype, rl_tile_fn tile, rl_panel_fn pack, rl_panel_fn narrow, int64_t rows, int64_t columns);

/* Set the kernels with a table, of B's rows and of A's columns, whose tiles have the same size. */
void rl_product_use_table(int dtype, rl_tile_fn table, rl_tile_fn turned);

/* Multiply bfloat16 by pairs of terms instead, with the kernel of compiler/products/amx.py or dots.py, and kernels that
 * transpose elements of four bytes, and that round. NULL: no longer. */
void rl_product_use_bf16(rl_tile_fn tile, rl_panel_fn turn, rl_panel_fn narrow);
int rl_product_has_words(int dtype);
int rl_product_run_words(const rl_product *p, int parallel);

/* For other loops on these tiles: a thread opens and closes them. Rows of A and columns of B are packed by 32, with
 * zeros behind the edges: rl_bf16_bytes. m <= 32 rows times a panel write 32 x 32 floats. Strides in bytes. */
enum { RL_BF16_EDGE = 32 }; /* rows and columns of a tile's C, and terms of a step */
void rl_bf16_open(void);
void rl_bf16_close(void);
int64_t rl_bf16_bytes(int64_t n, int64_t k);
void rl_bf16_rows(const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to);
void rl_bf16_columns(const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to);
void rl_bf16_tile(const char *a, const char *b, int64_t m, int64_t k, char *c, int64_t c_row);

/* The current kernels for a dtype, for loops other than those of products: item and wide are the bytes of an element
 * and of a packed one. */
typedef struct {
    rl_tile_fn tile, table, turned; /* table, transposed: NULL until rl_product_use_table */
    rl_panel_fn pack, narrow;
    int64_t rows, columns, item, wide;
} rl_product_parts;
rl_product_parts rl_product_kernels(int dtype);

/* How many rows the next tile takes, of so many that are left. */
int64_t rl_product_next_rows(int dtype, int64_t left);

/* How many turns (of two multiply-adds each) a step over k takes in tiles of so many rows. */
double rl_product_turns(int dtype, int64_t m);

/* How many bytes of packed operands may stay in the second-level cache: half of the size that the processor reports. */
int64_t rl_product_cache_room(void);

/* How many terms a block of K has: the fewest equal blocks of at most RL_PRODUCT_K. */
int64_t rl_product_depth(int64_t k);

/* Whether there are kernels for a dtype. */
int rl_product_serves(int dtype);

/* How many columns of B a tile takes; 0 if B is not read in place. */
int64_t rl_product_columns(int dtype);

/* Pack B (k, n) in contiguous panels of so many columns, one behind the other, for several products that share B: each
 * panel is the B of a product that does not pack it. Strides in bytes. */
void rl_product_panels(int dtype, int64_t n, int64_t k, const void *b, int64_t b_rs, int64_t b_cs, void *to);

/* Pack the rows of A (m, k) for the block of K that begins at k0, at its place in m * k elements, for products that
 * share A. */
void rl_product_pack_rows(int dtype, int64_t m, int64_t k, int64_t k0, const char *a, int64_t a_rs, int64_t a_cs,
                          char *to);

/* Whether it pays to make a product in pieces for the kernel that follows. */
int rl_product_pays_then(const rl_product *p);

/* Run the kernel that follows on m x n elements from row i and column j on, of product number b. They are at `c`, in
 * rows that are c_row bytes apart, or in C if that is NULL. */
void rl_product_go_on(const rl_product *p, int64_t b, int64_t i, int64_t j, int64_t m, int64_t n, char *c,
                      int64_t c_row, int64_t item);

/* The same for `rows` rows of C from row i on, and of each `lines` lines of n elements from column j on. Lines are
 * c_line bytes apart, and rows c_row; NULL: they are in C, one line behind the other. */
void rl_product_go_on_lines(const rl_epilogue *e, int64_t b, int64_t i, int64_t j, int64_t rows, int64_t lines,
                            int64_t n, char *c, int64_t c_row, int64_t c_line, int64_t item);

/* Make C^T = B^T A^T instead of C = A B. */
void rl_product_turn(rl_product *p);

/* Multiply. Returns 0 or RL_NO_MEMORY. (Half types are not added to C.) */
int rl_product_run(const rl_product *p, int parallel);

/* The instruction sets that products use, as the bits below; CPUID tells them (AVX512_BF16: with VNNI; AMX: with int8),
 * and for AMX's tiles the operating system, too, whose permission they need. */
enum { RL_HAS_AVX2 = 1, RL_HAS_AVX512 = 2, RL_HAS_AMX_BF16 = 4, RL_HAS_AVX512_BF16 = 8 };
int rl_processor(void);

#endif
