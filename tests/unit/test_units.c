/*
 * Execution units of Volta and later: where each opcode goes, what a product of matrices takes by
 * its shape, and units that classes share, worked out on paper. Cycles are counted as in
 * test_replay.c: a launch whose last exit issues in cycle x takes x + THROUGH.
 */
#include "sim/base/units.h"
#include "sim/convert/accel.h"
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sim_config machine(const char *settings)
{
	struct sim_config c;

	sim_config_default(&c);
	machine_set(&c, "sm.opcode_units=yes");
	machine_set(&c, settings);
	return c;
}

/* ---- opcodes of SASS ---- */

/* Of a row the opcodes are known, and go there; the opcodes of TMA and the like take no unit. */
static void test_sass(void **state)
{
	static const struct {
		const char *opcodes;
		uint8_t pipe;
	} rows[] = {
		{"IADD3 LOP3.LUT SHF.R.U32.HI LEA ISETP.GE.AND SEL MOV PRMT IMNMX VIMNMX FMNMX "
		 "FSEL FSETP.GT.AND FSET PLOP3.LUT P2R R2P VOTE.ALL CS2R BMSK SGXT VABSDIFF "
		 "I2FP.F32.S32 F2FP.PACK_AB F2FP.BF16.PACK_AB",
			TR_C_INT},
		{"FFMA FADD FMUL IMAD IMAD.WIDE.U32 IMAD.MOV.U32 IDP.4A.S8.S8 VIADD FSWZADD",
			TR_C_FP32},
		{"HADD2.F32 HMUL2 HFMA2 HSETP2 HMNMX2", TR_C_FP16},
		{"DADD DMUL DFMA DSETP.MAX.AND DMMA.884 DMMA.16x8x8", TR_C_FP64},
		{"HMMA.16816.F32 IMMA.16832.S8.S8 BMMA.168256 HGMMA.64x128x16.F32 "
		 "IGMMA.64x64x32.S8.S8 QGMMA.64x256x32.F32.E4M3.E4M3 HFMA2.MMA",
			SIM_C_TENSOR},
		{"MUFU.RCP FCHK POPC FLO.U32 BREV F2F.F64.F32 F2I.TRUNC.NTZ I2F.S64 FRND.FLOOR",
			TR_C_SFU},
		{"LDC.64 SHFL.BFLY MATCH.ANY S2R REDUX.SUM CCTL.IVALL ERRBAR MEMBAR.SC.GPU "
		 "BAR.SYNC.DEFER_BLOCKING B2R R2B TEX TLD TLD4 TXD SULD SUST SYNCS",
			TR_C_LOAD},
		{"UIADD3 ULOP3.LUT UMOV ULEA USHF.R.U32.HI UISETP.GE.AND USEL UPRMT UIMAD UFLO "
		 "UPOPC UBREV UBMSK USGXT UP2UR UR2UP UPLOP3.LUT ULDC.64 R2UR S2UR VOTEU.ANY",
			SIM_C_UNIFORM},
		{"BRA BRX JMP CALL.REL.NOINC RET.REL.NODEC EXIT BSSY BSYNC BREAK WARPSYNC.ALL "
		 "YIELD NANOSLEEP BMOV.32.CLEAR BPT.TRAP KILL ELECT RTT",
			TR_C_BRANCH},
		{"NOP DEPBAR.LE PMTRIG LDGDEPBAR WARPGROUP.ARRIVE UTMALDG.2D UTMASTG UTMAREDG "
		 "UTMAPF UBLKCP UBLKRED UBLKPF UTMACCTL UTMACMDFLUSH ARRIVES.LDGSTSBAR "
		 "ACQBULK USETMAXREG",
			TR_C_OTHER},
		{"CGAERRBAR FENCE.VIEW.ASYNC", TR_C_FENCE},
		{"UCGABAR_ARV UCGABAR_WAIT", TR_C_BARRIER},
	};
	const struct sim_config c = machine("sm.schedulers=4");

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char opcode[64];
		int n;

		for (const char *at = rows[i].opcodes; sscanf(at, "%63s%n", opcode, &n) == 1;
			at += n) {
			const struct accel_op op = accel_op_find(opcode, 90, 0);
			const struct sim_way way = sim_way_of(&c, opcode, (uint8_t)op.cls);

			if (!op.known || way.pipe != rows[i].pipe)
				fail_msg("%s%s goes to %u, not %u", opcode,
					op.known ? "" : " is not known, and", way.pipe,
					rows[i].pipe);
		}
	}
}

/* What has addresses is an access, whatever its unit would be. */
static void test_sass_accesses(void **state)
{
	static const struct {
		const char *opcode;
		enum tr_class cls;
		enum tr_space space;
	} rows[] = {{"LD.E", TR_C_LOAD, TR_S_GENERIC}, {"LDG.E", TR_C_LOAD, TR_S_GLOBAL},
		{"LDL", TR_C_LOAD, TR_S_LOCAL}, {"LDS", TR_C_LOAD, TR_S_SHARED},
		{"LDSM.16.M88.4", TR_C_LOAD, TR_S_SHARED},
		{"LDGSTS.E.BYPASS.128", TR_C_LOAD, TR_S_GLOBAL}, {"ST.E", TR_C_STORE, TR_S_GENERIC},
		{"STG.E", TR_C_STORE, TR_S_GLOBAL}, {"STL", TR_C_STORE, TR_S_LOCAL},
		{"STS", TR_C_STORE, TR_S_SHARED}, {"STSM.16.M88.4", TR_C_STORE, TR_S_SHARED},
		{"ATOM.E.ADD", TR_C_ATOMIC, TR_S_GENERIC},
		{"ATOMG.E.ADD", TR_C_ATOMIC, TR_S_GLOBAL}, {"ATOMS.ADD", TR_C_ATOMIC, TR_S_SHARED},
		{"RED.E.ADD", TR_C_ATOMIC, TR_S_GLOBAL}};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct accel_op op = accel_op_find(rows[i].opcode, 90, 4);

		if (!op.known || op.cls != rows[i].cls || op.space != rows[i].space)
			fail_msg("%s is %s %s", rows[i].opcode, tr_class_name(op.cls),
				tr_space_name(op.space));
	}
}

/* What PTX's opcodes become. */
static void test_ptx(void **state)
{
	static const struct {
		const char *opcode;
		uint8_t cls, as, pipe;
	} rows[] = {{"add.s32", TR_C_INT, TR_C_INT, TR_C_INT},
		{"mad.lo.s32", TR_C_INT, SIM_C_MAD, TR_C_FP32},
		{"mul.wide.u32", TR_C_INT, SIM_C_MAD, TR_C_FP32},
		{"dp4a.s32.s32", TR_C_INT, SIM_C_MAD, TR_C_FP32},
		{"mul.f32", TR_C_FP32, TR_C_FP32, TR_C_FP32},
		{"mad.rn.f32", TR_C_FP32, TR_C_FP32, TR_C_FP32},
		{"min.f32", TR_C_FP32, TR_C_INT, TR_C_INT},
		{"setp.lt.f32", TR_C_INT, TR_C_INT, TR_C_INT},
		{"max.f16x2", TR_C_FP16, TR_C_FP16, TR_C_FP16},
		{"mov.u32", TR_C_MOVE, TR_C_MOVE, TR_C_INT},
		{"cvt.s64.s32", TR_C_CONVERT, TR_C_CONVERT, TR_C_INT},
		{"cvt.rn.f32.s32", TR_C_CONVERT, TR_C_SFU, TR_C_SFU},
		{"vote.sync.ballot.b32", TR_C_COLLECTIVE, TR_C_INT, TR_C_INT},
		{"activemask.b32", TR_C_COLLECTIVE, TR_C_INT, TR_C_INT},
		{"shfl.sync.bfly.b32", TR_C_COLLECTIVE, TR_C_COLLECTIVE, TR_C_LOAD},
		{"redux.sync.add.s32", TR_C_COLLECTIVE, TR_C_COLLECTIVE, TR_C_LOAD},
		{"bar.sync", TR_C_BARRIER, TR_C_BARRIER, TR_C_LOAD},
		{"bar.warp.sync", TR_C_OTHER, TR_C_OTHER, TR_C_BRANCH},
		{"barrier.cluster.arrive", TR_C_BARRIER, TR_C_BARRIER, TR_C_BARRIER},
		{"bra.uni", TR_C_BRANCH, TR_C_BRANCH, TR_C_BRANCH},
		{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", TR_C_FP64, SIM_C_TENSOR,
			TR_C_FP64}};
	const struct sim_config c = machine("sm.schedulers=4");

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct sim_way way = sim_way_of(&c, rows[i].opcode, rows[i].cls);

		if (way.cls != rows[i].as || way.pipe != rows[i].pipe)
			fail_msg("%s: %u to %u", rows[i].opcode, way.cls, way.pipe);
	}
}

/* ---- products of matrices ---- */

/*
 * Cycles of a sub-core, by hand: m * n * k over the rate. A V100's HMMA.884 is four products of 8 x
 * 8 x 4 in four steps, or two: 1024 / 4 / 128. A warp group's is four warps' work.
 */
static void test_products(void **state)
{
	static const char v100[] = "tensor.f16=128";
	static const char a100[] = "tensor.f16=256 tensor.tf32=128 tensor.int8=512 "
				   "tensor.int4=1024 tensor.bit=4096 tensor.f64=16";
	static const char h100[] = "tensor.f16=512 tensor.tf32=256 tensor.f8=1024 "
				   "tensor.int8=1024 tensor.f64=32";
	static const char ga102[] = "tensor.f16=128 tensor.f32_sums=2 tensor.tf32=32 "
				    "tensor.f8=256 tensor.int8=256 tensor.f64=2";
	static const struct {
		const char *machine, *opcode;
		uint32_t cycles;
	} rows[] = {{v100, "HMMA.884.F32.F32.STEP0", 2}, {v100, "HMMA.884.F32.F32.STEP3", 2},
		{v100, "HMMA.884.F16.F16.STEP1", 4},
		{v100, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8},
		{v100, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 32},
		{v100, "IMMA.8816.S8.S8", 0}, {a100, "HMMA.16816.F32", 8},
		{a100, "HMMA.16816.F16", 8}, {a100, "HMMA.16816.F32.BF16", 8},
		{a100, "HMMA.1688.F32", 4}, {a100, "HMMA.1688.F32.TF32", 8},
		{a100, "HMMA.1684.F32.TF32", 4}, {a100, "HMMA.16832.F16.SP.TID", 8},
		{a100, "HMMA.SP.16816.F32", 4}, {a100, "IMMA.16832.S8.S8", 8},
		{a100, "IMMA.16816.S8.S8", 4}, {a100, "IMMA.8816.U8.U8", 2},
		{a100, "IMMA.16864.S4.S4", 8}, {a100, "BMMA.168256.AND.POPC", 8},
		{a100, "BMMA.88128.XOR.POPC", 2}, {a100, "DMMA.884", 16},
		{a100, "DMMA.8x8x4.RN", 16}, {a100, "HMMA", 0}, {a100, "HMMA.99.F32", 0},
		{a100, "HMMA.16x8.F32", 0}, {a100, "HMMA.1616.F32", 0},
		{a100, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 8},
		{a100, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8},
		{a100, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 8},
		{a100, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 8},
		{a100, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 8},
		{a100, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 8},
		{a100, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 16},
		{a100, "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64", 16},
		{h100, "HMMA.16816.F32", 4}, {h100, "DMMA.16x8x16", 64},
		{h100, "HGMMA.64x128x16.F32", 64}, {h100, "IGMMA.64x64x32.S8.S8", 32},
		{h100, "QGMMA.64x256x32.F32.E4M3.E4M3", 128}, {h100, "BMMA.168256", 0},
		{ga102, "HMMA.16816.F16", 16}, {ga102, "HMMA.16816.F32", 32},
		{ga102, "HMMA.16816.F32.BF16", 32}, {ga102, "HMMA.1688.F32.TF32", 32},
		{ga102, "IMMA.16832.S8.S8", 16}, {ga102, "QMMA.16832.F32.E4M3.E4M3", 32},
		{ga102, "QMMA.16832.F16.E4M3.E4M3", 16}, {ga102, "DMMA.884", 128}};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct sim_config c = machine(rows[i].machine);
		const struct sim_product p = sim_product_of(rows[i].opcode);
		const uint32_t cycles = sim_product_cycles(&c, &p);

		if (cycles != rows[i].cycles)
			fail_msg("%s takes %u cycles, not %u, with %s", rows[i].opcode, cycles,
				rows[i].cycles, rows[i].machine);
	}
}

/* ---- in the replay ---- */

/* Appends an instruction: a letter for each opcode. */
static uint32_t add(struct kernel *k, char what, uint32_t dst, uint32_t src)
{
	static const struct {
		char what;
		enum tr_class cls;
		const char *opcode;
	} of[] = {{'F', TR_C_FP32, "FFMA"}, {'I', TR_C_INT, "IADD3"}, {'M', TR_C_INT, "IMAD"},
		{'H', TR_C_FP16, "HFMA2"}, {'D', TR_C_FP64, "DFMA"}, {'V', TR_C_MOVE, "MOV"},
		{'U', TR_C_INT, "UIADD3"}, {'R', TR_C_MOVE, "R2UR"},
		{'T', TR_C_FP16, "HMMA.16816.F32"}, {'W', TR_C_FP16, "wmma.mma.m16n16k16.f32.f32"},
		{'8', TR_C_FP16, "HMMA.1688.F32"}, {'S', TR_C_COLLECTIVE, "SHFL.IDX"},
		{'C', TR_C_MOVE, "S2R"}, {'Q', TR_C_OTHER, "CCTL.IVALL"}};
	unsigned i = 0;
	uint32_t n;

	while (of[i].what != what)
		i++;
	n = op(k, of[i].cls, dst, src);
	k->p->insts[n].opcode = (uint32_t)tr_program_string(k->p, of[i].opcode);
	return n;
}

/* Cycles until the last exit issues: of a row of instructions that need nothing of each other, or,
 * if chained, each the result of the one before. */
static uint64_t exit_at(const char *row, int chained, uint32_t threads, const char *settings)
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint64_t cycles;
	uint32_t r = TR_NONE;

	kernel_begin(&k, "units");
	for (; *row; row++) {
		const uint32_t dst = *row == 'Q' ? TR_NONE : reg(&k);

		add(&k, *row, dst, chained ? r : TR_NONE);
		r = dst;
	}
	if (chained) /* the exit waits for nothing */
		op(&k, TR_C_INT, reg(&k), r);
	kernel_end(&k);
	trace = one_launch(&k, 1, threads);
	trial_begin(&t, "sm.opcode_units=yes interval.fp64=16");
	machine_set(&t.opt.config, "interval.int=2 interval.fp32=2 interval.mad=2 interval.move=2");
	machine_set(&t.opt.config, settings);
	replay_once(&t, &trace);
	cycles = t.stats[0].cycles;
	trial_end(&t);
	return cycles - THROUGH;
}

/*
 * Two cycles of 16 lanes for each instruction. Of a V100 floats and integers alternate. With halves
 * floats issue each cycle, products of integers every second one. With shared lanes a float goes to
 * the integers' if its own are taken, and then integers wait; packed halves take both.
 */
static void test_lanes(void **state)
{
	static const struct {
		const char *row;
		uint64_t own, halves, shared; /* cycle of the exit */
	} rows[] = {
		{"FFFF", 7, 4, 4},
		{"IIII", 7, 7, 7},
		{"FIFI", 4, 4, 4},
		{"FFI", 4, 3, 4},  /* own: 0 2 3; halves: 0 1 2; shared: 0 1 3 */
		{"IIFF", 6, 5, 5}, /* own: 0 2 3 5; halves, shared: 0 2 3 4 */
		{"MMM", 5, 5, 5},
		{"FFM", 5, 3, 4}, /* own: 0 2 4; halves: 0 1 2; shared: 0 1 3 */
		{"MI", 2, 2, 3},  /* shared: one unit of both */
		{"VI", 3, 3, 3},  /* moves are the integers' */
		{"FHF", 3, 5, 5}, /* own: 0 1 2; else 0 2 4 */
		{"IHI", 3, 3, 5},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const uint64_t own =
			exit_at(rows[i].row, 0, 32, "sm.fp32_lanes=own interval.fp16=2");
		const uint64_t halves =
			exit_at(rows[i].row, 0, 32, "sm.fp32_lanes=halves interval.fp16=2");
		const uint64_t shared =
			exit_at(rows[i].row, 0, 32, "sm.fp32_lanes=shared interval.fp16=2");

		if (own != rows[i].own || halves != rows[i].halves || shared != rows[i].shared)
			fail_msg("%s: exits in %u, %u and %u", rows[i].row, (unsigned)own,
				(unsigned)halves, (unsigned)shared);
	}
}

/* Four warps, one a sub-core: double precision is each one's, or the SM's. */
static void test_fp64_of_sm(void **state)
{
	(void)state;
	assert_int_equal(exit_at("D", 0, 128, "sm.schedulers=4 sm.split_units=yes"), 1);
	assert_int_equal(exit_at("DD", 0, 128, "sm.schedulers=4 sm.split_units=yes"), 17);
	assert_int_equal(
		exit_at("D", 0, 128, "sm.schedulers=4 sm.split_units=yes sm.fp64_of_sm=yes"), 49);
	/* The second ones go on in turn: 64, 80, 96, 112. */
	assert_int_equal(
		exit_at("DD", 0, 128, "sm.schedulers=4 sm.split_units=yes sm.fp64_of_sm=yes"), 113);
	/* Others are each one's still. */
	assert_int_equal(
		exit_at("IF", 0, 128, "sm.schedulers=4 sm.split_units=yes sm.fp64_of_sm=yes"), 2);
}

/* The uniform datapath is apart, and has its own latencies. */
static void test_uniform(void **state)
{
	static const char settings[] =
		"latency.uniform=3 interval.uniform=2 latency.r2ur=13 latency.int=4";

	(void)state;
	assert_int_equal(exit_at("UUU", 0, 32, settings), 5);
	assert_int_equal(exit_at("UIUI", 0, 32, settings), 4);
	assert_int_equal(exit_at("UU", 1, 32, settings), 7);   /* 0, 3, use in 6 */
	assert_int_equal(exit_at("IRU", 1, 32, settings), 21); /* 0, 4, 17, use in 20 */
}

/*
 * A product of matrices holds its unit as long as its work takes, of f16 at 256 a cycle 8 cycles
 * for m16n8k16. Its latency is latency.tensor, and more by what a larger one takes beyond that.
 */
static void test_tensor_times(void **state)
{
	static const char settings[] = "tensor.f16=256 latency.tensor=25 interval.tensor=16";

	(void)state;
	assert_int_equal(exit_at("TTT", 0, 32, settings), 17);
	assert_int_equal(exit_at("8T8", 0, 32, settings), 13); /* 0, 4, 12 */
	assert_int_equal(exit_at("WT", 0, 32, settings), 17);
	assert_int_equal(exit_at("T", 1, 32, settings), 26);
	assert_int_equal(exit_at("8", 1, 32, settings), 26);
	assert_int_equal(exit_at("W", 1, 32, settings), 34); /* 25 + 16 - 8 */
	/* At 16 a cycle m16n8k16 takes 128 cycles, and has its result no sooner. */
	assert_int_equal(exit_at("T", 1, 32, "tensor.f16=16 latency.tensor=25"), 129);
	/* Where no rate is known, all shapes are alike. */
	assert_int_equal(
		exit_at("8T8", 0, 32, "tensor.f16=0 latency.tensor=25 interval.tensor=16"), 33);
}

/* What goes to the memory unit's queue takes turns at the address unit with and without a result.
 */
static void test_queue(void **state)
{
	static const char settings[] =
		"interval.collective=4 interval.load=4 latency.collective=23";

	(void)state;
	assert_int_equal(exit_at("SSS", 0, 32, settings), 9);
	assert_int_equal(exit_at("SCQ", 0, 32, settings), 9);
	assert_int_equal(exit_at("SIQI", 0, 32, settings), 6); /* 0 1 4 5 */
	assert_int_equal(exit_at("C", 1, 32, settings), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sass),
		cmocka_unit_test(test_sass_accesses),
		cmocka_unit_test(test_ptx),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_fp64_of_sm),
		cmocka_unit_test(test_uniform),
		cmocka_unit_test(test_tensor_times),
		cmocka_unit_test(test_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
