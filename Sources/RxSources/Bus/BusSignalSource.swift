public import RxJSON
internal import RxPlatform
public import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue of the buses.
/// Emits `{"sender":":1.7","path":"/org/example","arguments":[…]}` for each broadcast signal that matches a rule.
/// `BusValueReader` describes the arguments.
///
/// An unprivileged daemon receives broadcast signals only: none that is sent to another connection. The source cannot
/// wait and has no positions. Signals that are sent while there is no connection are lost.
///
/// `stop` must not be called within a call of the receiver.
public final class BusSignalSource: StreamSource, BusUser, @unchecked Sendable {
    /// The time until a match is tried again that the bus refused, because a connection has too many of them, or whose
    /// sender the bus did not report.
    static let retryTime = Duration.seconds(60)

    private let rule: BusSignalRule
    private let bus: BusKind
    private let buses: BusConnections
    private var receiver: (any SourceReceiver)?
    private var match: (any BusMatch)?
    private var owner: BusNameOwner?
    private var timer: QueueTimer?
    private var waiting = WaitingReport()

    /// A source of the signals of the machine's bus, or of that of the daemon's user.
    public init(_ rule: BusSignalRule, system: Bool = true, of buses: BusConnections) {
        self.rule = rule
        bus = system ? .system : .user
        self.buses = buses
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        buses.queue.async { [self] in
            self.receiver = receiver
            buses.connection(to: bus).attach(self)
        }
    }

    public func settled(through position: RawJSON?) {}

    public func stop() {
        buses.queue.run {
            guard receiver != nil else { return }
            receiver = nil
            drop()
            buses.connection(to: bus).detach(self)
        }
    }

    func connected(to link: any BusLink) {
        drop()
        if let sender = rule.sender, BusNameOwner.isNeeded(for: sender) {
            owner = BusNameOwner(
                of: sender, on: link, failed: { [weak self] in self?.failed($0, on: link) },
                changed: { [weak self] owner in self?.ownerChanged(owner, on: link) })
        } else {
            listen(on: link)
        }
    }

    func disconnected(_ reason: String) {
        drop()
        waiting.report(reason, to: receiver)
    }

    /// A sender that does not run yet, or restarts, is no reason to wait: its signals come when it runs.
    private func ownerChanged(_ owner: BusNameOwner, on link: any BusLink) {
        if match == nil { listen(on: link) }
    }

    private func listen(on link: any BusLink) {
        match = link.match(
            rule.text,
            installed: { [weak self] failure in
                guard let self else { return }
                if let failure { return failed(failure, on: link) }
                buses.connection(to: bus).works()
                waiting.report(nil, to: receiver)
            }, { [weak self] in self?.received($0) })
    }

    private func failed(_ failure: BusFailure, on link: any BusLink) {
        waiting.report("the \(bus.text) does not serve the match \(rule.text): \(failure)", to: receiver)
        // Everything belongs to the queue; with another connection the timer is canceled.
        nonisolated(unsafe) let link = link
        timer = buses.queue.async(after: Self.retryTime) { [weak self] in self?.connected(to: link) }
    }

    private func drop() {
        match?.remove()
        match = nil
        owner?.cancel()
        owner = nil
        timer?.cancel()
        timer = nil
    }

    private func received(_ message: BusMessage) {
        guard let receiver, rule.holds(for: message, owner: owner?.owner) else { return }
        switch message.arguments {
        case .failure(let failure):
            let signal = "\(message.interface).\(message.member) of \(message.sender)"
            receiver.report(error: "the signal \(signal) cannot be an element: \(failure)", element: nil)
        case .success(let arguments):
            var writer = JSONWriter()
            writer.object { object in
                object.field("sender", message.sender)
                object.field("path", message.path)
                object.field("arguments", JSONValue.array(arguments))
            }
            let time = Instant(microseconds: buses.clock.milliseconds * 1000)
            receiver.receive([SourceElement(value: RawJSON(unchecked: writer.bytes), time: time)])
        }
    }
}
