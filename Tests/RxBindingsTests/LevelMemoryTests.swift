import RxJSON
import RxRecords
import RxStreams
import RxTime
import Testing

@testable import RxBindings

/// The last values of a level that an `on` took.
@Suite struct LevelMemoryTests {
    private let value = StreamElement(value: json(#""s3cret""#), time: StreamFixture.start)

    private func rows(_ rows: [StreamRow]) -> [String: RawJSON] {
        Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.value.map { (row.name, $0) } })
    }

    @Test("are not stored as they are if they may have secrets, and known again")
    func secret() throws {
        var memory = LevelMemory(.one, owner: "o", stored: [:])
        let stored = rows(memory.take(value, isSecret: true))
        #expect(stored.count == 1 && !stored.values.contains { $0.text.contains("s3cret") })
        #expect(memory.has(value) && LevelMemory(.one, owner: "o", stored: stored).has(value))
        let other = StreamElement(value: json(#""other""#), time: StreamFixture.start)
        #expect(!memory.has(other) && !LevelMemory(.one, owner: "o", stored: stored).has(other))
    }

    @Test("are known if they were stored as they are")
    func plain() {
        var memory = LevelMemory(.one, owner: "o", stored: [:])
        let stored = rows(memory.take(value, isSecret: false))
        #expect(stored.values.map(\.text) == [#""s3cret""#])
        var next = LevelMemory(.one, owner: "o", stored: stored)
        #expect(next.has(value))
        #expect(rows(next.take(value, isSecret: true)).values.allSatisfy { !$0.text.contains("s3cret") })
    }
}
