# The steps of a stream against the same chain written by hand, in Swift: see StreamBenchmarks.

# Without the other targets, which a build for release would compile too.
RX_TARGETS=StreamBenchmarks swift build -c release --package-path "$root" --scratch-path "$here/.build/streams" \
    --product StreamBenchmarks >&2
title "streams: five steps without programs against the same chain of Rx; at most 1.2 times as long"
"$here/.build/streams/release/StreamBenchmarks"
