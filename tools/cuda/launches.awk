# What trace-nvcc writes for launches in device code, where clang 14 takes neither <<<>>> nor a kernel's
# name: a call of warptrace/launch.h's function, with the kernel as an argument of its template.
#
#	child<N><<<grid, block>>>(p)    becomes
#	::wt_launch(::wt_kernel<decltype(&child<N>), &child<N> >(), grid, block)(p)
#
# And of all code, what nvcc takes and clang does not: '<< <' and '>> >' around a launch's configuration,
# and alignas behind a space's name. Strings and comments stay as they are.
#
# Device code is a body behind __global__ or __device__, without __host__. Left as they are: launches in
# macros and by pointers.

# One more line of the source, or of a long one a piece, as each step copies the text that is left. A
# piece ends where only strings and comments go on. Of what is done, as much stays at hand as the name
# of a kernel may take.
function more(  n) {
	if (from > length(line)) {
		if ((getline line) <= 0)
			return 0
		line = line "\n"
		from = 1
	}
	n = length(line) - from + 1
	if (n > 8192 && match(substr(line, from + 4096, 4096), /[,;{}]/))
		n = 4096 + RSTART
	text = text substr(line, from, n)
	from += n
	if (length(out) > 16384) {
		printf "%s", substr(out, 1, length(out) - 4096)
		out = substr(out, length(out) - 4095)
	}
	return 1
}

function keep(n) {
	out = out substr(text, 1, n)
	text = substr(text, n + 1)
}

# Up to the end of what `end` matches, which is in one line, from the n-th character on.
function keep_past(end, n) {
	keep(n)
	while (!match(text, end)) {
		keep(length(text))
		if (!more())
			return
	}
	keep(RSTART + RLENGTH - 1)
}

# Up to the end of a string or a character, whose rest is as `inner` says.
function keep_quoted(inner) {
	keep(1)
	while (match(text, "^" inner) && RLENGTH == length(text)) {
		keep(RLENGTH)
		if (!more())
			return
	}
	keep(RLENGTH)
}

# Where the name of a kernel begins that `out` ends with; 0: it ends with none.
function name_begins(  at, open, inner, c) {
	at = length(out)
	while (at && substr(out, at, 1) ~ /[ \t\n]/)
		at--
	last = at
	if (substr(out, at, 1) == ">") {
		do {
			c = substr(out, at, 1)
			inner += c == ")" ? 1 : c == "(" ? -1 : 0
			if (!inner)
				open += c == ">" ? 1 : c == "<" ? -1 : 0
			at--
		} while (at && open)
		while (at && substr(out, at, 1) ~ /[ \t\n]/)
			at--
	}
	if (substr(out, at, 1) !~ /[A-Za-z0-9_]/)
		return 0
	while (at && substr(out, at, 1) ~ /[A-Za-z0-9_:]/)
		at--
	return at + 1
}

# How many characters the configuration has, up to its >>>; 0: it has no end.
function configuration(  n, c, open) {
	for (n = 4; n <= length(text) - 3 || more(); n++) {
		c = substr(text, n, 1)
		if (c == "(" || c == "[")
			open++
		else if (c == ")" || c == "]")
			open--
		else if (c == ";" || c == "{")
			return 0
		else if (!open && substr(text, n, 2) == ">>" && match(substr(text, n), /^>> *>/)) {
			text = substr(text, 1, n - 1) ">>>" substr(text, n + RLENGTH)
			return n - 4
		}
	}
	return 0
}

function launch(  begins, name, n) {
	n = configuration()
	begins = name_begins()
	if (!begins || !n) {
		keep(3)
		return
	}
	name = substr(out, begins, last - begins + 1)
	out = substr(out, 1, begins - 1) "::wt_launch(::wt_kernel<decltype(&" name "), &" name " >(), " \
		substr(out, last + 1) substr(text, 4, n) ")"
	text = substr(text, n + 7)
}

# Each way of an #if begins where the first one does, and what follows goes on from the last.
function directive() {
	if (out ~ /(^|\n)[ \t]*$/) {
		if (text ~ /^#[ \t]*if/) {
			before[++ifs] = depth " " body " " kind
		} else if (text ~ /^#[ \t]*el/ && ifs) {
			split(before[ifs], was, " ")
			depth = was[1] + 0
			body = was[2] + 0
			kind = was[3]
		} else if (text ~ /^#[ \t]*endif/ && ifs) {
			ifs--
		}
	}
	keep(1)
}

BEGIN {
	from = 1
	body = 0
	depth = 0
	what = "<< *<|>> +> *[(]|[{};#\"']|/[/*]|__(global|device|host|shared|constant)__"
	while (text != "" || more()) {
		if (!match(text, what)) {
			keep(length(text))
			continue
		}
		keep(RSTART - 1)
		two = substr(text, 1, 2)
		one = substr(text, 1, 1)
		if (two == "//") {
			keep_past("\n", 2)
		} else if (two == "/*") {
			keep_past("[*]/", 2)
		} else if (one == "#") {
			directive()
		} else if (one == "\"" && out ~ /R$/) {
			keep_past("[)][^ ()\"\\\\]*\"", 1)
		} else if (one == "\"") {
			keep_quoted("([^\"\\\\\n]|\\\\.|\\\\\n)*\"?")
		} else if (one == "'") {
			if (out ~ /[0-9A-Fa-f]$/)
				keep(1)
			else
				keep_quoted("([^'\\\\\n]|\\\\.)*'?")
		} else if (one == "_") {
			if (!body)
				kind = kind substr(text, 3, 1)
			keep(match(text, /[a-z]__/) + 2)
			sub(/^ +alignas *[(]/, " _Alignas(", text)
		} else if (one == "{") {
			depth++
			if (!body && kind ~ /[gd]/ && kind !~ /h/)
				body = depth
			kind = ""
			keep(1)
		} else if (one == "}") {
			if (body == depth)
				body = 0
			depth--
			keep(1)
		} else if (one == ";") {
			kind = ""
			keep(1)
		} else if (one == ">" || out ~ /operator *$/) {
			sub(/^>> +>/, ">>>", text)
			keep(2)
		} else {
			sub(/^<< *</, "<<<", text)
			if (body)
				launch()
			else
				keep(3)
		}
	}
	printf "%s", out
}
