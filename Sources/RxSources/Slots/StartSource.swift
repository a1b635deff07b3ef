public import RxJSON
public import RxPlatform
public import RxStreams
internal import RxTime

/// The source of `start = true`: emits `{"stopped":…}` once, when the daemon is ready, with the time at which the
/// daemon before it stopped, or null. A source that starts later, after a reload, emits nothing.
public final class StartSource: StreamSource {
    private let daemon: DaemonStart
    private let queue: WorkQueue
    private let gate = ReceiverGate()

    /// A source that calls its receiver on `queue`.
    public init(_ daemon: DaemonStart, queue: WorkQueue) {
        self.daemon = daemon
        self.queue = queue
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        gate.open(receiver)
        daemon.whenReady { [gate, queue, stopped = daemon.stopped] now in
            let element = SourceElement(value: Self.value(stopped), time: now)
            queue.async { gate.call { $0.receive([element]) } }
        }
    }

    public func settled(through position: RawJSON?) {}

    public func stop() { gate.close() }

    private static func value(_ stopped: Instant?) -> RawJSON {
        var writer = JSONWriter(reserving: 48)
        writer.object { writer in
            if let stopped {
                writer.field("stopped", stopped.text)
            } else {
                writer.field("stopped", RawJSON.null)
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
