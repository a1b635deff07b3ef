import Rx
import RxAction
import Testing
import TestSupport

@Suite("Execution ids", .leakFree)
struct ExecutionIDTests {
    @Test("the text is that of a UUID of version 7, and reads back")
    func text() {
        let id = ExecutionID()
        let text = id.description
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
        #expect(text.allSatisfy { $0 == "-" || ($0.isHexDigit && !$0.isUppercase) })
        #expect(parts[2].first == "7")
        #expect("89ab".contains(parts[3].prefix(1)))
        #expect(ExecutionID(text) == id)
        #expect(ExecutionID(text.uppercased()) == id)
    }

    @Test("a known text reads and writes as it is")
    func known() {
        let text = "019a2b3c-4d5e-7f60-8123-456789abcdef"
        #expect(ExecutionID(text)?.description == text)
    }

    @Test(
        "what is no UUID is none",
        arguments: [
            "", "019a2b3c-4d5e-7f60-8123-456789abcde", "019a2b3c-4d5e-7f60-8123-456789abcdeff",
            "019a2b3c44d5e-7f60-8123-456789abcdef", "019a2b3c-4d5e-7f60-8123-456789abcdeg",
            "019a2b3c-4d5e-7f60-8123456789abcdef0",
        ])
    func malformed(text: String) {
        #expect(ExecutionID(text) == nil)
    }

    @Test("ids grow, and so do their texts, on all threads without a repetition")
    func growing() async {
        let seen = Locked<Set<ExecutionID>>([])
        let perThread = 10_000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let own = (0..<perThread).map { _ in ExecutionID() }
                    #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 && $0.description < $1.description })
                    seen.withLock { $0.formUnion(own) }
                }
            }
        }
        #expect(seen.withLock { $0.count } == 2 * perThread)
    }

    @Test("a generator's ids follow from its seed and its clock")
    func generated() {
        func ids(seed: UInt64, at time: Int64) -> [ExecutionID] {
            let generator = ExecutionIDGenerator(seed: seed, clock: { time })
            return (0..<5000).map { _ in generator.next() }
        }
        let time: Int64 = 1_700_000_000_000
        let first = ids(seed: 1, at: time)
        #expect(first == ids(seed: 1, at: time))
        #expect(Set(first).isDisjoint(with: ids(seed: 2, at: time)))
        #expect(first[0].milliseconds == time)
        #expect(first[4999].milliseconds == time + 1, "4096 ids per millisecond; the rest borrows from the next")
        #expect(zip(first, first.dropFirst()).allSatisfy { $0 < $1 })
    }
}
