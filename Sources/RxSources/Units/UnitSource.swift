public import RxJSON
internal import RxPlatform
public import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue of the buses.
/// Emits the state of a unit, or of each unit that matches a glob: at the start, and after each change. `UnitState`
/// describes the elements; two in succession for the same unit differ. A level: changes while there is no connection,
/// or that systemd reports together, are one.
///
/// A unit that does not exist is `inactive`, its `sub` is `not-found`. A glob observes loaded units: one that systemd
/// loads is emitted when it does something, and one that systemd forgets is emitted as `inactive`, if it was not.
///
/// `stop` must not be called within a call of the receiver.
public final class UnitSource: StreamSource, BusUser, @unchecked Sendable {
    /// The time until systemd is tried again, if it refuses a call.
    static let retryTime = Duration.seconds(30)
    /// The most properties that are read at once. The bus limits the replies that a connection waits for.
    static let mostReads = 32

    private let pattern: UnitPattern
    private let buses: BusConnections
    private var receiver: (any SourceReceiver)?
    private var table: UnitTable
    private var owner: BusNameOwner?
    private var matches: [any BusMatch] = []
    private var matchedPath: String?
    /// The properties to read, the next one last.
    private var reads: [UnitTable.Read] = []
    private var readsUnderWay = 0
    private var timer: QueueTimer?
    private var waiting = WaitingReport()
    /// Identifies the replies to what was asked since the last connection to systemd.
    private var round = 0

    /// A source of the states of units of the daemon's systemd: the machine's, or that of its user.
    public init(_ pattern: UnitPattern, of buses: BusConnections) {
        self.pattern = pattern
        self.buses = buses
        table = UnitTable(pattern)
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        buses.queue.async { [self] in
            self.receiver = receiver
            buses.connection(to: buses.unitBus).attach(self)
        }
    }

    public func settled(through position: RawJSON?) {}

    public func stop() {
        buses.queue.run {
            guard receiver != nil else { return }
            receiver = nil
            drop()
            buses.connection(to: buses.unitBus).detach(self)
        }
    }

    // MARK: The connection

    func connected(to link: any BusLink) {
        drop()
        owner = BusNameOwner(
            of: UnitCalls.name, on: link, failed: { [weak self] in self?.failed($0, on: link) },
            changed: { [weak self] in self?.ownerChanged($0.owner, on: link) })
    }

    func disconnected(_ reason: String) {
        drop()
        waiting.report(reason, to: receiver)
    }

    private func drop() {
        unwatch()
        owner?.cancel()
        owner = nil
    }

    private func unwatch() {
        round += 1
        for match in matches { match.remove() }
        matches = []
        matchedPath = nil
        reads = []
        readsUnderWay = 0
        timer?.cancel()
        timer = nil
        table.disconnected()
    }

    private func failed(_ failure: BusFailure, on link: any BusLink) {
        unwatch()
        waiting.report("systemd does not report the states of units: \(failure)", to: receiver)
        // Everything belongs to the queue; with another connection the timer is canceled.
        nonisolated(unsafe) let link = link
        timer = buses.queue.async(after: Self.retryTime) { [weak self] in self?.connected(to: link) }
    }

    // MARK: Systemd

    /// Systemd has come to the bus, left it, or come back: for example, after `daemon-reexec`.
    private func ownerChanged(_ owner: String?, on link: any BusLink) {
        unwatch()
        guard owner != nil else {
            return waiting.report("systemd is not on the \(buses.unitBus.text)", to: receiver)
        }
        guard !pattern.isGlob else { return watch(path: nil, on: link) }
        // The name may be one of several of the unit, which has one path.
        call(UnitCalls.list(pattern), on: link) { source, reply in
            source.watch(path: UnitCalls.units(in: reply).first?.path, on: link)
        }
    }

    /// Calls systemd, and `body` with the reply, unless the request is outdated.
    private func call(
        _ call: BusCall, on link: any BusLink, _ body: @escaping (UnitSource, [JSONValue]) -> Void
    ) {
        link.call(call) { [weak self, round] result in
            guard let self, round == self.round else { return }
            switch result {
            case .success(let reply): body(self, reply)
            case .failure(let failure) where failure.name == UnitCalls.alreadySubscribed: body(self, [])
            case .failure(let failure): failed(failure, on: link)
            }
        }
    }

    /// Asks for signals, and then for the states: what changes in between is known twice rather than not at all.
    private func watch(path: String?, on link: any BusLink) {
        matchedPath = path
        let place = path.map { "path='\($0)'" } ?? "path_namespace='\(UnitPath.parent)'"
        let systemd = "type='signal',sender='\(UnitCalls.name)'"
        let rules =
            ["UnitNew", "UnitRemoved", "Reloading"].map {
                "\(systemd),path='\(UnitCalls.path)',interface='\(UnitCalls.manager)',member='\($0)'"
            } + ["\(systemd),\(place),interface='\(UnitCalls.properties)',member='PropertiesChanged'"]
        var missing = rules.count
        matches = rules.map { rule in
            link.match(
                rule,
                installed: { [weak self, round] failure in
                    guard let self, round == self.round else { return }
                    if let failure { return failed(failure, on: link) }
                    missing -= 1
                    guard missing == 0 else { return }
                    call(UnitCalls.subscribe, on: link) { source, _ in source.list(on: link) }
                }, { [weak self] in self?.received($0, on: link) })
        }
    }

    private func list(on link: any BusLink) {
        call(UnitCalls.list(pattern), on: link) { source, reply in
            let units = UnitCalls.units(in: reply)
            // After a reload, the name may be that of another unit.
            if !source.pattern.isGlob, let path = units.first?.path, path != source.matchedPath {
                return source.ownerChanged(source.owner?.owner, on: link)
            }
            source.buses.connection(to: source.buses.unitBus).works()
            source.waiting.report(nil, to: source.receiver)
            source.take(source.table.listed(units), on: link)
        }
    }

    private func received(_ message: BusMessage, on link: any BusLink) {
        // Any program may send a signal that looks like systemd's.
        guard receiver != nil, message.sender == owner?.owner, let arguments = try? message.arguments.get() else {
            return
        }
        switch (message.interface, message.member) {
        case (UnitCalls.properties, "PropertiesChanged"):
            guard arguments.count >= 2, let interface = arguments[0].string else { return }
            emit(table.changed(message.path, interface, arguments[1]))
        case (UnitCalls.manager, "UnitNew"):
            guard arguments.count == 2, let unit = arguments[0].string, let path = arguments[1].string,
                pattern.holds(for: unit) || path == matchedPath
            else { return }
            call(UnitCalls.listLoaded(unit), on: link) { source, reply in
                for unit in UnitCalls.units(in: reply) { source.take(source.table.loaded(unit), on: link) }
            }
        case (UnitCalls.manager, "UnitRemoved"):
            guard arguments.count == 2, let path = arguments[1].string else { return }
            emit(table.removed(path))
        case (UnitCalls.manager, "Reloading"):
            // With true as it begins, with false when it is over.
            if arguments.first?.bool == false { list(on: link) }
        case _:
            return
        }
    }

    // MARK: States

    private func take(_ result: (elements: [RawJSON], reads: [UnitTable.Read]), on link: any BusLink) {
        emit(result.elements)
        reads.insert(contentsOf: result.reads.reversed(), at: 0)
        readOn(link)
    }

    private func readOn(_ link: any BusLink) {
        while readsUnderWay < Self.mostReads, let read = reads.popLast() {
            readsUnderWay += 1
            link.call(UnitCalls.get(read.property, of: read.interface, at: read.path)) { [weak self, round] result in
                guard let self, round == self.round else { return }
                readsUnderWay -= 1
                emit(table.read(read, (try? result.get())?.first))
                readOn(link)
            }
        }
    }

    private func emit(_ states: [RawJSON]) {
        guard let receiver, !states.isEmpty else { return }
        let time = Instant(microseconds: buses.clock.milliseconds * 1000)
        receiver.receive(states.map { SourceElement(value: $0, time: time) })
    }
}
