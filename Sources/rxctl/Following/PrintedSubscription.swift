internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints the records of a subscription, and ends the session when it ends.
final class PrintedSubscription {
    private let session: DaemonSession
    private let command: SubscribeCommand
    private let subscription: FollowedSubscription
    /// What records are for people; nil if they are printed as they are.
    private var lines: EventLines?
    private var isOpen = false
    private var printed = 0

    init(_ session: DaemonSession, _ command: SubscribeCommand, _ request: SubscribeRequest) {
        self.session = session
        self.command = command
        lines = command.showsLines ? EventLines(names: command.names, channels: command.channels?.channels ?? []) : nil
        subscription = FollowedSubscription(
            session, request,
            FollowedSubscription.Policy(
                strict: command.strict, channels: command.channels(for:), cursorFile: command.cursorFile))
    }

    func start() {
        subscription.onOpen = opened
        subscription.onEvent = receive
        subscription.start()
    }

    private func opened(_ reply: RawJSON, _ reconnection: Reconnection?) {
        if command.snapshot, !isOpen { printSnapshot(reply.without("subscription")) }
        isOpen = true
        if let reconnection {
            let record = reconnection.record
            // A reader of events has no use for it, unless `--channel` has `reconnect`.
            if command.showsReconnections {
                print(record)
            } else {
                StandardStreams.writeError(record)
            }
            if !reconnection.isResumed, command.strict { return finishLossy() }
            if command.showsReconnections { leaveIfMet(record) }
        }
        // A reader that is stopped before its first event begins here again.
        subscription.cursor.map(session.reach)
    }

    private func receive(_ event: StreamEvent) {
        guard !session.isOver else { return }
        if event.reason == .caughtUp {
            event.cursor.map(session.reach)
            return session.finish()
        }
        let shown = command.values ? value(event) : event.record
        var isNew = true
        if let shown {
            isNew = print(shown)
        } else {
            StandardStreams.writeError(event.record)
        }
        event.cursor.map(session.reach)
        if event.channel == .lag, command.strict { return finishLossy() }
        if let shown, isNew {
            printed += 1
            leaveIfMet(shown)
            if printed == command.count { session.finish() }
        }
        if event.channel == .end { session.finish(.ended(event.reason ?? .completed)) }
    }

    /// - Returns: whether it is new.
    @discardableResult
    private func print(_ record: RawJSON) -> Bool {
        guard let line = lines?.line(record, width: TerminalWidth.ofTable) else { return session.print(record) }
        session.print(lines: [line])
        return true
    }

    private func printSnapshot(_ reply: RawJSON) {
        guard lines != nil else { return _ = session.print(reply) }
        session.print(lines: FactLines.lines(of: reply.value(), width: TerminalWidth.ofTable))
    }

    private func value(_ event: StreamEvent) -> RawJSON? {
        switch (event.channel, event.content) {
        case (.lag, _), (.end, _): nil
        case (.state, .patch): event.patchAndRevision
        case (.elements, _), (.errors, _), (.executing, _), (.enabled, _), (.executions, _), (.state, _), (.firings, _):
            event.value
        }
    }

    private func leaveIfMet(_ record: RawJSON) {
        guard let until = command.until, until.holds(for: record, onFailure: session.note) else { return }
        session.finish()
    }

    private func finishLossy() {
        session.finish(
            Ending(
                outcome: .eventsLost, message: .text("events were lost"), facts: ["name": "eventsLost"]))
    }
}

extension DaemonSession {
    /// Ends the command when `duration` has passed.
    func timeOut(after duration: DurationArgument) {
        schedule(after: duration.duration) { [self] in
            finish(
                Ending(
                    outcome: .timedOut, message: .text("timed out after \(duration.text)"),
                    facts: ["name": .string(ErrorCode.timedOut.name)]))
        }
    }
}

extension RawJSON {
    /// The object without one of its members.
    func without(_ key: String) -> RawJSON {
        guard var object = value().object else { return self }
        object[key] = nil
        return RawJSON(.object(object))
    }
}
