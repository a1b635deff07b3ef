internal import Rx
package import RxHost
internal import RxStreams

/// Elements of sources that cannot wait, in the order of arrival, by the users who have sent them.
///
/// Of more than there is room for, those go that the user has sent who has most there: nobody pushes out what others
/// have sent.
struct UnpacedElements {
    struct Item {
        /// The order of arrival.
        let number: Int
        let element: StreamElement
        let port: Int
    }

    /// What one user has sent, or, without a user, everything else.
    private struct Share {
        let user: ObjectIdentifier?
        var items = Queue<Item>()
        var bytes = 0
    }

    /// Few: only of users that have something here.
    private var shares: [Share] = []
    private(set) var size = InboxSize()

    var isEmpty: Bool { size.elements == 0 }

    var first: Item? { oldest.flatMap { shares[$0].items.first } }

    /// The share with the first item.
    private var oldest: Int? {
        if shares.count == 1 { return shares[0].items.isEmpty ? nil : 0 }
        return shares.indices.min { number(at: $0) < number(at: $1) }
    }

    private func number(at place: Int) -> Int { shares[place].items.first?.number ?? .max }

    mutating func append(_ item: Item) {
        let place = share(of: item.element)
        shares[place].items.append(item)
        note(item, at: place)
    }

    /// Puts back items that come before all others.
    mutating func prepend(_ items: [Item]) {
        var parts: [Int: [Item]] = [:]
        for item in items {
            let place = share(of: item.element)
            parts[place, default: []].append(item)
            note(item, at: place)
        }
        for (place, part) in parts { shares[place].items.prepend(part) }
    }

    private mutating func share(of element: StreamElement) -> Int {
        let user = (element.charge as? any UserCharge)?.user
        if let place = shares.firstIndex(where: { $0.user == user }) { return place }
        shares.append(Share(user: user))
        return shares.count - 1
    }

    private mutating func note(_ item: Item, at place: Int) {
        shares[place].bytes += item.element.size
        size.elements += 1
        size.bytes += item.element.size
    }

    @discardableResult
    mutating func removeFirst() -> Item? { oldest.flatMap { remove(at: $0) } }

    /// Removes the first item of the user with most elements.
    mutating func removeOfMostElements() -> Item? {
        shares.indices.max { shares[$0].items.count < shares[$1].items.count }.flatMap { remove(at: $0) }
    }

    /// Removes the first item of the user with most bytes.
    mutating func removeOfMostBytes() -> Item? {
        shares.indices.max { shares[$0].bytes < shares[$1].bytes }.flatMap { remove(at: $0) }
    }

    private mutating func remove(at place: Int) -> Item? {
        guard let item = shares[place].items.removeFirst() else { return nil }
        shares[place].bytes -= item.element.size
        size.elements -= 1
        size.bytes -= item.element.size
        // One stays, with its memory.
        if shares[place].items.isEmpty, shares.count > 1 { shares.remove(at: place) }
        return item
    }
}

extension MemoryCharge: UserCharge {
    /// The charge keeps the user's memory, so no other one has its address meanwhile.
    package var user: ObjectIdentifier { ObjectIdentifier(memory) }
}
