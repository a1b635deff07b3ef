import RxTime
import Testing

@Suite("Instants")
struct InstantTests {
    @Test("what cannot be represented becomes the nearest instant that can")
    func bounds() {
        #expect(Instant(seconds: .max).microseconds == .max)
        #expect(Instant(seconds: .min).microseconds == .min)
        #expect(Instant(microseconds: .max).adding(microseconds: 1).microseconds == .max)
        #expect(Instant(microseconds: .min).adding(microseconds: -1).microseconds == .min)
        #expect(Instant(seconds: -1).microseconds == -1_000_000)
    }

    @Test("no slot is beyond the beginning and the horizon")
    func limits() throws {
        #expect(try at("1970-01-01T00:00+23:59") > Instant.beginning)
        #expect(try at("2199-12-31T23:59:59-23:59") < Instant.horizon)
    }
}
