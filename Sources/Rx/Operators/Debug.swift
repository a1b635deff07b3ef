internal import Glibc

extension ObservableType {
    /// Prints each event as it passes: a line with the time, `identifier`, and the event.
    ///
    /// ```
    /// 2026-03-01 12:00:00.123: search -> subscribed
    /// 2026-03-01 12:00:00.124: search -> Event next(1)
    /// 2026-03-01 12:00:00.125: search -> Event completed
    /// 2026-03-01 12:00:00.125: search -> isDisposed
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: by default the location of the call, as `File.swift:12 (function())`.
    ///   - trimOutput: whether to shorten events of more than 40 characters in the middle.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function that makes the call.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Observable<Element> {
        let place = "\(file.split(separator: "/").last.map(String.init) ?? file):\(line) (\(function))"
        return Debug(asObservable(), DebugLog(identifier: identifier ?? place, trimOutput: trimOutput))
    }
}

struct DebugLog: Sendable {
    private static let longestEvent = 40

    let identifier: String
    let trimOutput: Bool
    /// Replaceable in tests.
    var output: @Sendable (String) -> Void = { print($0) }

    func write(_ text: String) { output("\(DebugLog.now()): \(identifier) -> \(text)") }

    func write(event: some CustomDebugStringConvertible) {
        let text = event.debugDescription
        let half = DebugLog.longestEvent / 2
        let isLong = trimOutput && text.count > DebugLog.longestEvent
        write("Event \(isLong ? text.prefix(half) + "..." + text.suffix(half) : text[...])")
    }

    /// The local time with milliseconds.
    private static func now() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var parts = tm()
        localtime_r(&time.tv_sec, &parts)
        func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let day = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        let second = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
        return "\(day) \(second).\(padded(time.tv_nsec / 1_000_000, 3))"
    }
}

final class Debug<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let log: DebugLog

    init(_ source: Observable<Element>, _ log: DebugLog) {
        self.source = source
        self.log = log
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        log.write("subscribed")
        let sink = DebugStage(stage, log)
        stage.attach(sink)
        source.run(sink)
    }
}

/// Not a `Sink`, because it reports its disposal before the stages above are disposed.
private final class DebugStage<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let downstream: Stage<Element>
    private let log: DebugLog
    private let slot = DisposableSlot()

    init(_ downstream: Stage<Element>, _ log: DebugLog) {
        self.downstream = downstream
        self.log = log
        super.init()
    }

    override func attach(_ upstream: DisposeBase) { _ = slot.set(upstream) }

    override func next(_ element: Element) {
        if slot.isDisposed { return }
        log.write(event: Event.next(element))
        downstream.next(element)
    }

    override func error(_ error: any Error) {
        guard let upstream = slot.close() else { return }
        log.write(event: Event<Element>.error(error))
        downstream.error(error)
        over(upstream)
    }

    override func completed() {
        guard let upstream = slot.close() else { return }
        log.write(event: Event<Element>.completed)
        downstream.completed()
        over(upstream)
    }

    override func dispose() {
        if let upstream = slot.close() { over(upstream) }
    }

    private func over(_ upstream: DisposeBase?) {
        log.write("isDisposed")
        upstream?.dispose()
    }
}
