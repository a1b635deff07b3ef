/// An object that collects work during a turn and performs it once at the end: an outbox that writes one batch.
public protocol TurnEnd: AnyObject {
    /// Called on the loop's thread after everything else in the turn.
    func turnEnded()
}

/// The objects waiting for the end of the turn, in order and without duplicates.
struct TurnEndList {
    private var waiting: [any TurnEnd] = []
    private var members: Set<ObjectIdentifier> = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func insert(_ object: any TurnEnd) {
        // The common case is one object with repeated requests.
        if let last = waiting.last, last === object { return }
        if members.insert(ObjectIdentifier(object)).inserted { waiting.append(object) }
    }

    /// Adds an object that is known not to be in the list.
    mutating func append(_ object: any TurnEnd) { waiting.append(object) }

    /// Exchanges the collected objects for an empty array, whose capacity is reused. Later requests apply to the next
    /// turn.
    mutating func take(into array: inout [any TurnEnd]) {
        if !members.isEmpty { members.removeAll(keepingCapacity: true) }
        swap(&waiting, &array)
    }
}
