# Medians, ratios and rows. What a round measured is kept as one line per round in $work/NAME.

# record NAME VALUE...: one round's figures.
record() {
    local name=$1
    shift
    echo "$*" >>"$work/$name"
}

# median NAME COLUMN
median() {
    cut -d' ' -f"$2" "$work/$1" | sort -g |
        awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ratio NAME OTHER COLUMN: the median of NAME/OTHER over the rounds.
ratio() {
    paste -d' ' <(cut -d' ' -f"$3" "$work/$1") <(cut -d' ' -f"$3" "$work/$2") |
        awk '{ print $2 ? $1 / $2 : 0 }' >"$work/ratios"
    printf '%.2fx' "$(median ratios 1)"
}

# with_commas NUMBER
with_commas() {
    printf '%.0f' "$1" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'
}

# title LINE...
title() {
    echo
    printf '%s\n' "$@"
}
