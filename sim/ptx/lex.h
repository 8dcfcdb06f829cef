/*
 * PTX text as tokens. Every word is an atom: one number for one spelling, so that the parser
 * compares and looks up numbers. Comments vanish here. Internal to the parser.
 */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "libtrace/err.h"
#include <stddef.h>
#include <stdint.h>

/*
 * A spelling. %r12 also knows its stem %r and its number 12, since `.reg .b32 %r<36>` declares it
 * by the stem. binding, label and form belong to the parser: 0, or what the word means just now.
 */
struct ptx_atom {
	uint32_t text, len; /* in ptx_atoms.strings, NUL-terminated */
	uint32_t hash;
	uint32_t stem, number; /* stem is 0: no numbered register */
	uint32_t binding;
	uint32_t label;
	uint32_t form;
};

struct ptx_atoms {
	struct ptx_atom *v; /* v[0] is no atom */
	uint32_t n, cap;
	uint32_t *slots; /* open addressing, nslots a power of two; 0 is free */
	uint32_t nslots;
	uint64_t seed; /* of the hashes */
	char *strings; /* offset 0 is "" */
	uint32_t strings_len, strings_cap;
};

int ptx_atoms_init(struct ptx_atoms *a); /* 0 or TR_EMEM */
void ptx_atoms_free(struct ptx_atoms *a);
uint32_t ptx_atoms_put(struct ptx_atoms *a, const char *s, uint32_t len); /* 0 without memory */

static inline const char *ptx_atom_text(const struct ptx_atoms *a, uint32_t atom)
{
	return a->strings + a->v[atom].text;
}

enum ptx_token_kind { /* punctuation is its own character */
	PTX_TK_END = 256,
	PTX_TK_WORD,      /* name, register or whole opcode: %tid.x, ld.global.v2.f32 */
	PTX_TK_DIRECTIVE, /* .reg: a dot and one word */
	PTX_TK_INT,
	PTX_TK_F32,
	PTX_TK_F64,
	PTX_TK_STRING,
};

struct ptx_token {
	int kind;
	uint32_t line;
	uint32_t atom;       /* WORD, DIRECTIVE; of a STRING its text without quotes */
	uint64_t value;      /* INT: without a sign, which is a token of its own; F32, F64: bits */
	uint8_t is_unsigned; /* INT: with a U, or beyond 63 bits */
};

struct ptx_lex {
	const char *p, *end;
	uint32_t line;
	struct ptx_atoms atoms;
};

/* The next token. 1, or TR_EDATA or TR_EMEM with the sentence (without place) in *err. */
int ptx_lex_next(struct ptx_lex *l, struct ptx_token *t, struct tr_err *err);

#endif
