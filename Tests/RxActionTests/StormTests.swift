import Rx
import RxAction
import Testing
import TestSupport

@Suite("Actions under everything at once", .leakFree)
struct StormTests {
    private static let overlaps: [Overlap] = [
        .reject, .queue(limit: 3), .queue(limit: 0), .queue(limit: 3, parallel: 2), .concurrent(limit: 3), .latest,
        .join,
    ]

    /// A fixed one and one that is another each time.
    private static let seeds = [1, UInt64.random(in: 2...1_000_000)]

    @Test("what is published is in order and right, and every execution ends once", arguments: overlaps, seeds)
    func fixed(overlap: Overlap, seed: UInt64) async {
        await storm(overlap, seed, isConditional: false, changesOverlap: false)
    }

    @Test("and so it is with a condition that changes", arguments: overlaps, seeds)
    func conditional(overlap: Overlap, seed: UInt64) async {
        await storm(overlap, seed, isConditional: true, changesOverlap: false)
    }

    @Test("and so it is when the overlap changes too", arguments: seeds)
    func changing(seed: UInt64) async {
        await storm(.reject, seed, isConditional: true, changesOverlap: true)
    }

    private func storm(_ overlap: Overlap, _ seed: UInt64, isConditional: Bool, changesOverlap: Bool) async {
        let storm = Storm(overlap, isConditional: isConditional, changesOverlap: changesOverlap)
        await onThreads(4) { thread in
            storm.blow(
                1_000, seed: seed, thread: thread, isConditional: isConditional,
                overlaps: changesOverlap ? StormTests.overlaps : [])
        }
        let name: Comment = "\(overlap), seed \(seed)"
        #expect(storm.calm(), name)
        #expect(storm.model.faults.prefix(3) == [], name)
        #expect(storm.faults.withLock { $0.prefix(3) } == [], name)
        #expect(storm.model.unended == 0, name)
        #expect(storm.model.levels == (executing: false, enabled: true), name)
        // What `start` gave is among what has ended; `execute` and work that starts more add to it.
        #expect(storm.accepted.withLock { $0.count } <= storm.model.ended, name)
        #expect(storm.refused.withLock { $0 } <= storm.model.refusals, name)
        #expect(storm.results.withLock { $0 } == storm.executes.withLock { $0 }, name)
        // How much comes through depends on when threads get their turns.
        #expect(storm.model.ended > 0, name)
    }
}
