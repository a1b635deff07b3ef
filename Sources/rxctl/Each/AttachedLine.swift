internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The execution of one line, whose elements are read until its end, whatever becomes of the daemon meanwhile.
///
/// - While the daemon has no room for the request, it is held back and sent again.
/// - When the connection is lost, the request is sent again with the same key, over the next connection. The daemon
///   answers with the same execution and its elements; those that were delivered are skipped, and those that the daemon
///   no longer has in its memory are read from the kept output.
/// - An execution that ended with the daemon is executed again if the action has `retry`; otherwise the line fails.
final class AttachedLine: ExecutedLine {
    /// How often a line is executed again because the daemon ended: its work may be what ends the daemon.
    private static let mostRepetitions = 3

    private let executor: LineExecutor
    private let line: EachLine
    private let input: RawJSON
    private let deliver: (LineResult) -> Void
    private let held: HeldRequest
    /// How often the line has ended before.
    private var tries: Int
    private var repetitions = 0

    private var stream: FollowedStream?
    /// How many streams were opened; what comes of those before the last one does not count.
    private var streams = 0
    private(set) var key: String?
    private var execution: String?
    /// Whether this rxctl has brought the execution about.
    private var isOurs = false
    private var elements = ElementCount()
    /// The last failed attempt that was reported.
    private var lastAttempt = 0
    private var error: RPCError?
    private var hasLost = false
    /// Whether a connection was lost while the execution was in flight.
    private var hasLostConnection = false
    /// Events that wait for elements before them, which are being read from the kept output.
    private var waiting: [StreamEvent]?
    private var isWithdrawn = false
    private var hasEnded = false

    private var session: DaemonSession { executor.session }
    private var options: LineOptions { executor.options }

    /// - Parameter deliver: called with the results, in their order.
    init(
        _ executor: LineExecutor, _ line: EachLine, _ input: RawJSON, tries: Int,
        deliver: @escaping (LineResult) -> Void
    ) {
        self.executor = executor
        self.line = line
        self.input = input
        self.tries = tries
        self.deliver = deliver
        held = HeldRequest(executor.session, line.place)
    }

    func start() {
        guard !isWithdrawn else { return end(.interrupted) }
        key = executor.keys.key(of: line, tries: tries)
        (error, waiting) = (nil, nil)
        var streamOptions = FollowedStream.Options()
        // Here the same request continues it, which also finds an execution of an earlier daemon.
        streamOptions.continues = false
        streams += 1
        let number = streams
        stream = session.link.open(
            .execution(options.request(input, key: key)), options: streamOptions,
            deliver: { [weak self] in self?.receive($0, number) },
            completion: { [self] in answered($0) })
    }

    func withdraw() {
        guard !isWithdrawn else { return }
        isWithdrawn = true
        guard !held.isWaiting else { return }
        leave()
    }

    /// Ctrl-C: cancels the execution if this rxctl has brought it about.
    private func leave() {
        guard let stream else { return }
        // With a job log, the answer has to come first: the next run must know how the execution has ended.
        if options.resume != nil, execution == nil { return }
        guard options.resume != nil, let execution, isOurs else {
            // If the execution has just ended, this is refused, and its end is on its way.
            return session.link.unsubscribe(stream)
        }
        // Its stream brings the end.
        session.link.call(.executionCancel, RawJSON(["execution": .string(execution)])) { _ in }
    }

    private func answered(_ reply: Connection.Reply) {
        switch reply {
        case .success(let result):
            guard let accepted = ExecuteReply(result) else { return }
            if accepted.execution != execution { (elements, lastAttempt) = (ElementCount(), 0) }
            if execution == nil || accepted.disposition != .joined { isOurs = accepted.disposition != .joined }
            execution = accepted.execution
            elements.begin()
            if isWithdrawn, options.resume != nil { leave() }
        case .failure(let error):
            stream = nil
            if isWithdrawn { return end(.interrupted) }
            if let limit = error.keyLimit, executor.goOnWithoutKeys(limit) { return start() }
            guard error.mayPass else { return end(Ending(error)) }
            held.wait(because: error, hasKey: key != nil) { [self] in start() }
        }
    }

    private func receive(_ delivery: LinkDelivery, _ number: Int) {
        guard number == streams, !hasEnded else { return }
        switch delivery {
        case .failed: lost()
        case .finished: end(.interrupted)
        case .reconnected: break
        case .event(let event): take(event)
        }
    }

    private func take(_ event: StreamEvent) {
        if waiting != nil {
            waiting?.append(event)
            return
        }
        switch event.channel {
        case .elements:
            guard let value = event.value, elements.isNew() else { return }
            deliver(.element(value, execution: execution ?? ""))
        case .lag:
            guard let count = event.value?.value()["dropped"]?.int else { return lose(nil) }
            let missing = elements.skip(count)
            if missing > 0 { readKept(missing) }
        case .errors:
            if case .error(let error) = event.content { self.error = error }
        case .end:
            ended(event.reason ?? .failed)
        case .executions:
            // Over another connection, the earlier ones come again.
            guard let attempt = FailedAttempt(event.value), attempt.number > lastAttempt else { return }
            lastAttempt = attempt.number
            session.note("\(line.place.text): \(attempt.text)")
        case .executing, .enabled, .state, .firings:
            break
        }
    }

    // MARK: Elements that the stream does not have

    /// Reads elements from the kept output; events wait meanwhile.
    private func readKept(_ count: Int) {
        waiting = []
        let number = streams
        let params: JSONObject = [
            "execution": .string(execution ?? ""), "elements": JSONValue(elements.delivered),
        ]
        session.link.call(Method.executionOutput, RawJSON(.object(params))) { [self] reply in
            // After the loss of a connection, the next stream leaves them out again.
            guard number == streams, !hasEnded else { return }
            if case .failure(let error) = reply, error.isLoss { return }
            deliverKept(count, (try? reply.get())?.value()["output"]?.array ?? [])
            elements.deliver(count)
            let events = waiting ?? []
            waiting = nil
            for event in events where number == streams && !hasEnded { take(event) }
        }
    }

    private func deliverKept(_ count: Int, _ output: [JSONValue]) {
        var left = count
        for part in output where left > 0 {
            if let values = part["elements"]?.array {
                for value in values.prefix(left) {
                    deliver(.element(RawJSON(value), execution: execution ?? ""))
                }
                left -= min(left, values.count)
            } else if let missing = part["missing"]?["elements"]?.int {
                lose(min(left, missing))
                left -= min(left, missing)
            }
        }
        if left > 0 { lose(left) }
    }

    private func lose(_ count: Int?) {
        hasLost = true
        deliver(.lost(count, execution: execution ?? ""))
    }

    // MARK: The end

    private func ended(_ reason: EndReason) {
        stream = nil
        let cause = error?.data?.value()["cause"]?.string
        switch reason {
        case .shutdown where !isWithdrawn:
            lost()
        case .cancelled where cause == "stopping" && error?.data?.value()["startsAgain"]?.bool == true:
            // The next daemon starts it.
            lost()
        case .cancelled where cause == "stopping", .failed where cause == "interrupted":
            cut(reason)
        case .cancelled where hasLostConnection && error?.data?.value()["by"] == .null && cause == nil:
            // It was withdrawn because the connection was lost.
            cut(reason)
        case .completed, .failed, .cancelled, .timedOut, .unsubscribed, .removed, .shutdown, .limit, .revoked,
            .caughtUp:
            // With a job log, the true end counts: the next run must know of it.
            if isWithdrawn, options.resume == nil || reason == .unsubscribed { return end(.interrupted) }
            end(Ending(reason, error, hasLost: hasLost, options.style))
        }
    }

    /// The connection is lost: asks the next daemon what became of the execution.
    private func lost() {
        stream = nil
        guard !isWithdrawn else { return end(.interrupted) }
        guard key != nil else { return end(.unknownEnd(of: execution)) }
        hasLostConnection = true
        start()
    }

    /// The daemon has ended, and the execution with it.
    private func cut(_ reason: EndReason) {
        let ending = Ending(reason, error, hasLost: hasLost, options.style)
        guard executor.keys.areMade, key != nil, !isWithdrawn, repetitions < AttachedLine.mostRepetitions else {
            return end(ending)
        }
        executor.mayRepeat { [self] mayRepeat in
            guard mayRepeat, !isWithdrawn, !hasEnded else { return end(ending) }
            session.note("\(line.place.text) was cut short by the end of the daemon, and is executed again")
            executor.logCut(line, execution ?? "")
            repetitions += 1
            tries += 1
            (execution, hasLostConnection) = (nil, false)
            start()
        }
    }

    private func end(_ ending: Ending) {
        guard !hasEnded else { return }
        hasEnded = true
        stream = nil
        deliver(.end(ending, execution: execution))
    }
}

/// The elements of an execution, over all streams that have them from the first one on.
struct ElementCount {
    /// How many were delivered, or are lost for good.
    private(set) var delivered = 0
    /// How many the present stream has had.
    private var position = 0

    /// Another stream begins with the first element.
    mutating func begin() { position = 0 }

    /// Counts the stream's next element; false if it was delivered before.
    mutating func isNew() -> Bool {
        position += 1
        guard position > delivered else { return false }
        delivered = position
        return true
    }

    /// Counts elements that the stream leaves out, and returns how many of them were not delivered before.
    mutating func skip(_ count: Int) -> Int {
        position += count
        return max(0, position - delivered)
    }

    /// Elements that the stream has left out were delivered in another way, or are lost for good.
    mutating func deliver(_ count: Int) { delivered += count }
}

extension ClientError {
    /// Whether the connection was lost before the answer.
    fileprivate var isLoss: Bool {
        switch self {
        case .closed, .unreachable, .congested: true
        case .refused, .protocolViolation, .tooLarge, .cancelled: false
        }
    }
}

extension Ending {
    /// The connection is lost, and without a key nothing recognizes the execution.
    fileprivate static func unknownEnd(of execution: String?) -> Ending {
        Ending(
            outcome: .failed,
            message: .text(
                "the connection was lost, and with it the end of "
                    + (execution.map { "\($0); `rxctl history` has it if it is kept" } ?? "the execution")),
            facts: ["name": "connectionLost"])
    }
}
