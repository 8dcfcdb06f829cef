/* Internal: the bytes of LAUNCH records, for writer and reader. */
#ifndef TR_TRACE_FORMAT_H
#define TR_TRACE_FORMAT_H

#include "buf.h"
#include "trace.h"

/* 1, or TR_EDATA with the reason: shape, sizes, counts. */
int tr_launch_validate(const struct tr_launch *l, struct tr_err *err);
int tr_launch_write(const struct tr_launch *l, struct tr_buf *out); /* 0, or -1 without memory */
/* Fills *l, whose lists tr_launch_clear frees. 1, TR_EDATA or TR_EMEM. */
int tr_launch_read(struct tr_launch *l, const uint8_t *data, size_t len, struct tr_err *err);
/* What a CHILD record has: the launch's parent_inst, buffer and buffer_bytes. As above. */
int tr_child_write(const struct tr_launch *l, struct tr_buf *out);
int tr_child_read(struct tr_launch *l, const uint8_t *data, size_t len);
/* What a CLUSTER record has: the launch's cluster. As above; tr_launch_validate knows the rest. */
int tr_cluster_write(const struct tr_launch *l, struct tr_buf *out);
int tr_cluster_read(struct tr_launch *l, const uint8_t *data, size_t len);
void tr_launch_clear(struct tr_launch *l);

#endif
