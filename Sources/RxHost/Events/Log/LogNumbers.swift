internal import RxStore

/// The numbers of the log that the store is concerned with: the events that it keeps, and how far they are written.
///
/// An event that the store keeps is delivered once it is written, with all events before it: after a crash, no reader
/// has seen an event that the next daemon does not know of. Used with the log's lock held.
struct LogNumbers {
    /// No event of this host has this number; those of earlier hosts, which the store kept, have smaller ones.
    private(set) var start: UInt64 = 0
    /// Whether the log has events of earlier hosts.
    private(set) var isContinued = false
    /// From this number on, more have to be reserved; `max` without a store.
    private(set) var reserveFrom = UInt64.max
    private var reserved: UInt64 = 0
    private var unwritten: [LoggedEvent] = []
    /// The last event that the store is to keep.
    private var lastLogged: UInt64 = 0
    /// All events up to this one are written, or need not be.
    private var settledThrough: UInt64 = 0
    /// The store has answered for all events up to this one.
    private var writtenThrough: UInt64 = 0
    /// Where events are missing in the store, because they could not be written.
    private(set) var holes = EventHoles()
    /// Where the last hole began, while nothing has been written since.
    private var losingSince: UInt64?

    /// The log of a store, as an earlier host left it.
    mutating func begin(with log: RecoveredLog) {
        (start, reserved, isContinued) = (log.last, log.reserved, log.last > 1)
        holes = log.holes
        (lastLogged, settledThrough, writtenThrough) = (start, start, start)
        askBefore(reserved)
    }

    private mutating func askBefore(_ end: UInt64) { reserveFrom = end - LogLimits.numbersReserved / 2 }

    /// The store is to keep this event.
    mutating func append(_ event: LoggedEvent) {
        if lastLogged <= settledThrough { settledThrough = event.number - 1 }
        lastLogged = event.number
        unwritten.append(event)
    }

    /// Whether events have to be passed to the store.
    var hasUnwritten: Bool { !unwritten.isEmpty }

    mutating func takeUnwritten() -> [LoggedEvent] {
        var taken: [LoggedEvent] = []
        swap(&taken, &unwritten)
        return taken
    }

    /// The last event that may be delivered, of those up to `cursor`.
    func visible(_ cursor: UInt64) -> UInt64 { lastLogged <= settledThrough ? cursor : settledThrough }

    /// The store has everything that it keeps of the events up to this one, of those up to `cursor`.
    func stored(_ cursor: UInt64) -> UInt64 { lastLogged <= writtenThrough ? cursor : writtenThrough }

    /// The store has answered for the events with these numbers, in their order: it has them, or lost them.
    mutating func written(_ numbers: ClosedRange<UInt64>, isLost: Bool) {
        writtenThrough = max(writtenThrough, numbers.upperBound)
        if isLost {
            let first = min(losingSince ?? .max, numbers.lowerBound)
            losingSince = first
            holes.insert(first...numbers.upperBound)
        } else {
            losingSince = nil
        }
        settle(through: numbers.upperBound)
    }

    var isSettled: Bool { lastLogged <= settledThrough }

    /// The events up to `number` whose delivery waits; nil if none does.
    func unsettled(through number: UInt64) -> ClosedRange<UInt64>? {
        isSettled || number <= settledThrough ? nil : settledThrough + 1...min(number, lastLogged)
    }

    /// Delivery does not wait for events up to `number` any more: they are written, or cannot be, or take too long.
    mutating func settle(through number: UInt64) { settledThrough = max(settledThrough, number) }

    /// The number to reserve through, if it is time to. Returned once.
    mutating func takeReservation(at cursor: UInt64) -> UInt64? {
        guard cursor >= reserveFrom else { return nil }
        // Without an answer, the next attempt is a part of the block later.
        reserveFrom = cursor + LogLimits.numbersReserved / 16
        return max(cursor, reserved) + LogLimits.numbersReserved
    }

    /// Numbers up to this one are reserved.
    mutating func reserve(through number: UInt64) {
        reserved = number
        askBefore(number)
    }
}
