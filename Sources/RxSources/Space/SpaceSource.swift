public import RxJSON
public import RxPlatform
public import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue.
/// Emits the space of a file system: at the start, and after each interval in which it has changed.
/// `FileSystemSpace` describes the elements. A level.
///
/// A file system that does not answer holds up one thread and nothing else; it is not asked again meanwhile.
public final class SpaceSource: StreamSource, @unchecked Sendable {
    /// The time after which a file system that does not answer is reported.
    static let patience = Duration.seconds(10)

    typealias Measure = @Sendable (RawPath) -> Result<FileSystemSpace, FileError>

    private let path: String
    private let interval: Duration
    private let clock: any AlarmClock
    private let queue: WorkQueue
    private let measuring: WorkQueue
    private let measure: Measure
    private let gate = ReceiverGate()
    private var isRunning = false
    private var isMeasuring = false
    private var alarm: Alarm?
    private var observer: ClockObserver?
    private var waiting = WaitingReport()
    private var last: FileSystemSpace?

    /// - Parameters:
    ///   - path: absolute: any file or directory of the file system.
    ///   - interval: the time from one measurement to the next.
    ///   - queue: serial; calls the receiver.
    ///   - measuring: serial; waits for the file system.
    public convenience init(
        _ path: String, interval: Duration, clock: any AlarmClock, queue: WorkQueue, measuring: WorkQueue
    ) {
        self.init(path, interval: interval, clock: clock, queue: queue, measuring: measuring) { path in
            Result { () throws(FileError) in try FileSystemSpace.measure(path) }
        }
    }

    init(
        _ path: String, interval: Duration, clock: any AlarmClock, queue: WorkQueue, measuring: WorkQueue,
        measure: @escaping Measure
    ) {
        self.path = path
        self.interval = interval
        self.clock = clock
        self.queue = queue
        self.measuring = measuring
        self.measure = measure
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        gate.open(receiver)
        queue.async { [self] in
            isRunning = true
            // Alarms follow a clock that is set; the interval does not.
            observer = clock.observeChanges(on: queue) { [weak self] in self?.begin() }
            begin()
        }
    }

    public func settled(through position: RawJSON?) {}

    public func stop() {
        gate.close()
        queue.async { [self] in
            isRunning = false
            wake(nil)
            if let observer { clock.remove(observer) }
        }
    }

    private func begin() {
        guard isRunning, !isMeasuring else { return }
        isMeasuring = true
        wake(Self.patience) { $0.report("\($0.path) does not answer") }
        measuring.async { [weak self, measure, path = RawPath(path)] in
            let result = measure(path)
            guard let source = self else { return }
            source.queue.async { source.took(result) }
        }
    }

    private func took(_ result: Result<FileSystemSpace, FileError>) {
        isMeasuring = false
        guard isRunning else { return }
        wake(interval) { $0.begin() }
        switch result {
        case .success(let space):
            report(nil)
            guard space != last else { return }
            last = space
            let element = SourceElement(value: space.element(path), time: clock.now)
            gate.call { $0.receive([element]) }
        case .failure(let error):
            report(WatchReason.unreadable(RawPath(path), error))
        }
    }

    private func report(_ reason: String?) { gate.call { waiting.report(reason, to: $0) } }

    /// Replaces the alarm.
    private func wake(_ delay: Duration?, _ body: @escaping @Sendable (SpaceSource) -> Void = { _ in }) {
        if let alarm { clock.cancel(alarm) }
        alarm = delay.map { delay in
            clock.schedule(at: clock.now.adding(delay), on: queue) { [weak self] in
                if let self { body(self) }
            }
        }
    }
}
