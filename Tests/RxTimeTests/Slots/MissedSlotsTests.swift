import RxTime
import Testing

@Suite("Missed slots")
struct MissedSlotsTests {
    private static let day: Int64 = 86_400_000_000

    private func missed(
        _ text: String, _ first: String, _ last: String, _ policy: MissedPolicy, window: Int64 = day
    ) throws -> MissedSlots {
        MissedSlots(
            of: try CronExpression(text).schedule(in: .utc), after: try at(first), through: try at(last),
            policy: policy, window: window)
    }

    private func times(_ slots: MissedSlots) -> [String] {
        slots.owed.map { String(local($0, .utc).dropFirst(5).prefix(11)) }
    }

    @Test("none fires nothing, once the newest, all each one")
    func policies() throws {
        let (first, last) = ("2026-11-25T10:00:00Z", "2026-11-25T13:30:00Z")
        let none = try missed("0 * * * *", first, last, .none)
        #expect(none.owed.isEmpty)
        #expect(none.skipped == 3)
        let once = try missed("0 * * * *", first, last, .once)
        #expect(times(once) == ["11-25T13:00"])
        #expect(once.skipped == 2)
        let all = try missed("0 * * * *", first, last, .all)
        #expect(times(all) == ["11-25T11:00", "11-25T12:00", "11-25T13:00"])
        #expect(all.skipped == 0)
    }

    @Test("slots before the window are only counted")
    func window() throws {
        let (first, last) = ("2026-11-01T10:00:00Z", "2026-11-25T13:00:00Z")
        let all = try missed("0 13 * * *", first, last, .all)
        #expect(times(all) == ["11-24T13:00", "11-25T13:00"])
        #expect(all.skipped == 23)
        let shorter = try missed("0 13 * * *", first, "2026-11-25T12:00:00Z", .once, window: Self.day / 2)
        #expect(shorter.owed.isEmpty)
        #expect(shorter.skipped == 24)
    }

    @Test("of more than 1,000 the newest are owed, and the rest is counted without a visit to each")
    func limit() throws {
        let all = try missed("* * * * * *", "2000-01-01T00:00:00Z", "2026-01-01T00:00:00Z", .all, window: .max)
        #expect(all.owed.count == MissedSlots.most)
        #expect(try all.owed.last == at("2026-01-01T00:00:00Z"))
        #expect(try all.owed.first == at("2025-12-31T23:43:21Z"))
        #expect(all.skipped == 9497 * 86_400 - 1000)
    }

    @Test("nothing is missed if nothing came due")
    func nothing() throws {
        for policy in MissedPolicy.allCases {
            let none = try missed("0 * * * *", "2026-11-25T10:00:00Z", "2026-11-25T10:59:59Z", policy)
            #expect(none.owed.isEmpty)
            #expect(none.skipped == 0)
            let backward = try missed("0 * * * *", "2026-11-25T10:00:00Z", "2026-11-24T10:00:00Z", policy)
            #expect(backward.owed.isEmpty)
            #expect(backward.skipped == 0)
        }
    }

    @Test("policies have the names of the configuration")
    func names() { #expect(MissedPolicy.allCases.map(\.rawValue) == ["none", "once", "all"]) }
}
