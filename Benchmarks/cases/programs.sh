# The programs of streams: a condition on lines of about 100 bytes, in batches of 256, beside jq; and single elements.

command -v jq >/dev/null || {
    echo "Benchmarks/run: jq is not installed (apt-get install jq)" >&2
    exit 69
}
swift build -c release --static-swift-stdlib --package-path "$root" --product StreamProgramBenchmarks >&2
programs=$(swift build -c release --static-swift-stdlib --package-path "$root" --show-bin-path)/StreamProgramBenchmarks
lines=200000
awk -v count=$lines 'BEGIN {
    split("backup alert deploy site", names)
    for (n = 0; n < count; n++)
        printf "{\"action\":\"%s\",\"execution\":\"%08x\",\"channel\":\"elements\",\"time\":%d,\"value\":{\"n\":%d}}\n",
            names[n % 4 + 1], n, 1700000000000 + n, n
}' >"$work/lines"
condition='.action != "alert"'

# timed NAME COMMAND...: records the elements per second.
timed() {
    local name=$1 begin=$EPOCHREALTIME
    shift
    "$@" >/dev/null
    record "$name" "$(awk "BEGIN { print $lines / ($EPOCHREALTIME - $begin) }")"
}

for ((round = 0; round < rounds; round++)); do
    timed programs-rxd "$programs" lines "$work/lines" "$condition" 256
    timed programs-jq jq -c "select($condition)" "$work/lines"
    record programs-single "$("$programs" single 5000)"
done

title "programs: a condition on $lines lines; to reach: >= 0.8x the elements of jq, a single element in < 60 us" \
    "  rxd  a worker, in batches of 256" \
    "  jq   jq -c 'select(...)'"
printf '%-6s %12s  %s\n' '' 'elements/s' 'rxd'
printf '%-6s %12s\n' rxd "$(with_commas "$(median programs-rxd 1)")"
printf '%-6s %12s  %s\n' jq "$(with_commas "$(median programs-jq 1)")" "$(ratio programs-rxd programs-jq 1)"
printf 'single: %.1f us\n' "$(median programs-single 1)"
