# Reactors, in Swift: see Sources/ReactorBenchmarks/main.swift.

swift build -c release --package-path "$here" --product ReactorBenchmarks >&2
title "reactor: dispatches beside closures, and one changed cell of ten thousand"
"$(swift build -c release --package-path "$here" --show-bin-path)/ReactorBenchmarks"
