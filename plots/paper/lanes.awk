# Tables of trace-replay --events, of one SM, each of another warp policy, become the steps that its
# warps take: a step is a warp's instructions in one basic block, in the order in which steps begin.
# With -v blocks="A=0x0 B=0x40" (a block's first PC), -v lanes=N, and name=POLICY before each file:
# name, step, warp slot, block, lane, whether a thread is in it, and what became of the warp before:
# merged (threads of others joined it), again (it was put together again), or `-`.
BEGIN {
	FS = OFS = "\t"
	n_blocks = split(blocks, word, " ")
	for (i = 1; i <= n_blocks; i++) {
		split(word[i], part, "=")
		letter[i] = part[1]
		first[i] = number(part[2])
	}
	print "policy", "step", "slot", "block", "lane", "on", "note"
}
# Of a hexadecimal text.
function number(text,  i, v) {
	for (i = 3; i <= length(text); i++)
		v = 16 * v + index("123456789abcdef", substr(text, i, 1))
	return v
}
FNR == 1 {
	split("", column)
	split("", in_block)
	split("", note)
	step = 0
}
/^#/ { next }
!("at" in column) {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	slot = $column["slot"]
	event = $column["event"]
}
event == "split" || event == "warp_in" { delete in_block[slot] }
event == "merge" { note[slot] = "merged" }
event == "regroup" { note[slot] = "again" }
event == "issue" {
	pc = number($column["pc"])
	for (at = n_blocks; at > 1 && pc < first[at]; at--)
		;
	if ((slot in in_block) && in_block[slot] == at)
		next
	in_block[slot] = at
	step++
	mask = number($column["mask"])
	for (i = 0; i < lanes; i++) {
		print name, step, slot, letter[at], i, mask % 2, slot in note ? note[slot] : "-"
		mask = int(mask / 2)
	}
	delete note[slot]
}
