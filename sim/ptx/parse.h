/*
 * What the parts of the parser share. Text becomes bodies (one for each .entry and .func, with
 * their own registers and variables), inline.c makes kernels of the entries, lower.c their
 * programs. Internal to the parser.
 */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "arena.h"
#include "ast.h"
#include "lex.h"

/*
 * Space of a body's symbol that is a call's parameter, formal or actual. Such storage is apart from
 * .local variables until inline.c has placed both; then it is PTX_V_LOCAL.
 */
enum { PTX_V_CALL = PTX_V_PARAM + 1 };

enum ptx_binding_kind {
	PTX_B_REG,
	PTX_B_RANGE,
	PTX_B_PATTERN, /* a register of the module's: one in each entry that names it */
	PTX_B_SYM,
	PTX_B_FUNC
};

/*
 * What a name means in a scope. RANGE is the stem of `%r<n>`; its registers are made when first
 * used. prev is the binding of the same name that this one hides, next the scope's list.
 */
struct ptx_binding {
	uint32_t atom, prev, next;
	uint32_t depth; /* of the scope: 0 is the module */
	uint8_t kind;   /* enum ptx_binding_kind */
	uint8_t type;   /* RANGE, PATTERN */
	uint8_t own;    /* of its text: other texts of the module do not see it */
	uint32_t index; /* register, symbol (as in ptx_operand.sym) or body; RANGE: its count */
};

/* Labels have a space of names of their own. value: instruction, or table of .branchtargets. */
struct ptx_label {
	uint32_t atom, prev, next;
	uint32_t depth, value;
	int is_table;
};

/* A use of a label until its scope closes: by inst, or in a table if that is not TR_NONE. */
struct ptx_label_use {
	uint32_t atom, line, inst, table, slot;
	int wants_table;
};

struct ptx_table {
	uint32_t *targets, n;
};

struct ptx_scope {
	uint32_t bindings, labels; /* lists */
	uint32_t first_use;
	uint32_t call_at; /* when the scope was opened */
};

struct ptx_formal {
	int is_reg;
	uint8_t type;   /* as declared; an array's is of its elements */
	uint32_t index; /* in the body's regs or syms */
};

struct ptx_call {
	uint32_t callee; /* body, or TR_NONE: what has the address that is in a register */
	struct ptx_operand address;
	struct ptx_operand *rets, *args;
	uint32_t nrets, nargs;
	uint32_t kind; /* recurse.c: calls through registers of one kind can call the same bodies */
};

/* A function or an entry as it stands in the text; branch targets are numbers in insts. */
struct ptx_body {
	char *name;
	struct ptx_body *as; /* of a declaration: the definition, or what it is an alias of */
	const char *path;    /* of its text, for messages */
	int is_entry, defined, active; /* active: inline.c stands in it */
	int weak, spare;               /* another definition may stand for it; does */
	int built_in; /* of the text in parse_module.c: its instructions count for the call's line
		       */
	const char *refusal; /* why it cannot be executed, or NULL: insts are then none */
	uint32_t refusal_file, refusal_line; /* its .loc, as an instruction has it */
	struct ptx_inst *insts;
	struct ptx_reg *regs;
	struct ptx_sym *syms;
	struct ptx_formal *formals; /* results first */
	struct ptx_call *calls;     /* an inst's target, where it is a call */
	uint32_t ninsts, nregs, nsyms, nformals, ncalls, nrets;
	uint32_t cap_insts, cap_regs, cap_syms, cap_formals, cap_calls;
	uint32_t local_bytes, call_bytes, param_bytes;
	struct ptx_clustering cluster;
	struct ptx_cta_size maxntid;
	int taken; /* its address is */
	/* The first of the registers that cp.async and indirect calls go through, + 1; 0: none. */
	uint32_t async, indirect;
	uint8_t recursive; /* recurse.c: 0 not known, 1 no, 2 yes; and its search for that */
	struct {
		struct ptx_body *caller, *open;
		uint32_t found, leads_to, next;
	} calling;
	uint64_t *live; /* recurse.c: a row a call, a bit a register that is needed after it; or */
	uint8_t all_live; /* all are */
	uint8_t *loose;   /* recurse.c: by symbol, whether a parameter may serve several calls */
};

/* Whether a module symbol still lacks its definition, and the line whose data name it, or 0. */
struct ptx_extern {
	int undefined;
	uint32_t line;
};

/* What an opcode with its modifiers asks for; made once for each spelling (forms.c). */
struct ptx_form {
	struct ptx_inst proto;
	const char *operands; /* parse_inst.c says what the letters mean */
};

/* Bytes of a CTA's shared memory that the system reserves from sm_80 on. */
#define PTX_RESERVED_SHARED 1024u

struct ptx_parser {
	struct ptx_module *m;
	struct tr_err *err;
	const char *path;    /* of the text at hand, for messages */
	uint32_t first_file; /* of its .file numbers, in the module's */
	int own, weak;       /* what the directive at hand declares: neither seen by other texts, */
			     /* or one of several that are the same */
	struct ptx_lex lex;
	struct ptx_token tok; /* the next one */
	uint32_t last_line;   /* of the one before */
	struct ptx_body **bodies;
	uint32_t nbodies, cap_bodies, cap_syms, cap_files;
	struct ptx_extern *externs; /* by module symbol */
	uint32_t cap_externs;
	uint64_t init_bytes;  /* of all initialized variables */
	uint32_t local_bytes; /* of the module's .local variables */
	uint32_t
		reserved_shared; /* + 1: the variable that the system's shared memory is; 0: none */
	unsigned version;        /* 14 of .version 1.4, of the text at hand */
	int parameters_inside;   /* of entries, in their bodies: PTX 1.0 to 1.3 */
	int narrow, wide; /* accesses of global and generic memory with registers of 32, 64 bits */
	int flushes;      /* f32 arithmetic takes subnormals for 0: .target sm_1x */

	struct ptx_body *body; /* being parsed, or NULL */
	uint32_t call_at;      /* end of the call parameters that are in scope */
	uint32_t file, line; /* .loc; while kernels are made: of what is at hand, line 0: nothing */
	struct ptx_inlined *inlined;                   /* lines.c: .locs with inlined_at, */
	uint32_t ninlined, cap_inlined, first_inlined; /* the first of the body at hand */
	int built_in;                                  /* the bodies being parsed are */
	struct ptx_binding *bindings;
	struct ptx_label *labels;
	struct ptx_label_use *uses;
	struct ptx_table *tables;
	struct ptx_scope scopes[64];
	uint32_t nbindings, nlabels, nuses, ntables, depth;
	uint32_t cap_bindings, cap_labels, cap_uses, cap_tables;

	struct ptx_form *forms;
	uint32_t nforms, cap_forms;
};

/* Fails with "file:line: sentence". Returns the code, TR_EDATA but for ptx_no_memory. */
int ptx_bad(struct ptx_parser *p, uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int ptx_no_memory(struct ptx_parser *p);
/* "';' stands where a register should stand" */
int ptx_unexpected(struct ptx_parser *p, const char *wants);

/*
 * parse_core.c: tokens. Each returns 1, or 0 where another token stands (accept), or a TR_E*;
 * expect and all below it fail instead of 0.
 */
int ptx_advance(struct ptx_parser *p);
int ptx_accept(struct ptx_parser *p, int kind);
int ptx_accept_directive(struct ptx_parser *p, const char *name);
int ptx_expect(struct ptx_parser *p, int kind, const char *wants);
int ptx_name(struct ptx_parser *p, uint32_t *atom, const char *wants);
int ptx_integer(struct ptx_parser *p, int64_t *v); /* with its sign */
int ptx_integer_in(struct ptx_parser *p, int64_t low, int64_t high, const char *what, int64_t *v);
int ptx_skip_group(struct ptx_parser *p, int open, int close); /* balanced, as ( ... ) */
int ptx_is_directive(const struct ptx_parser *p, const char *name);
const char *ptx_text(const struct ptx_parser *p, uint32_t atom);
unsigned ptx_function_bytes(const struct ptx_parser *p); /* that its address has at least */
char *ptx_keep(struct ptx_parser *p, uint32_t atom);     /* in the module's arena, or NULL */

/* Reading ahead: where the parser stands, and back to there. */
struct ptx_place {
	const char *p;
	uint32_t line;
	struct ptx_token tok;
};
struct ptx_place ptx_here(const struct ptx_parser *p);
void ptx_back(struct ptx_parser *p, const struct ptx_place *place);

/*
 * parse_decl.c: a declared type (`.align 8 .b8`, with all that may stand around it), one variable
 * after it, whose number goes to *number unless that is NULL, and lists of them to the semicolon.
 */
enum { PTX_DIMS_MAX = 8 };
struct ptx_declaration {
	enum ptx_type type;
	uint32_t align, vec;
	uint64_t dims[PTX_DIMS_MAX + 1]; /* the last one is the vector's */
	uint32_t ndims;
	int unsized; /* the first dimension is [] */
};
int ptx_declared_type(struct ptx_parser *p, struct ptx_declaration *d);
int ptx_variable(struct ptx_parser *p, struct ptx_declaration *d, uint8_t space, int is_extern,
	uint32_t *number);
int ptx_variables(struct ptx_parser *p, uint8_t space, int is_extern);
int ptx_registers(struct ptx_parser *p);
/* The parameters of an entry that are declared in its body. */
int ptx_parameters_inside(struct ptx_parser *p);

/*
 * symbols.c: scopes and what names mean in them. Those that can fail return 1 or a TR_E*. A scope's
 * closing fails where a label of the body is still unknown, _bind where the scope has the name.
 */
int ptx_scope_open(struct ptx_parser *p);
int ptx_scope_close(struct ptx_parser *p);
void ptx_scopes_abandon(struct ptx_parser *p, uint32_t depth); /* all above depth, as they are */
void ptx_forget_own(struct ptx_parser *p); /* at a text's end: names that others do not see */
int ptx_bind(struct ptx_parser *p, uint32_t atom, enum ptx_binding_kind kind, uint32_t index,
	enum ptx_type type);
int ptx_bind_module(
	struct ptx_parser *p, uint32_t atom, enum ptx_binding_kind kind, uint32_t index);
const struct ptx_binding *ptx_bound(const struct ptx_parser *p, uint32_t atom); /* or NULL */
/* The register of that name: 1, 0 where there is none, or TR_EMEM. */
int ptx_register(struct ptx_parser *p, uint32_t atom, uint32_t *reg);
/* A new register of the body. */
int ptx_register_new(struct ptx_parser *p, uint32_t atom, enum ptx_type type, uint32_t *reg);
/* The symbol with a number as in ptx_operand.sym, and a new one: the body's, or the module's. */
struct ptx_sym *ptx_symbol_at(struct ptx_parser *p, uint32_t sym);
int ptx_symbol_new(struct ptx_parser *p, const struct ptx_sym *sym, uint32_t *number);
/* The symbol is used on this line: if it is extern and never defined, the error names this line. */
void ptx_symbol_used(struct ptx_parser *p, uint32_t sym, uint32_t line);
/* Defines a label here, or as a table; uses one as the target of the next instruction or in one. */
int ptx_label_define(struct ptx_parser *p, uint32_t atom, uint32_t value, int is_table);
int ptx_label_use(struct ptx_parser *p, const struct ptx_label_use *use);

/* forms.c: the form of an opcode's spelling. */
int ptx_form_of(struct ptx_parser *p, uint32_t atom, uint32_t line, struct ptx_form *form);
/* parse_video.c: the rest of a video instruction's spelling, and its operands, of which these two
 * functions of parse_inst.c read a register each. */
int ptx_video_form(struct ptx_parser *p, struct ptx_inst *x, const char *rest, const char *text,
	uint32_t line);
int ptx_video_operands(struct ptx_parser *p, struct ptx_inst *x);
int ptx_video_source(struct ptx_parser *p, struct ptx_inst *x);
int ptx_video_destination(struct ptx_parser *p, struct ptx_inst *x);
/* forms_tensor.c: the rest of a spelling of mma and its like, in x. */
int ptx_tensor_form(struct ptx_parser *p, struct ptx_inst *x, const char *rest, const char *text,
	uint32_t line);
enum ptx_type ptx_type_of(const char *name); /* PTX_T_NONE: no type */

/* parse_inst.c: one instruction; its opcode has been read, and its guard if there is one. */
struct ptx_guard {
	uint32_t reg; /* or TR_NONE */
	int negate;
};
int ptx_parse_guard(struct ptx_parser *p, struct ptx_guard *g);
int ptx_parse_inst(struct ptx_parser *p, uint32_t opcode, uint32_t line, struct ptx_guard guard);
/* Appends an instruction to the body, at this place in the text. */
int ptx_emit(struct ptx_parser *p, const struct ptx_inst *inst, uint32_t line);
/* The bits of an integer literal as an operand of this type holds them. */
uint64_t ptx_fit(uint64_t value, enum ptx_type t);

static inline int ptx_is_float(enum ptx_type t)
{
	return t >= PTX_T_F16 && t <= PTX_T_F64;
}

/*
 * constant.c: an integer or an expression of some, where a minus may have been read already;
 * `wants` says what should stand here.
 */
int ptx_constant(struct ptx_parser *p, int minus, const char *wants, uint64_t *bits);

/*
 * lines.c: the place where what follows p->file and p->line was inlined, as .loc says it. _settle
 * gives all instructions of bodies their lines in the program, once files have their names.
 * _refusal_at: why, which begins with "path:line: ", with the program's line in it; NULL: no
 * memory.
 */
int ptx_loc_inlined(struct ptx_parser *p, uint32_t column, const uint32_t at[3]);
void ptx_lines_settle(struct ptx_parser *p);
char *ptx_refusal_at(struct ptx_parser *p, const char *why, uint32_t file, uint32_t line);

/* inline.c: makes the module's kernels of the entries. */
int ptx_inline(struct ptx_parser *p);
/* What defines b, through its aliases; b itself where nothing does. */
struct ptx_body *ptx_definition(struct ptx_body *b);

#endif
