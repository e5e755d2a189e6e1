/* JPEG files as cameras and most programs write them: baseline, of grey or of brightness and two differences of colour,
 * in one scan. Whatever is in any way out of the ordinary is not decoded here, so that a library which knows all kinds
 * of files, and what is wrong with them, may decide. The bytes are those of libjpeg's exact transform ("islow") and of
 * its smooth interpolation of colours. */
#ifndef RL_JPEG_H
#define RL_JPEG_H
#include <stddef.h>
#include <stdint.h>

/* What a decoder says of a file that it leaves to others. */
enum { RL_JPEG_NOT_OURS = 1 };

typedef struct rl_jpeg_size {
    int64_t height, width;
    int channels; /* 1: grey, 3: colours */
} rl_jpeg_size;

/* What the markers before the scan say. Returns 0, or RL_JPEG_NOT_OURS. */
int64_t rl_jpeg_header(const uint8_t *data, size_t bytes, rl_jpeg_size *size);

/* Decode a file into (height, width, channels) bytes, side by side. size: what the header says, but for `channels`: 1
 * or 3, the file's own or else its brightness alone, or three times. Returns 0, RL_JPEG_NOT_OURS (of another size too)
 * or RL_NO_MEMORY; what was written until then is of no use. */
int64_t rl_jpeg_decode(const uint8_t *data, size_t bytes, const rl_jpeg_size *size, uint8_t *to);

#endif
