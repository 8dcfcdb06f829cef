# The page of trace-report: index.html on standard output, from what is in the folder `dir`: the tables,
# and lines `name in the record TAB path` in sources, `table TAB command` in commands, `section TAB
# file TAB caption` in pictures, where no file means that the caption says why there is none; texts in
# title, workload and provenance. dir, here (the folder of this file) and version come from the
# environment.
# Numbers of lines are those of all instructions that the compiler made of them, in all kernels.
function html(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	gsub(/"/, "\\&quot;", text)
	return text
}
# As people read a number: 4 digits whole, else three with a prefix.
function brief(v,  p, text) {
	if (v == "" || v == "-")
		return ""
	if (v !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/)
		return html(v)
	if (v == int(v) && v < 10000)
		return v
	if (v < 10)
		return sprintf("%.3g", v)
	for (p = 0; v >= 999.95 && p < 4; p++)
		v /= 1000
	text = v < 9.995 ? sprintf("%.2f", v) : v < 99.95 ? sprintf("%.1f", v) : sprintf("%.0f", v)
	return text (p ? " " substr("kMGT", p, 1) : "")
}
# Reads a table: T[name, row, column], rows[name], heads[name].
function read(name,  file, line, n, i, cell, head) {
	file = dir "/" name ".tsv"
	rows[name] = 0
	while ((getline line <file) > 0) {
		if (line ~ /^#/)
			continue
		n = split(line, cell, "\t")
		if (!(name in heads)) {
			heads[name] = line
			split(line, head, "\t")
			continue
		}
		rows[name]++
		for (i = 1; i <= n; i++)
			T[name, rows[name], head[i]] = cell[i]
	}
	close(file)
}
function field(v, most, kind) {
	if (v == "" || v == "-")
		return "<td data-v=\"\"></td>"
	if (most > 0 && v > 0)
		return sprintf("<td class=h data-v=\"%s\" style=\"background:rgba(%s,%.3f)\">%s</td>", v, \
			kind == "stall" ? "200,80,30" : "45,115,175", 0.06 + 0.6 * v / most, brief(v))
	return "<td data-v=\"" v "\">" brief(v) "</td>"
}
# All of a file, without the end of its last line.
function text_of(name,  line, text, n) {
	while ((getline line <(dir "/" name)) > 0)
		text = text (n++ ? "\n" : "") line
	return text
}
function section(id, title) {
	print "<h2 id=\"" id "\">" title "</h2>"
}
function picture(id,  i) {
	for (i = 1; i <= pictures; i++)
		if (picture_of[i] == id && picture_file[i] == "")
			print "<p>" html(picture_says[i]) "</p>"
		else if (picture_of[i] == id)
			printf "<figure><img src=\"%s\" alt=\"%s\" width=800><figcaption>%s</figcaption></figure>\n", \
				picture_file[i], html(picture_says[i]), html(picture_says[i])
}
function link(list,  i, n, name) {
	n = split(list, name, " ")
	printf "<p class=about>Data:"
	for (i = 1; i <= n; i++)
		printf " <a href=\"%s.tsv\">%s.tsv</a>", name[i], name[i]
	print "</p>"
}
# ---- launches ----
function launch_section(  i, k, n, column, head) {
	section("launches", "Launches")
	n = split("launch kernel cycles thread_insts ipc_thread simd_efficiency idle_share coalescing_rate l1d_accesses l1d_misses l1d_mpki l2_misses dram_reads", column, " ")
	print "<div class=wide><table><thead><tr>"
	for (k = 1; k <= n; k++) {
		head = column[k]
		gsub(/_/, " ", head)
		print "<th" (k == 2 ? " class=t" : "") ">" head "</th>"
	}
	print "</tr></thead><tbody>"
	for (i = 1; i <= rows["replay"]; i++) {
		if (i > 300 && T["replay", i, "launch"] != "total")
			continue
		print T["replay", i, "launch"] == "total" ? "<tr class=total>" : "<tr>"
		for (k = 1; k <= n; k++)
			print k == 2 ? "<td class=t>" html(T["replay", i, column[k]]) "</td>" : field(T["replay", i, column[k]], 0)
		print "</tr>"
	}
	print "</tbody></table></div>"
	if (rows["replay"] > 301)
		print "<p class=about>The first 300 launches; the table has all.</p>"
	link("replay info")
}
# ---- lines and instructions ----
function add(key, figure, v) {
	if (v == "" || v == "-")
		return
	sum[key, figure] += v
}
# The row of info-pc, after row `at`, of the access in row i of coalesce-pc. Programs may share a kernel's
# name, but the tables have them in one order, and coalesce-pc has all accesses that a thread executed.
function access(i, at,  k) {
	for (k = at + 1; k <= rows["info-pc"]; k++)
		if (T["info-pc", k, "thread_insts"] > 0 && T["info-pc", k, "pc"] == T["coalesce-pc", i, "pc"] && \
			T["info-pc", k, "kernel"] == T["coalesce-pc", i, "kernel"] && \
			T["info-pc", k, "inst"] == T["coalesce-pc", i, "inst"])
			return k
	return 0
}
function gather(  i, key, file, line, at, k) {
	for (i = 1; i <= rows["info-pc"]; i++) {
		file = T["info-pc", i, "file"]
		line = T["info-pc", i, "source_line"]
		where[i] = key = file SUBSEP line
		if (T["info-pc", i, "pc"] == "0x0")
			programs++
		program[i] = programs
		if (!(file in file_seen)) {
			file_seen[file]
			file_name[++files] = file
		}
		if (line > last_line[file])
			last_line[file] = line
		hit[key]
		add(key, "warps", T["info-pc", i, "warp_insts_32"])
		file_warps[file] += T["info-pc", i, "warp_insts_32"]
		all_warps += T["info-pc", i, "warp_insts_32"]
		add(key, "threads", T["info-pc", i, "thread_insts"])
		add(key, "lanes", T["info-pc", i, "simd_efficiency_32"] * T["info-pc", i, "warp_insts_32"])
		add(key, "divergent", T["info-pc", i, "divergent_branches_32"])
	}
	for (i = 1; i <= rows["coalesce-pc"]; i++) {
		if (!(k = access(i, at)))
			continue
		at = k
		add(where[at], "transactions", T["coalesce-pc", i, "transactions"])
		transactions[at] = T["coalesce-pc", i, "transactions"]
	}
	# replay-pc has every instruction, as info-pc.
	for (i = 1; i <= rows["replay-pc"]; i++) {
		key = where[i]
		add(key, "misses", T["replay-pc", i, "l1d_misses"])
		add(key, "stalls", T["replay-pc", i, "stall_cycles"])
		file_stalls[T["replay-pc", i, "file"]] += T["replay-pc", i, "stall_cycles"]
		all_stalls += T["replay-pc", i, "stall_cycles"]
	}
	for (key in hit)
		sum[key, "active"] = sum[key, "warps"] ? sum[key, "lanes"] / sum[key, "warps"] : ""
}
function most_of(figure,  key, most) {
	for (key in hit)
		if (sum[key, figure] > most)
			most = sum[key, figure]
	return most
}
function code_heads(what) {
	print "<div class=wide><table><thead><tr><th>warp insts</th><th>active lanes</th>" \
		"<th>divergent</th><th>transactions</th><th>L1D misses</th><th>stall cycles</th>" \
		"<th>stalls, %</th><th data-first=1>" what "</th><th class=t>" \
		(what == "line" ? "source" : "instruction") "</th></tr></thead><tbody>"
}
function code_cells(key) {
	if (!(key in hit))
		return "<td></td><td></td><td></td><td></td><td></td><td></td><td></td>"
	return field(sum[key, "warps"], most_warps) \
		field(sum[key, "active"] == "" ? "" : sprintf("%.3g", sum[key, "active"]), 0) \
		field(sum[key, "divergent"], most_divergent) field(sum[key, "transactions"], most_transactions) \
		field(sum[key, "misses"], most_misses) field(sum[key, "stalls"], most_stalls, "stall") \
		field(all_stalls ? sprintf("%.1f", 100 * sum[key, "stalls"] / all_stalls) : "", 0)
}
function source(file, path,  line, n, key) {
	# What is of little weight is there, but closed.
	printf "<details%s><summary><code>%s</code>: %.1f %% of warp instructions, %.1f %% of stalls</summary>\n", \
		(file_warps[file] * 20 >= all_warps || file_stalls[file] * 20 >= all_stalls) ? " open" : "", \
		html(file), all_warps ? 100 * file_warps[file] / all_warps : 0, \
		all_stalls ? 100 * file_stalls[file] / all_stalls : 0
	code_heads("line")
	while ((getline line <path) > 0) {
		n++
		key = file SUBSEP n
		sub(/\r$/, "", line)
		printf "<tr>%s<td>%d</td><td class=code>%s</td></tr>\n", code_cells(key), n, html(line)
	}
	close(path)
	key = file SUBSEP 0
	if (key in hit)
		printf "<tr>%s<td>0</td><td class=t>instructions that the compiler gives no line</td></tr>\n", code_cells(key)
	print "</tbody></table></div></details>"
}
function source_section(  i, missing, shown) {
	section("source", "Source")
	most_warps = most_of("warps")
	most_divergent = most_of("divergent")
	most_transactions = most_of("transactions")
	most_misses = most_of("misses")
	most_stalls = most_of("stalls")
	print "<p class=about>Of all launches: what each line executes, which share of 32 lanes is on, branches that part warps of 32, transactions, and under this machine the misses of the L1D and the cycles in which a scheduler issues nothing while its oldest warp stands there. A click on a heading sorts, on <i>line</i> back.</p>"
	for (i = 1; i <= files; i++) {
		if (file_name[i] in path_of) {
			source(file_name[i], path_of[file_name[i]])
			shown++
		} else if (file_name[i] != "-") {
			missing = missing (missing ? ", " : "") html(file_name[i])
		}
	}
	if (missing)
		print "<p class=about>Not found: " missing ". <code>--source DIR</code> says where they are; their instructions stand below.</p>"
	else if (!shown)
		print "<p class=about>The record names no source lines (nvcc -lineinfo, clang -gline-tables-only); the instructions stand below.</p>"
	section("instructions", "Instructions")
	print "<details" (shown ? "" : " open") "><summary>every instruction of every kernel</summary>"
	for (i = 1; i <= rows["info-pc"]; i++) {
		if (program[i] != program[i - 1]) {
			if (i > 1)
				print "</tbody></table></div>"
			print "<h3><code>" html(T["info-pc", i, "kernel"]) "</code></h3>"
			print "<div class=wide><table><thead><tr><th>warp insts</th><th>active lanes</th><th>divergent</th><th>transactions</th><th>L1D misses</th><th>stall cycles</th><th>line</th><th data-first=1>pc</th><th class=t>instruction</th></tr></thead><tbody>"
		}
		printf "<tr>%s%s%s%s%s%s%s<td data-v=\"%d\">%s</td><td class=code>%s</td></tr>\n", \
			field(T["info-pc", i, "warp_insts_32"], most_warps), \
			field(T["info-pc", i, "simd_efficiency_32"], 0), \
			field(T["info-pc", i, "divergent_branches_32"], most_divergent), \
			field(transactions[i], most_transactions), \
			field(T["replay-pc", i, "l1d_misses"], most_misses), \
			field(T["replay-pc", i, "stall_cycles"], most_stalls, "stall"), \
			field(T["info-pc", i, "source_line"], 0), i, T["info-pc", i, "pc"], html(T["info-pc", i, "inst"])
	}
	if (rows["info-pc"])
		print "</tbody></table></div>"
	print "</details>"
	link("info-pc coalesce-pc replay-pc")
}
function compare_section(  i, k, n, column, head) {
	if (!rows["compare"])
		return
	section("compare", "Schedulers")
	picture("compare")
	n = split("scheduler cycles ipc_thread ipc_ratio simd_efficiency idle_share l1d_mpki l1d_misses l1d_merges intra_warp_hits inter_warp_hits l2_misses dram_reads", column, " ")
	print "<div class=wide><table><thead><tr>"
	for (k = 1; k <= n; k++) {
		head = column[k]
		gsub(/_/, " ", head)
		print "<th" (k == 1 ? " class=t" : "") ">" head "</th>"
	}
	print "</tr></thead><tbody>"
	for (i = 1; i <= rows["compare"]; i++) {
		print "<tr>"
		for (k = 1; k <= n; k++)
			print k == 1 ? "<td class=t>" html(T["compare", i, column[k]]) "</td>" : field(T["compare", i, column[k]], 0)
		print "</tr>"
	}
	print "</tbody></table></div>"
	picture("compare-stalls")
	link("compare")
}
BEGIN {
	FS = "\t"
	dir = ENVIRON["dir"]
	here = ENVIRON["here"]
	title = text_of("title")
	workload = text_of("workload")
	while ((getline line <(dir "/sources")) > 0) {
		split(line, part, "\t")
		path_of[part[1]] = part[2]
	}
	while ((getline line <(dir "/pictures")) > 0) {
		split(line, part, "\t")
		picture_of[++pictures] = part[1]
		picture_file[pictures] = part[2]
		picture_says[pictures] = part[3]
	}
	n = split("info replay info-pc coalesce-pc replay-pc compare", table, " ")
	for (i = 1; i <= n; i++)
		read(table[i])
	gather()
	total = rows["replay"]
	print "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
	print "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
	print "<title>" html(title) "</title><style>"
	while ((getline line <(here "/page.css")) > 0)
		print line
	print "</style></head><body>"
	print "<h1>" html(title) "</h1>"
	printf "<p class=about>%s on %s, scheduler %s, warps %s%s: %s cycles, %s thread instructions a cycle, SIMD efficiency %s.</p>\n", \
		html(workload), html(T["replay", total, "machine"]), html(T["replay", total, "scheduler"]), \
		html(T["replay", total, "warp"]), \
		T["replay", total, "settings"] == "-" ? "" : ", " html(T["replay", total, "settings"]), \
		brief(T["replay", total, "cycles"]), brief(T["replay", total, "ipc_thread"]), \
		brief(T["replay", total, "simd_efficiency"])
	print "<nav><a href=#launches>Launches</a><a href=#source>Source</a><a href=#stalls>Stalls</a>" \
		(rows["compare"] ? "<a href=#compare>Schedulers</a>" : "") \
		"<a href=#cache>Cache</a><a href=#files>Files</a></nav>"
	launch_section()
	source_section()
	section("stalls", "What the schedulers' cycles went to")
	picture("stalls")
	picture("time")
	link("replay timeline")
	compare_section()
	section("cache", "Cache")
	picture("curve")
	picture("reuse")
	link("curve reuse")
	section("files", "Files, and the command of each")
	print "<pre>"
	while ((getline line <(dir "/commands")) > 0) {
		split(line, part, "\t")
		printf "<a href=\"%s\">%s</a>%*s%s\n", part[1], part[1], 18 - length(part[1]), "", html(part[2])
	}
	print "</pre><p class=about>" html(ENVIRON["version"]) ". The record was made by:</p><pre>" html(text_of("provenance")) "</pre>"
	print "<script>"
	while ((getline line <(here "/page.js")) > 0)
		print line
	print "</script></body></html>"
}
