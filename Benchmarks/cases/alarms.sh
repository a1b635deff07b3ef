# Alarms on the clock of the wall, in Swift: see AlarmBenchmarks.

# Without the other targets, which a build for release would compile too.
RX_TARGETS=AlarmBenchmarks swift build -c release --package-path "$root" --scratch-path "$here/.build/alarms" \
    --product AlarmBenchmarks >&2
title "alarms: 100,000 pending; at most 100 bytes each, 1 us to set or to cancel one, and 5 ms late (p99)"
"$here/.build/alarms/release/AlarmBenchmarks"
