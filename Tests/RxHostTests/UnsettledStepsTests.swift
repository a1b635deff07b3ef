import RxJSON
import Testing

@testable import RxHost
@testable import RxRecords

@Suite("The steps of a reactor that are not settled")
struct UnsettledStepsTests {
    /// Steps whose state is the list of their revisions.
    private struct Log {
        var steps = UnsettledSteps()
        var revision: UInt64 = 0
        var list: [JSONValue] = []

        init() { steps.begin(with: JSONState([]), at: 0) }

        mutating func add(_ input: ReactorInput? = nil, isStored: Bool = false) {
            revision += 1
            let value = JSONValue(Int(revision))
            list.append(value)
            let patch = JSONPatch([.add(JSONPointer(tokens: ["-"]), value)])
            steps.append(input, patch, JSONState(.array(list)), isStored: isStored)
        }

        /// The number of mutations in the state to go back to, if it is the right state.
        var target: Int? {
            let target = steps.target
            return target.tree == .array(Array(list.prefix(Int(target.revision)))) ? Int(target.revision) : nil
        }
    }

    private func input() -> ReactorInput { ReactorInput(.null, by: .host) }

    @Test("lead back to the state before the first that is not stored")
    func order() {
        var log = Log()
        for _ in 1...5 { log.add() }
        #expect(log.target == 0)
        for (stored, target) in [(1, 1), (3, 1), (2, 3), (5, 3), (4, 5)] {
            log.steps.stored(UInt64(stored))
            #expect(log.target == target)
        }
        #expect(log.steps.areAllSettled)
    }

    @Test("settle with the last mutation of their dispatch")
    func runs() {
        var log = Log()
        let (first, second) = (input(), input())
        for input in [first, first, second, second] { log.add(input) }
        for revision: UInt64 in 1...3 { log.steps.stored(revision) }
        #expect(log.target == 2 && first.newestStep == 2 && second.newestStep == 4)
        log.steps.stored(4)
        #expect(log.target == 2 && log.steps.storedThrough == 4, "another mutation may follow")
        log.steps.end(4)
        #expect(log.target == 4)
    }

    @Test("are awaited if their dispatch is not answered")
    func awaited() {
        var log = Log()
        let input = input()
        log.add(input)
        log.add()
        #expect(log.steps.isAwaited(1) && !log.steps.isAwaited(2) && !log.steps.isAwaited(3))
        input.isAnswered = true
        #expect(!log.steps.isAwaited(1))
    }

    @Test("of a dispatch without an end are undone up to a limit")
    func longRun() {
        var log = Log()
        let input = input()
        for revision in 1...(2 * UnsettledSteps.longestRun + 1) {
            log.add(input)
            log.steps.stored(UInt64(revision))
        }
        #expect(log.target == 2 * UnsettledSteps.longestRun)
    }

    @Test("lead to the right state however many are pending", arguments: [1, 63, 64, 65, 500])
    func pipeline(width: Int) {
        var log = Log()
        for revision in 1...2000 {
            log.add(input())
            guard revision > width else { continue }
            log.steps.stored(UInt64(revision - width))
            if revision % 37 == 0 { #expect(log.target == revision - width) }
        }
        log.steps.begin(with: JSONState(.null), at: 3000)
        log.steps.stored(1999)
        #expect(log.steps.target.revision == 3000 && log.steps.target.tree == .null && log.steps.areAllSettled)
    }

    @Test("that need not be stored settle after those that must")
    func unstored() {
        var log = Log()
        log.add(input(), isStored: true)
        #expect(log.target == 1)
        log.add()
        log.add(isStored: true)
        #expect(log.target == 1)
        log.steps.stored(2)
        #expect(log.target == 3)
    }
}
