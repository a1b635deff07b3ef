import RxPlatform

/// The shared queue with timers that never fire. A host whose disk does not answer within a second gives events to
/// readers before they are stored; the next one after a kill reports all events until then as lost, and a machine under
/// load is no such disk.
// Unchecked: it has no state.
final class PatientQueue: WorkQueue, @unchecked Sendable {
    override func async(_ body: @escaping @Sendable () -> Void) { Queues.system.shared.async(body) }

    override func run(_ body: () -> Void) { Queues.system.shared.run(body) }

    override func timer(
        after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer { QueueTimer {} }
}
