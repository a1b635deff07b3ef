internal import RxPlatform
internal import RxSources
internal import RxTime

/// One alarm of a stream, such as when something is due in its steps next.
// Unchecked: belongs to the stream's turn.
final class StreamAlarm: @unchecked Sendable {
    private let clock: any AlarmClock
    private let queue: WorkQueue
    private var alarm: (due: Instant, alarm: Alarm)?

    init(_ services: StreamServices) {
        clock = services.clock
        queue = services.queue
    }

    /// When the alarm that was set last rings, or has rung.
    var due: Instant? { alarm?.due }

    /// Calls `ring` on any thread at a time, in place of what was set before.
    func set(_ due: Instant, _ ring: @escaping @Sendable () -> Void) {
        guard alarm?.due != due else { return }
        cancel()
        alarm = (due, clock.schedule(at: due, on: queue, ring))
    }

    func cancel() {
        if let alarm { clock.cancel(alarm.alarm) }
        alarm = nil
    }

    /// The alarm has rung.
    func clear() { alarm = nil }
}
