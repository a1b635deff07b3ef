/// How many deliveries, of one event to one subscription, a turn may have: as many as take a few milliseconds.
///
/// An event that finds a full outbox and drops another one takes about ten times as long as one that is written. The
/// dropped event counts as well, since one event may take the place of thousands.
struct DeliveryPortion {
    /// More would not make fewer writes.
    static let most = 16_384
    /// The same while outboxes drop events.
    static let mostDropping = 2048

    /// Deliveries and dropped events of the next turn.
    private(set) var count = most

    /// Adapts the next portion to how many events were dropped in one that is over.
    mutating func adapt(toDropped dropped: Int) { count = dropped == 0 ? Self.most : Self.mostDropping }
}
