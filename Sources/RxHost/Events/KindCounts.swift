/// A number for each kind that rings keep.
struct KindCounts: Sendable, Hashable {
    var elements: UInt64 = 0
    var errors: UInt64 = 0
    var executions: UInt64 = 0
    var firings: UInt64 = 0
    var drops: UInt64 = 0

    /// Nobody knows how many of any kind.
    static let unknown = KindCounts(
        elements: .max, errors: .max, executions: .max, firings: .max, drops: .max)

    mutating func update(_ kind: EventKinds, _ body: (inout UInt64) -> Void) {
        switch kind {
        case .elements: body(&elements)
        case .errors: body(&errors)
        case .executions: body(&executions)
        case .firings: body(&firings)
        case .drops: body(&drops)
        default: break
        }
    }

    func of(_ kinds: EventKinds, _ body: (UInt64) -> Void) {
        if kinds.contains(.elements) { body(elements) }
        if kinds.contains(.errors) { body(errors) }
        if kinds.contains(.executions) { body(executions) }
        if kinds.contains(.firings) { body(firings) }
        if kinds.contains(.drops) { body(drops) }
    }

    /// The newest of some kinds, of what is not after `other` for each kind.
    func newest(of kinds: EventKinds, upTo other: KindCounts) -> UInt64 {
        var newest: UInt64 = 0
        for kind in EventKinds.kept where kinds.contains(kind) {
            newest = max(newest, min(self.newest(of: kind), other.newest(of: kind)))
        }
        return newest
    }

    func sum(of kinds: EventKinds) -> UInt64 {
        var sum: UInt64 = 0
        of(kinds) { sum += $0 }
        return sum
    }

    func newest(of kinds: EventKinds) -> UInt64 {
        var newest: UInt64 = 0
        of(kinds) { newest = max(newest, $0) }
        return newest
    }
}
