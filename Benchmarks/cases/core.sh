# The Rx core, in Swift: see Package.swift and Sources/CoreBenchmarks/main.swift.

swift build -c release --package-path "$here" --product CoreBenchmarks >&2
title "core: events through Rx, against hand-written closures"
program=$(swift build -c release --package-path "$here" --show-bin-path)/CoreBenchmarks
(on_core 1 "$program")
