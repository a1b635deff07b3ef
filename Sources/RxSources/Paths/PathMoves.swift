/// Joins the halves of moves: which entry each name was moved from, according to the kernel's cookies.
///
/// These are claims, from events alone. Whoever looks at the name decides whether they still hold.
final class PathMoves {
    typealias ID = PathEntry.ID

    /// What was moved.
    enum Origin {
        case entry(ID)
        /// A path relative to the root that has no entry: a file that was not looked at, or that is not emitted.
        case path([UInt8])
    }

    /// What has left a name and not arrived anywhere yet.
    private struct Flight {
        var origin: Origin
        /// The hints of the file, which move with it.
        var hints: PathEntry.Hints
        var deadline: Duration
    }

    private let index: PathIndex
    private let dirty: DirtyPaths
    private let kernel: any FileKernel
    private var flights: [UInt32: Flight] = [:]
    private var order: [UInt32] = []
    private var origins: [ID: Origin] = [:]
    private var targets: [ID: ID] = [:]

    private var tree: PathTree { index.tree }

    init(index: PathIndex, dirty: DirtyPaths, kernel: any FileKernel) {
        self.index = index
        self.dirty = dirty
        self.kernel = kernel
    }

    /// When the next flight ends.
    var deadline: Duration? { order.first.flatMap { flights[$0]?.deadline } }

    /// What was moved to a name, as far as is known.
    func origin(of slot: ID) -> Origin? { origins[slot] }

    // MARK: Events

    /// Something was moved away from a name.
    func left(_ directory: ID, _ name: UnsafeRawBufferPointer, cookie: UInt32) {
        let slot = tree.find(directory, name)
        var origin = Origin.path(index.relative(directory, name))
        if let slot {
            if let claimed = origins.removeValue(forKey: slot) {
                // Through this name to another one.
                origin = claimed
                if case .entry(let id) = claimed { targets[id] = nil }
                dirty.mark(slot, .removed)
            } else if tree[slot].isCandidate || tree[slot].flags.contains(.departed) {
                dirty.mark(slot, .removed)
            } else {
                tree[slot].flags.insert(.departed)
                origin = .entry(slot)
            }
        }
        let hints = slot.map { tree[$0].hints.intersection([.created, .written, .attributes]) } ?? []
        if let slot { tree[slot].hints.subtract(hints) }
        flights[cookie] = Flight(origin: origin, hints: hints, deadline: kernel.uptime + DirtyPaths.patience)
        order.append(cookie)
    }

    /// Something was moved to a name.
    ///
    /// - Parameter slot: the name; nil if it is not kept.
    func arrived(_ slot: ID?, cookie: UInt32) {
        if let slot { release(slot) }
        guard let flight = take(cookie) else {
            if let slot { dirty.mark(slot, .arrived) }
            return
        }
        guard let slot else { return miss(flight.origin) }
        if case .entry(slot) = flight.origin {
            // Back where it was.
            tree[slot].flags.remove(.departed)
        } else {
            origins[slot] = flight.origin
            if case .entry(let id) = flight.origin { targets[id] = slot }
        }
        // What was known of the name is over.
        tree[slot].hints.subtract([.created, .written, .attributes, .removed])
        dirty.mark(slot, flight.hints.union(.arrived))
    }

    // MARK: Looks

    /// Ends the claim on what was moved to a name. If it was an entry, that one is looked at.
    func release(_ slot: ID) {
        guard let origin = origins.removeValue(forKey: slot) else { return }
        if case .entry(let id) = origin { targets[id] = nil }
        miss(origin)
    }

    /// An entry is where it was moved to.
    func fulfil(_ id: ID) {
        tree[id].flags.remove(.departed)
        if let slot = targets.removeValue(forKey: id) { origins[slot] = nil }
    }

    /// An entry is taken as gone, wherever it is. What it was moved to is new.
    func disown(_ id: ID) {
        tree[id].flags.remove(.departed)
        if let slot = targets.removeValue(forKey: id) { origins[slot] = nil }
        for (cookie, flight) in flights {
            if case .entry(id) = flight.origin { flights[cookie]?.origin = .path(index.relative(id)) }
        }
    }

    /// A name has another entry.
    func transfer(from slot: ID, to other: ID) {
        guard let origin = origins.removeValue(forKey: slot) else { return }
        origins[other] = origin
        if case .entry(let id) = origin { targets[id] = other }
    }

    /// An entry is released.
    func forget(_ id: ID) {
        release(id)
        if tree[id].flags.contains(.departed) { disown(id) }
    }

    /// Ends flights that are due: what has left is gone.
    func expire() {
        let now = kernel.uptime
        while let cookie = order.first, flights[cookie].map({ $0.deadline <= now }) ?? true {
            order.removeFirst()
            if let flight = flights.removeValue(forKey: cookie) { miss(flight.origin) }
        }
    }

    func removeAll() { (flights, order, origins, targets) = ([:], [], [:], [:]) }

    private func take(_ cookie: UInt32) -> Flight? {
        guard let flight = flights.removeValue(forKey: cookie) else { return nil }
        // The last one, as a rule.
        if let place = order.lastIndex(of: cookie) { order.remove(at: place) }
        return flight
    }

    private func miss(_ origin: Origin) {
        guard case .entry(let id) = origin else { return }
        tree[id].flags.remove(.departed)
        dirty.mark(id, .expired)
    }
}
