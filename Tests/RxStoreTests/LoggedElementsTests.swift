import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

/// The elements of pages, of executions that ran at the same time.
@Suite("The elements of pages of the log", .countedApart)
struct LoggedElementsTests {
    private static let executions = 50
    private static let half = 32 << 10
    private static let missing = 1000

    /// The elements of one execution: every fiftieth number, from `first` on, in a head and a tail with a gap between.
    private static func output(first: UInt64) -> (kept: KeptOutput, numbers: [UInt64]) {
        let text = RawJSON(.string(String(repeating: "x", count: 300)))
        var (head, tail) = (KeptHalf(), KeptHalf())
        var numbers: [UInt64] = []
        var (number, last) = (first, KeptElements.Codec.Place(0, 0))
        func append(to half: inout KeptHalf) {
            KeptElements.Codec.append(text, number: number, time: 5, after: last, to: &half.data)
            numbers.append(number)
            last = (number, 5)
            number += UInt64(executions)
        }
        while head.data.count < half { append(to: &head) }
        head.numbers = first...last.number
        let begin = number
        number += UInt64(missing * executions)
        KeptElements.Codec.begin(tailAt: numbers.count + missing + 1, after: last, to: &tail.data)
        while tail.data.count < half { append(to: &tail) }
        tail.numbers = begin...last.number
        let elements = KeptElements(
            count: numbers.count + missing, bytes: 0, missing: missing, head: head, tail: tail)
        return (KeptOutput(elements: elements), numbers)
    }

    private func query(after number: UInt64, through last: UInt64) -> LogQuery {
        LogQuery(
            after: number, through: last, source: .names(nil), parts: .executions, errors: false, executions: false,
            elements: true)
    }

    @Test(
        "of executions that overlap come once and in order, and no page holds more than its limit",
        arguments: [2048, 10])
    func overlapping(_ started: Int) async throws {
        let file = StoreFile()
        let store = try file.open()
        try store.reads.wait { $0.log.limits.started = started }
        var numbers: [UInt64] = []
        var events: [LoggedEvent] = []
        for index in 0..<Self.executions {
            let output = Self.output(first: 100 + UInt64(index))
            numbers += output.numbers
            let record = ExecutionRecord.made(.completed)
            events.append(
                LoggedEvent(
                    number: 1_000_000 + UInt64(index), time: 30, name: "deploy", execution: record.id, ordinal: 2,
                    content: .ended(
                        record, isKeyed: false, output: StorableOutput(bytes: 100) { output.kept })))
        }
        #expect(await outcome { _ = store.log(events, completion: $0) } == nil)
        var (read, pages, gaps) = ([UInt64](), 0, [LogPage.Gap]())
        var query = self.query(after: 0, through: 2_000_000)
        var most = 0
        while query.after < query.through {
            let page = try await answer { store.page(query, completion: $0) }.get()
            try #require(page.through > query.after)
            var bytes = 0
            for event in page.events {
                guard case .element(let text) = event.content else { continue }
                read.append(event.number)
                bytes += LogReader.eventBytes + text.utf8.count
            }
            bytes += (page.started ?? []).count * MemoryLayout<StartedOutput>.stride
            most = max(most, bytes)
            gaps += page.gaps
            pages += 1
            (query.after, query.started) = (page.through, page.started)
        }
        #expect(read == numbers.sorted())
        // What is charged for a page is four times as much.
        #expect(most > 200 << 10 && most < 280 << 10, "\(most)")
        // A page that finds the halves again cannot count what is missing.
        #expect(Set(gaps.map(\.execution)).count == Self.executions)
        if started > 2 * Self.executions {
            #expect(gaps.map(\.count) == [Int?](repeating: Self.missing, count: Self.executions))
            #expect(pages < read.count * 760 / (256 << 10) + 10, "\(pages) pages: each is full")
        }
        store.close()
    }

    @Test("that came after a page, of an execution that was in flight then, are in the next one")
    func ended() async throws {
        let file = StoreFile()
        let store = try file.open()
        let record = ExecutionRecord.made(.completed)
        let output = Self.output(first: 100)
        let end = LoggedEvent(
            number: 900_000, time: 30, name: "deploy", execution: record.id, ordinal: 2,
            content: .ended(record, isKeyed: false, output: StorableOutput(bytes: 100) { output.kept }))
        #expect(await outcome { _ = store.log([end], completion: $0) } == nil)
        var query = self.query(after: 0, through: 120)
        var read: [UInt64] = []
        // In memory, it has one element by then.
        var data: [UInt8] = []
        let first = try #require(output.kept.elements.keptInHead.first)
        KeptElements.Codec.append(first.text, number: first.number, time: 5, after: (0, 0), to: &data)
        let half = ElementHalf(
            isTail: false, numbers: 100...100, missing: 0, first: nil, elements: ElementReader(data, at: .startOfHead))
        query.outputs = [
            LogOutput(execution: record.id, name: "deploy", first: 100, tail: nil) { _ in
                LogOutput.Elements(halves: [half], redact: nil)
            }
        ]
        for through in [120, 130, 2_000_000] as [UInt64] {
            query.through = through
            if through > 130 { query.outputs = [] }
            while query.after < query.through {
                let page = try await answer { store.page(query, completion: $0) }.get()
                read += page.events.filter { $0.execution == record.id && $0.ordinal > 0 && !$0.isEnd }.map(\.number)
                (query.after, query.started) = (page.through, page.started)
            }
        }
        #expect(read == output.numbers)
        store.close()
    }

    @Test("that begin after a page are not unpacked for it, and of those in flight none are taken from the store")
    func memory() async throws {
        let file = StoreFile()
        let store = try file.open()
        let (stored, later) = (ExecutionRecord.made(.completed), ExecutionRecord.made(.completed))
        let output = Self.output(first: 100)
        let events = (1...300).map { number in
            LoggedEvent(number: number, time: 5, name: "deploy", content: .other(kind: "refused", .true))
        }
        let end = LoggedEvent(
            number: 301, time: 30, name: "deploy", execution: stored.id, ordinal: 2,
            content: .ended(stored, isKeyed: false, output: StorableOutput(bytes: 100) { output.kept }))
        #expect(await outcome { _ = store.log(events + [end], completion: $0) } == nil)
        let asked = Heard<UInt64>()
        var query = self.query(after: 0, through: 301)
        query.errors = true
        query.outputs = [
            LogOutput(execution: later.id, name: "deploy", first: 299, tail: nil) { _ in
                Issue.record("the page ends before")
                return LogOutput.Elements(halves: [], redact: nil)
            },
            LogOutput(execution: stored.id, name: "deploy", first: 100, tail: nil) { number in
                asked.add(number)
                return LogOutput.Elements(halves: [], redact: nil)
            },
        ]
        let page = try await answer { store.page(query, completion: $0) }.get()
        #expect(page.through < 299 && page.events.count == page.through)
        #expect(page.events.allSatisfy { $0.execution == nil })
        #expect(asked.values == [0])
        store.close()
    }
}
