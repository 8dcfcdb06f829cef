# What bars, lines, stack, area, heat and scatter share: their options, their sentences and the way to a picture. The
# script that loads this has set `self`, `about` and `own`, the letters of the options beside -o -t.
# The manual is trace-plots(7).
# shellcheck disable=SC2154,SC2034
set -u -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Beside the tool that calls, where this is installed, or in a tree's build.
for lib in "${WARPTRACE_LIB-}" "$here/../../../lib/warptrace" "${WARPTRACE_BUILD:-$here/../build}/lib/warptrace"; do
	[ -e "$lib/shell.bash" ] && break
done
# shellcheck source=tools/shell/shell.bash
. "$lib/shell.bash" || exit 1

say() {
	echo "$self: $*" >&2
}
usage() {
	say "$*"
	say "the options are in trace-plots(7), and a short list is printed by -h"
	exit 2
}
help() {
	echo "usage: trace-plot $self -x COLUMN[,COLUMN] -y COLUMN[,COLUMN] [OPTION]... [FILE]"
	echo "$about"
	echo
	while IFS= read -r line; do
		[[ xytlohs$own != *${line:1:1}* ]] || echo "  $line"
	done <<-END
		-x COLUMN[,COLUMN]  what stands along the x axis
		-y COLUMN[,COLUMN]  what is drawn; several only without -g
		-g COLUMN  whose values are the groups, each in a colour of its own
		-n GROUP  divide every value by this group's
		-m KIND  add a mean: harmonic, geometric or arithmetic
		-k FILE  marks on the bars, a table with the same columns
		-a LABEL[,LABEL]  rows that are set apart, as means are
		-c   the first of two columns along x gathers the bars of its values
		-p   shares of the whole in percent
		-L   a logarithmic x axis, of base two
		-P   a point for every row, and no lines
		-w COLUMN=VALUE  only rows that have this value, any number of times
		-T   only the last row of each run in a table, which is its total
		-t TEXT  the title
		-l TEXT  what the y axis says (default the column)
		-s N[,N]  the look of each group, 1 to 12 (default 1,2,3 and so on)
		-o FILE  write FILE.svg, .png or .pdf by its ending (default SVG to standard output)
		-h   this list
	END
	exit 0
}
# quoted TEXT: for gnuplot, which reads ` and @ between double quotes, takes a quote at the beginning of
# a text for its end, and reads four digits of an octal number that begins with 0.
quoted() {
	local text=$1
	text=${text//\\/\\\\}
	text=${text//\"/\\0042}
	text=${text//\`/\\140}
	text=${text//@/\\100}
	text=${text//$'\n'/\\n}
	printf '"%s"' "$text"
}

x='' y='' g='' base='' mean='' marks='' where='' last=0 title='' ylabel='' out='' share=0 log=0
apart='' cluster=0 points=0 styles='' numeric=0
case $self in lines | area | scatter) numeric=1 ;; esac
[ "$self" != scatter ] || points=1
while getopts ":hx:y:t:l:o:s:$own" letter; do
	case $letter in
	x) x=$OPTARG ;;
	y) y=$OPTARG ;;
	g) g=$OPTARG ;;
	n) base=$OPTARG ;;
	m) mean=$OPTARG ;;
	k) marks=$OPTARG ;;
	a) apart=$OPTARG ;;
	c) cluster=1 ;;
	P) points=1 ;;
	s) styles=$OPTARG ;;
	w)
		[[ $OPTARG == ?*=* ]] || usage "-w: '$OPTARG' is no COLUMN=VALUE"
		where=${where:+$where$'\n'}$OPTARG
		;;
	T) last=1 ;;
	t) title=$OPTARG ;;
	l) ylabel=$OPTARG ;;
	o) out=$OPTARG ;;
	p) share=1 ;;
	L) log=1 ;;
	h) help ;;
	:) usage "-$OPTARG wants a value" ;;
	*) usage "there is no option -$OPTARG" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage "one FILE, not $#"
[ -n "$x" ] || usage "-x is missing"
[ -n "$y" ] || usage "-y is missing"
[[ -z $g || $y != *,* ]] || usage "-g wants one column in -y, not '$y'"
[[ $self != heat || -n $g ]] || usage "a heat map wants its rows by -g"
[[ -z $base || -n $g ]] || usage "-n wants groups by -g"
case $mean in '' | harmonic | geometric | arithmetic) ;; *) usage "-m: there is no mean '$mean'" ;; esac
[[ $cluster -eq 0 || $x =~ ^[^,]+,[^,]+$ ]] || usage "-c wants two columns in -x, not '$x'"
[[ -z $styles || $styles =~ ^([1-9]|1[0-2])(,([1-9]|1[0-2]))*$ ]] ||
	usage "-s: '$styles' is no list of numbers from 1 to 12"
correlation=''
term=svg
if [ -n "$out" ]; then
	term=${out##*.}
	case $term in svg | png | pdf) ;; *) usage "'$out' ends neither in .svg nor .png nor .pdf" ;; esac
	[ ! -d "$out" ] || { say "cannot write '$out': Is a directory"; exit 1; }
fi
command -v gnuplot >/dev/null || { say "gnuplot is not installed"; exit 1; }
table=${1:--}
[ "$table" = - ] || [ -r "$table" ] || { say "cannot read '$table'"; exit 1; }
[ -z "$marks" ] || [ -r "$marks" ] || { say "cannot read '$marks'"; exit 1; }

scratch_folder
: >"$scratch/marks" && : >"$scratch/clusters" || lost
[ "$table" = - ] || exec <"$table"
heat=0 parts=0 positive=$log markfile=$scratch/marks clusterfile=$scratch/clusters
case $self in heat) heat=1 ;; stack | area) parts=1 ;; esac
# In a value that -v sets, a backslash begins an escape of awk.
settings=()
for name in x y g base mean last numeric positive parts points heat apart cluster clusterfile \
	marks markfile; do
	settings+=(-v "$name=${!name//\\/\\\\}")
done
where=$where awk "${settings[@]}" -f "$here/pivot.awk" >"$scratch/data" 2>"$scratch/said"
case $? in
0) ;;
4) # what the table has cannot be drawn; a caller may want to tell that from a failure
	say "$(head -n 1 "$scratch/said")"
	exit "${WARPTRACE_NO_PICTURE:-1}"
	;;
*)
	cat "$scratch/said" >&2
	lost
	;;
esac
if [ "$numeric" -eq 1 ]; then
	{ head -n 1 "$scratch/data" && tail -n +2 "$scratch/data" | LC_ALL=C sort -t $'\t' -k 2,2g; } \
		>"$scratch/sorted" && mv "$scratch/sorted" "$scratch/data" || lost
fi
# An area's row is of the interval that ends at its number: it becomes the interval's two ends.
if [ "$self" = area ]; then
	awk -F '\t' -v OFS='\t' -v CONVFMT=%.15g '
		NR == 1 { print; next }
		{ row[NR] = $0; at[NR] = $2 }
		END {
			from = NR > 2 && 2 * at[2] - at[3] > 0 ? 2 * at[2] - at[3] : 0
			for (i = 2; i <= NR; i++) {
				$0 = row[i]
				$2 = from
				print
				print row[i]
				from = at[i]
			}
		}' "$scratch/data" >"$scratch/ends" && mv "$scratch/ends" "$scratch/data" || lost
fi
if [ -z "$ylabel" ]; then
	ylabel=${y//,/, }${base:+, normalized to $base}
	[[ $share -eq 0 ]] || ylabel='percent'
	[[ $y != *,* || $share -eq 1 ]] || ylabel=''
fi
# Pearson's correlation of all points, whatever their groups. Sums are of distances from the means so
# far: squares of large numbers that lie close would leave nothing of what tells them apart.
if [ "$self" = scatter ]; then
	correlation=$(awk -F '\t' '
		NR > 1 {
			for (i = 3; i <= NF; i++)
				if ($i != "-") {
					n++
					dx = $2 - x
					dy = $i - y
					x += dx / n
					y += dy / n
					xx += dx * ($2 - x)
					yy += dy * ($i - y)
					xy += dx * ($i - y)
				}
		}
		END {
			if (xx > 0 && yy > 0)
				printf "r = %.3f, n = %d", xy / (sqrt(xx) * sqrt(yy)), n
			else
				printf "n = %d", n
		}' "$scratch/data") || lost
fi
head -n 1 "$scratch/data" | cut -f 3- | tr '\t' '\n' | awk '{ print NR "\t" $0 }' >"$scratch/named" || lost
title_of=''
while IFS=$'\t' read -r _ name; do
	title_of+=${title_of:+, }$(quoted "$name")
done <"$scratch/named"
# How many letters a text of UTF-8 has, for awk: bytes but for those that go on with a letter.
# shellcheck disable=SC2016 # it is awk that expands them
letters='function letters(text) { gsub(/[\200-\277]/, "", text); return length(text) }'
# What a script must know of the data: groups, positions, the last one, the longest label, and whether
# a value or a mark is negative.
read -r groups n right longest negative < <(awk -F '\t' "$letters"'
	FILENAME ~ /marks$/ { negative = negative || $3 < 0; next }
	FNR == 1 { groups = NF - 2; next }
	{
		n++
		right = $1
		if (letters($2) > most)
			most = letters($2)
		for (i = 3; i <= NF; i++)
			negative = negative || $i != "-" && $i < 0
	}
	END { print groups, n, right, most + 0, negative + 0 }' "$scratch/data" "$scratch/marks")
numbers=${styles//,/ }
for ((i = $(wc -w <<<"$numbers"); i < groups; )); do
	numbers+=" $((++i))"
done
# Bars that would be thinner than a hatch get more room.
wide=1
[[ $self != bars ]] || [ $((groups * n)) -lt 60 ] || wide=1.5
# So do clusters whose names would run into each other: a letter takes 8 of the 700 along x.
[ ! -s "$scratch/clusters" ] || wide=$(awk -F '\t' -v wide="$wide" -v right="$right" "$letters"'
	NR > 1 {
		room = 4 * (letters(name) + letters($2) + 2) / (700 / (right + 1.2) * ($1 - at))
		if (room > wide)
			wide = int(4 * room + 0.99) / 4
	}
	{ at = $1; name = $2 }
	END { print wide }' "$scratch/clusters") || lost
# Within a table's texts a backslash begins an escape of gnuplot, and a quote ends the text. It reads
# four digits of an octal number that begins with 0.
sed -i 's/\\/\\\\/g; s/"/\\0042/g' "$scratch/data" "$scratch/named" "$scratch/clusters" || lost
# gnuplot tells of no write that fails: it writes to a pipe, and the picture is put where it is to be when
# its end is there.
case $term in
svg) end='</svg>' ;;
png) end=$'IEND\xae\x42\x60\x82' ;;
pdf) end='%%EOF' ;;
esac
draw() {
	cd "$here/.." && gnuplot -e "term='$term'; out='/dev/stdout'; \
	data=$(quoted "$scratch/data"); \
	marks=$(quoted "$scratch/marks"); marked=$([ -s "$scratch/marks" ] && echo 1 || echo 0); \
	groups=$groups; n=$n; right=$right; longest=$longest; share=$share; log=$log; \
	numeric=$numeric; points=$points; negative=$negative; wide=$wide; \
	array title_of[$groups] = [$title_of]; named=$(quoted "$scratch/named"); \
	gname=$(quoted "$g"); correlation=$(quoted "$correlation"); \
	cluster=$cluster; clusters=$(quoted "$scratch/clusters"); styles='$numbers'; \
	heading=$(quoted "$title"); \
	xname=$(quoted "$x"); yname=$(quoted "$ylabel")" "plots/$self.gp" 2>"$scratch/said"
}
{ draw && whole; } | put -e "$end" "${out:--}"
failed=("${PIPESTATUS[@]}")
[ "${failed[0]}" = 0 ] || [ ! -s "$scratch/said" ] || say "gnuplot: $(grep -v '^$' "$scratch/said" | tail -n 1)"
[ "${failed[*]}" = '0 0' ]
