import Testing

@testable import RxServer

@Suite("The deliveries of a turn")
struct DeliveryPortionTests {
    @Test("are fewer after a turn in which outboxes have dropped events, until one in which they have not")
    func adapts() {
        var portion = DeliveryPortion()
        #expect(portion.count == DeliveryPortion.most)
        portion.adapt(toDropped: 1)
        #expect(portion.count == DeliveryPortion.mostDropping)
        portion.adapt(toDropped: 5000)
        #expect(portion.count == DeliveryPortion.mostDropping)
        portion.adapt(toDropped: 0)
        #expect(portion.count == DeliveryPortion.most)
    }
}
