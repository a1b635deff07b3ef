import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStore
import RxStreams
import RxTime
import TestSupport
import Testing

@Suite("The state of a group that an earlier version has stored under a key that is not ASCII")
struct RenamedValueTests {
    private static let stream = StreamDefinition.of(
        "subject", "s",
        [
            StepDefinition(
                "groupBy",
                [
                    "groupBy": .program(StreamProgram(".", .one)), "idle": .duration(3_600_000_000),
                    "through": .steps([StepDefinition("delay", ["delay": .duration(10_000_000)])]),
                ])
        ], persist: true)

    @Test("is read, and stored in ASCII from then on")
    func renamed() async throws {
        let directory = TemporaryDirectory()
        func open() throws -> ExecutionStore { try ExecutionStore(path: directory.path + "/rxd.db") { _ in } }
        let first = try open()
        let fixture = StreamFixture(store: first)
        await fixture.apply([Self.stream], [.on("s")])
        for room in ["Küche", "Bad"] {
            fixture.streams.stream("s")?.inject(json("\"\(room)\""), causes: Causes(.host))
        }
        #expect(await eventually { fixture.streams.stream("s")?.status.taken == 2 })
        await fixture.stop()
        first.close()

        let second = try open()
        let names = Host([], store: second).storedStreams["s"] ?? [:]
        let kitchen = names.filter { $0.key.contains(#"K\xC3\xBCche"#) }
        #expect(kitchen.count == 2 && names.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
        second.store(
            kitchen.flatMap { name, value in
                let earlier = "value/1[\"Küche\"]" + (name.hasSuffix("/group") ? "/group" : ".1/elements/0")
                return [
                    StreamRow(stream: "s", name: name, value: nil), StreamRow(stream: "s", name: earlier, value: value),
                ]
            }, isDurable: true)
        second.close()

        let third = try open()
        let later = StreamFixture(store: third)
        await later.apply([Self.stream], [.on("s")])
        later.advance(by: .seconds(11))
        #expect(await eventually { later.work.inputs.count == 1 })
        later.work.end()
        #expect(await eventually { later.work.inputs == [json(#""Küche""#), json(#""Bad""#)] })
        await later.stop()
        third.close()
        let fourth = try open()
        let left = Host([], store: fourth).storedStreams["s"] ?? [:]
        #expect(left["value/1[\"Küche\"]/group"] == nil && left[#"value/1["K\xC3\xBCche"]/group"#] != nil)
        fourth.close()
    }
}
