internal import RxTime

extension Instant {
    /// The moment that much later, in whole microseconds, or the nearest one that can be represented.
    func adding(_ time: Duration) -> Instant { adding(microseconds: time.wholeMicroseconds) }
}

extension Duration {
    /// Microseconds, rounded toward zero, or the nearest number that can be represented.
    var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
