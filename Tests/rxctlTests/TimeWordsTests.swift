import Testing

@testable import rxctl

struct TimeWordsTests {
    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute
    private static let day = 24 * hour
    /// 2026-11-26T12:00:00Z
    private static let now: Int64 = 1_795_694_400_000

    @Test("the last day is given by its distance, in the largest unit")
    func ago() {
        let texts = [0, 999, 59_999, Self.minute, Self.hour - 1, Self.hour, Self.day - 1].map {
            TimeWords.ago(Self.now - $0, at: Self.now)
        }
        #expect(texts == ["0s ago", "0s ago", "59s ago", "1m ago", "59m ago", "1h ago", "23h ago"])
        #expect(TimeWords.ago(Self.now + 5000, at: Self.now) == "0s ago")
    }

    @Test("older times are those of the clock, and those of other years have only the day")
    func clock() throws {
        let text = TimeWords.ago(Self.now - 4 * Self.day, at: Self.now)
        #expect(try #/Nov 2\d \d\d:\d\d/#.wholeMatch(in: text) != nil, "\(text)")
        #expect(TimeWords.ago(Self.now - 18 * Self.day, at: Self.now).hasPrefix("Nov  8 "))
        #expect(TimeWords.ago(Self.now - 400 * Self.day, at: Self.now).hasPrefix("2025-10-2"))
    }

    @Test("a time to come has two units")
    func ahead() {
        let texts = [0, 5000, 65_000, 3 * Self.hour + 12 * Self.minute + 1000, 2 * Self.hour, 3 * Self.day + 1].map {
            TimeWords.ahead(Self.now + $0, at: Self.now)
        }
        #expect(texts == ["in 0s", "in 5s", "in 1m 5s", "in 3h 12m", "in 2h", "in 3d"])
        #expect(TimeWords.ahead(Self.now - 1, at: Self.now) == "in 0s")
    }

    @Test("a short duration has a fraction, a long one two units")
    func took() {
        let texts = [-1, 0, 250, 1000, 1250, 9999, 10_000, 200_000, Self.hour + 30_000].map(TimeWords.took)
        #expect(texts == ["0ms", "0ms", "250ms", "1.0s", "1.2s", "9.9s", "10s", "3m 20s", "1h"])
    }
}
