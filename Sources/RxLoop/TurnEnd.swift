/// Something that gathers work during a turn and does it once at the turn's end: an outbox that writes one batch.
public protocol TurnEnd: AnyObject {
    /// Called on the loop's thread after everything else of the turn.
    func turnEnded()
}

/// The objects waiting for the end of the turn, each once, in the order they asked.
struct TurnEndList {
    private var waiting: [any TurnEnd] = []
    private var members: Set<ObjectIdentifier> = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func insert(_ object: any TurnEnd) {
        // One object asking again and again is the common case.
        if let last = waiting.last, last === object { return }
        if members.insert(ObjectIdentifier(object)).inserted { waiting.append(object) }
    }

    /// For an object that knows that it has not asked yet.
    mutating func append(_ object: any TurnEnd) { waiting.append(object) }

    /// Exchanges what has gathered for an empty array, whose room is used next. Objects that ask from now on wait for the
    /// next turn.
    mutating func take(into array: inout [any TurnEnd]) {
        if !members.isEmpty { members.removeAll(keepingCapacity: true) }
        swap(&waiting, &array)
    }
}
