// The Rx core against closures written by hand and against OpenCombine, interleaved in one run: the median ns/event of
// each, allocations per event, and how many times theirs our time is.
//
//     CoreBenchmarks [TEXT [CONTENDER]]      the cases whose name contains TEXT; that contender alone, for a profiler
//
// A case is a file with one function that returns a `Comparison`; add it to this list. Its closures are what a
// competent programmer writes for the same effect on one thread, and no more: no lock, no end, no error.

let cases = [
    subjectToOne(), subjectToTen(), mapFilterMap(), rangeChain(), flatMapJust(), combineLatestTwo(), observeOnQueue(),
    subscribeChurn(), behaviorToTen(), flatMapLatestChurn(), disposeBagOfFour(), zipTwo(), observeOnOneByOne(),
    concatMapJust(),
]

let wanted = CommandLine.arguments.dropFirst().first
let contender = CommandLine.arguments.dropFirst(2).first
printHeading()
for comparison in cases where wanted.map(comparison.name.contains) ?? true {
    comparison.only(contender).measure().print()
}
if wanted == nil {
    print("\n\(decimal(bytesPerSubscription())) bytes per live subscription of a map, of 100,000; at most 350")
}
