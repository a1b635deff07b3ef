# Actions, in Swift: see Sources/ActionBenchmarks/main.swift.

swift build -c release --package-path "$here" --product ActionBenchmarks >&2
title "action: executions, refusals, inputs that wait"
"$(swift build -c release --package-path "$here" --show-bin-path)/ActionBenchmarks"
