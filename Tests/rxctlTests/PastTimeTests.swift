import RxProtocol
import Testing

@testable import rxctl

@Suite("A time in the past")
struct PastTimeTests {
    private let now = Timestamp(milliseconds: 1_795_222_923_123)

    @Test("is so long ago", arguments: [("10m", 600_000), ("1h30m", 5_400_000), ("500ms", 500), ("2d", 172_800_000)])
    func durations(text: String, milliseconds: Int64) {
        #expect(PastTime(text, now: now)?.timestamp.milliseconds == now.milliseconds - milliseconds)
    }

    @Test("is nothing else", arguments: ["", "10", "yesterday", "2026-11", "2026-11-22T3:00", "2026-11-22T03:00Z"])
    func others(text: String) {
        #expect(PastTime(text, now: now) == nil)
    }
}
