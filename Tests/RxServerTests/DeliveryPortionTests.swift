import Testing

@testable import RxServer

@Suite("The deliveries of a turn")
struct DeliveryPortionTests {
    /// The count after portions that were used up, each delivery of which took so long.
    private static func count(after portions: Int, of nanosecondsEach: UInt64) -> Int {
        var portion = DeliveryPortion()
        for _ in 0..<portions { portion.adapt(to: portion.count, in: UInt64(portion.count) * nanosecondsEach) }
        return portion.count
    }

    @Test("are as many as take the time of a portion, between the least and the most")
    func adapts() {
        #expect(Self.count(after: 10, of: 1000) == 4000)
        #expect(Self.count(after: 10, of: 4000) == 1000)
        #expect(Self.count(after: 10, of: 1) == DeliveryPortion.most)
        #expect(Self.count(after: 10, of: 1_000_000) == DeliveryPortion.least)
    }

    @Test("at most double, and lose three quarters at most, after one portion: another thread may have interrupted it")
    func steps() {
        let first = DeliveryPortion().count
        #expect(Self.count(after: 1, of: 1) == 2 * first)
        #expect(Self.count(after: 1, of: 1_000_000) == first / 4)
    }

    @Test("do not follow from a few")
    func few() {
        var portion = DeliveryPortion()
        let first = portion.count
        portion.adapt(to: DeliveryPortion.least - 1, in: 1_000_000_000)
        #expect(portion.count == first)
        portion.adapt(to: 0, in: 0)
        #expect(portion.count == first)
    }
}
