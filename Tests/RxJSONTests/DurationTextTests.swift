import RxJSON
import Testing
import TestSupport

@Suite(.countedApart)
struct DurationTextTests {
    @Test(
        "durations are whole numbers with units, longest first",
        arguments: [
            ("500ms", 500), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000),
            ("1h30m", 5_400_000), ("1d2h3m4s5ms", 93_784_005), ("0s", 0), ("007s", 7000), ("90m", 5_400_000),
            ("36525d", 3_155_760_000_000),
        ] as [(String, Int64)])
    func reads(_ text: String, _ milliseconds: Int64) {
        #expect(Duration(rxText: text) == .milliseconds(milliseconds))
    }

    @Test(
        "anything else is no duration",
        arguments: [
            "", "10", "s", "10 s", " 10s", "10s ", "-1s", "+1s", "1.5s", "1e3s", "10S", "10sec", "30m1h", "1s1s",
            "1ms1s",
            "1h30", "36525d1ms", "9223372036854775807d", "99999999999999999999s", "１s", "10s\n",
        ])
    func refuses(_ text: String) {
        #expect(Duration(rxText: text) == nil)
    }

    @Test(
        "a duration prints as the shortest text that reads back as it",
        arguments: [
            (500, "500ms"), (10_000, "10s"), (5_400_000, "1h30m"), (93_784_005, "1d2h3m4s5ms"), (0, "0s"),
            (-5, "0s"), (90_061_000, "1d1h1m1s"),
        ] as [(Int64, String)])
    func prints(_ milliseconds: Int64, _ text: String) {
        #expect(Duration.milliseconds(milliseconds).rxText == text)
    }

    @Test("parts of a millisecond are dropped, and too long a duration prints as the longest")
    func extremes() {
        #expect(Duration.microseconds(1999).rxText == "1ms")
        #expect(Duration.seconds(Int64.max).rxText == "36525d")
    }
}
