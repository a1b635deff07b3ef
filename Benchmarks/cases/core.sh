# The Rx core, in Swift: see Package.swift and Sources/CoreBenchmarks/main.swift. Not kept on one core: a case has two
# threads.

swift build -c release --package-path "$here" --product CoreBenchmarks >&2
title "core: events through Rx, against hand-written closures and OpenCombine"
"$(swift build -c release --package-path "$here" --show-bin-path)/CoreBenchmarks"
