import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("The output of executions in the store", .countedApart)
struct OutputStoreTests {
    private func kept(_ texts: [String], missing: Int = 0, error: String = "") -> KeptOutput {
        var (head, tail) = (KeptHalf(numbers: 1...1), KeptHalf(numbers: 2...9))
        KeptElements.Codec.append(
            RawJSON(unchecked: Array(texts[0].utf8)), number: 1, time: 5, after: (0, 0), to: &head.data)
        KeptElements.Codec.begin(tailAt: 2 + missing, after: (1, 5), to: &tail.data)
        for text in texts.dropFirst() {
            KeptElements.Codec.append(
                RawJSON(unchecked: Array(text.utf8)), number: 9, time: 5, after: (1, 5), to: &tail.data)
        }
        var first = KeptHalf()
        KeptErrors.append(error.utf8, after: 0, to: &first.data)
        return KeptOutput(
            elements: KeptElements(
                count: texts.count + missing, bytes: 99, head: head, tail: texts.count > 1 ? tail : nil),
            errors: KeptErrors(bytes: error.utf8.count, head: error.isEmpty ? KeptHalf() : first))
    }

    private func storable(_ output: KeptOutput) -> StorableOutput { StorableOutput(bytes: 100) { output } }

    private func ended(_ record: ExecutionRecord, _ output: KeptOutput?, number: UInt64 = 7) -> LoggedEvent {
        LoggedEvent(
            number: number, time: 30, name: record.action, execution: record.id, ordinal: 2,
            content: .ended(record, isKeyed: false, output: output.map(storable)))
    }

    @Test("is as it was after a restart; an execution without any has none")
    func roundTrip() async throws {
        let file = StoreFile()
        let (with, without) = (ExecutionRecord.made(.completed), ExecutionRecord.made(.completed))
        let output = kept(["1", #"{"a":2}"#, "3"], missing: 4, error: "oh\u{0}no")
        var store = try file.open()
        let events = [ended(with, output), ended(without, nil, number: 8)]
        #expect(await outcome { _ = store.log(events, completion: $0) } == nil)
        #expect(try await store.keptOutput(of: with.id) == output)
        store.close()
        store = try file.open()
        #expect(try await store.keptOutput(of: with.id) == output)
        #expect(try await store.keptOutput(of: without.id) == nil)
        #expect(try await store.keptOutput(of: ExecutionID()) == nil)
        store.close()
    }

    @Test("is searched with the history: elements as JSON and without escapes, and stderr")
    func search() async throws {
        let file = StoreFile()
        let store = try file.open()
        let record = ExecutionRecord.made(.completed, input: #"{"n":1}"#)
        let other = ExecutionRecord.made(.completed, input: #"{"n":1}"#)
        let output = kept([#""say \"Hallo\"""#, #"{"key":"Grün"}"#], missing: 3, error: "disk is full, no")
        let events = [ended(record, output), ended(other, kept(["7"]), number: 8)]
        #expect(await outcome { _ = store.log(events, completion: $0) } == nil)
        let expected: [(String, Bool)] = [
            (#"say "hallo"#, true), (#"say \"hallo"#, true), ("hallo", true), ("HALLO", false), ("grün", true),
            ("FULL", false), ("is full", true), ("key", true), ("nothing", false),
        ]
        for (text, isFound) in expected {
            var selection = ExecutionSelection()
            selection.text = SearchText(text)
            #expect(try await store.page(selection).records.map(\.id) == (isFound ? [record.id] : []), "\(text)")
        }
        store.close()
    }

    @Test("comes with the end, all or nothing, and goes with the record")
    func transaction() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.count = 1
        let store = try file.open(retention)
        let records = (0..<3).map { ExecutionRecord.made(.completed, endedAt: 30 + Int64($0)) }
        let output = kept(["1"])
        try store.limit(pages: 1)
        let large = kept(["1"], error: String(repeating: "x", count: 100_000))
        #expect(await outcome { _ = store.log([ended(records[0], large)], completion: $0) } != nil)
        #expect(try await store.page().records.isEmpty)
        #expect(try await store.keptOutput(of: records[0].id) == nil)
        try store.limit(pages: 100_000)
        for (index, record) in records.enumerated() {
            let event = ended(record, output, number: UInt64(index) + 8)
            #expect(await outcome { _ = store.log([event], completion: $0) } == nil)
        }
        await store.flush()
        let recordCount = "SELECT count(*) FROM executions"
        let strays = "SELECT count(*) FROM output WHERE execution NOT IN (SELECT id FROM executions)"
        #expect(await eventually { (try? file.look { try $0.integer(recordCount) }) == 1 })
        #expect(try file.look { try $0.integer(strays) } == 0)
        #expect(try await store.keptOutput(of: records[2].id) == output)
        #expect(try await store.keptOutput(of: records[0].id) == nil)
        store.close()
    }

    @Test("of an execution in flight is replaced; after the end, or for one that is not listed, nothing is written")
    func replaced() async throws {
        let file = StoreFile()
        let store = try file.open()
        let record = ExecutionRecord.made(.executing)
        let stranger = ExecutionID()
        store.accepted(record)
        let outputs = [kept(["1", "2"], missing: 3, error: "a"), kept(["1"], error: "ab"), kept(["1", "2", "3"])]
        for output in outputs.prefix(2) {
            store.keep(storable(output), of: record.id)
            store.keep(storable(output), of: stranger)
            await store.flush()
            // The tail of the first is gone, too.
            #expect(try await store.keptOutput(of: record.id) == output)
        }
        let end = ExecutionRecord.made(.completed, id: record.id)
        #expect(await outcome { _ = store.log([ended(end, outputs[2])], completion: $0) } == nil)
        store.keep(storable(outputs[0]), of: record.id)
        await store.flush()
        let last = try await store.keptOutput(of: record.id)
        #expect(last?.elements == outputs[2].elements)
        #expect(try await store.keptOutput(of: stranger) == nil)
        store.close()
    }

    @Test("survives a kill, and the interrupted execution has as many elements as were stored")
    func killed() async throws {
        let file = StoreFile()
        let records = [ExecutionRecord.made(.executing), ExecutionRecord.made(.executing)]
        let output = kept(["1", "2"], missing: 3, error: "a")
        var store = try file.open()
        for record in records { store.accepted(record) }
        store.keep(storable(output), of: records[0].id)
        await store.flush()
        // A kill leaves the rows of what is in flight, as a close does.
        store.close()
        store = try file.open()
        #expect(store.takeRecovery().interrupted.map(\.elements) == [5, 0])
        #expect(try await store.found(records[0].id)?.elements == 5)
        #expect(try await store.found(records[1].id)?.elements == 0)
        #expect(try await store.keptOutput(of: records[0].id) == output)
        store.close()
    }
}
