// The Rx core against hand-written closures, interleaved in one run: the median ns/event of each, and their ratio.
//
// A case is a file with one function that returns a `Comparison`; add it to this list.

let cases = [
    subjectToOne()
]

printHeading()
for comparison in cases { comparison.measure().print() }
