public import RxJSON
internal import RxLoop
public import RxPlatform
public import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue.
/// Emits `{"signal":"USR1","uid":1000,"pid":4711}` for each signal sent to the daemon; `uid` and `pid` are those of the
/// sender, or 0 if no process of the daemon's namespace sent it.
///
/// It cannot wait and has no positions. The kernel merges signals `USR1` and `USR2` that arrive faster than the daemon
/// takes them; it keeps each real-time signal.
public final class SignalSource: StreamSource, @unchecked Sendable {
    /// The delays between attempts to catch the signal, which fails only if descriptors or memory run out.
    static let retry = DoublingDelay(first: .seconds(1), longest: .seconds(60))

    private let name: SignalName
    private let signals: SharedSignals
    private let clock: WallClock
    private let queue: WorkQueue
    private var receiver: (any SourceReceiver)?
    private var token: SharedSignals.Token?
    private var delay = retry
    private var timer: QueueTimer?
    private var waiting = WaitingReport()

    /// A source of the signal `name`.
    public init(_ name: SignalName, of signals: SharedSignals, on platform: Platform) {
        self.name = name
        self.signals = signals
        clock = platform.wallClock
        queue = platform.queues.serial("rxd.source.signal")
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        queue.async { [self] in
            self.receiver = receiver
            begin()
        }
    }

    public func settled(through position: RawJSON?) {}

    public func stop() {
        queue.run {
            receiver = nil
            timer?.cancel()
            if let token { signals.remove(name.number, token) }
            token = nil
        }
    }

    private func begin() {
        guard receiver != nil else { return }
        token = signals.add(name.number) { [weak self] signal in
            guard let self else { return }
            let time = Instant(microseconds: clock.milliseconds * 1000)
            queue.async { self.received(signal, at: time) }
        } result: { [weak self] error in
            guard let self else { return }
            queue.async { self.tried(error) }
        }
    }

    private func received(_ signal: ReceivedSignal, at time: Instant) {
        guard let receiver else { return }
        var writer = JSONWriter()
        writer.object { object in
            object.field("signal", name.description)
            object.field("uid", Int(signal.uid))
            object.field("pid", Int(signal.pid))
        }
        receiver.receive([SourceElement(value: RawJSON(unchecked: writer.bytes), time: time)])
    }

    private func tried(_ error: SystemCallError?) {
        guard let receiver else { return }
        guard let error else {
            delay.reset()
            return waiting.report(nil, to: receiver)
        }
        waiting.report("cannot catch the signal \(name): \(error)", to: receiver)
        timer = queue.async(after: delay.next()) { [weak self] in self?.begin() }
    }
}
