public import RxPlatform
public import RxTime

/// The clock on the wall, with calls at instants of it: the system's (`SystemAlarmClock`), or one for tests and for
/// `rxctl test`, on which no real time passes (`SimulatedAlarmClock`).
///
/// A clock can be set and a machine can be suspended. Alarms follow the clock: one whose instant is skipped is called
/// at once, and one whose instant is in the future again waits for it.
public protocol AlarmClock: AnyObject, Sendable {
    /// What the clock shows.
    var now: Instant { get }

    /// The time that has passed since a fixed moment, whatever the clock was set to; it includes suspended time.
    var elapsed: Duration { get }

    /// Calls `body` once on `queue` when the clock shows `instant` or later, at once if it does already. Alarms are
    /// handed to their queues in the order of their instants, equal ones in the order in which they were set. Any
    /// thread.
    @discardableResult
    func schedule(at instant: Instant, on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> Alarm

    /// Prevents the call and releases the body, unless it was handed to its queue already. Any thread.
    func cancel(_ alarm: Alarm)

    /// Calls `body` on `queue` each time the clock was set or the machine was suspended, before the alarms that are due
    /// for that reason. Any thread.
    func observeChanges(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> ClockObserver

    /// Ends an observation, apart from calls that were handed to the queue already. Any thread.
    func remove(_ observer: ClockObserver)
}

/// A pending call of an `AlarmClock`; invalid, and harmless, once called or canceled.
public struct Alarm: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// Who is called when a clock was set.
public struct ClockObserver: Hashable, Sendable {
    let number: Int
}
