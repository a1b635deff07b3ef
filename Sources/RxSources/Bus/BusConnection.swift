internal import RxPlatform
internal import RxStreams

/// What uses a connection to a bus. Called on the queue of the connection.
protocol BusUser: AnyObject {
    /// There is a connection, with nothing of an earlier one.
    func connected(to link: any BusLink)
    /// There is no connection, for this reason; everything that was made with the last one is gone.
    func disconnected(_ reason: String)
}

// Sendable: everything belongs to the queue.
/// The connection to one bus, which its users share: open while it has a user, and opened again after it was lost.
final class BusConnection: @unchecked Sendable {
    /// The delays between attempts: a bus restarts within a second, and one that is missing costs an attempt a minute.
    static let retry = DoublingDelay(first: .seconds(1), longest: .seconds(60))

    private let bus: BusKind
    private let system: any BusSystem
    private let queue: WorkQueue
    private var users: [any BusUser] = []
    private var state = State.closed
    private var delay = retry
    /// The number of attempts, which identifies the current one.
    private var attempt = 0

    private enum State {
        case closed
        case open(any BusLink)
        case waiting(QueueTimer, reason: String)
    }

    init(_ bus: BusKind, _ system: any BusSystem, on queue: WorkQueue) {
        self.bus = bus
        self.system = system
        self.queue = queue
    }

    /// Adds a user, and calls it with the connection or with the reason why there is none.
    func attach(_ user: any BusUser) {
        users.append(user)
        switch state {
        case .closed: open()
        case .open(let link): user.connected(to: link)
        case .waiting(_, let reason): user.disconnected(reason)
        }
    }

    /// Removes a user, which must have removed what it made. Without users the connection is closed.
    func detach(_ user: any BusUser) {
        users.removeAll { $0 === user }
        guard users.isEmpty else { return }
        switch state {
        case .closed: return
        case .open(let link): link.close()
        case .waiting(let timer, _): timer.cancel()
        }
        state = .closed
        delay.reset()
    }

    /// A user has received a reply: the connection works.
    func works() { delay.reset() }

    private func open() {
        attempt += 1
        do throws(BusFailure) {
            let link = try system.open(bus, on: queue) { [weak self, attempt] in self?.lost($0, attempt) }
            state = .open(link)
            for user in users { user.connected(to: link) }
        } catch {
            wait("cannot connect to the \(bus.text): \(error); is the package dbus installed, and does it run?")
        }
    }

    private func lost(_ failure: BusFailure, _ attempt: Int) {
        guard attempt == self.attempt, case .open = state else { return }
        wait("the connection to the \(bus.text) was lost: \(failure)")
    }

    private func wait(_ reason: String) {
        let timer = queue.async(after: delay.next()) { [weak self] in self?.retryNow() }
        state = .waiting(timer, reason: reason)
        for user in users { user.disconnected(reason) }
    }

    private func retryNow() {
        guard case .waiting = state else { return }
        state = .closed
        open()
    }
}
