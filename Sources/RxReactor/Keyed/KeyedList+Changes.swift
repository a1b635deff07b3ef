extension KeyedChanges {
    /// Computes the steps from `old` to `new` without comparing what the lists share. Updates cost the chunks that
    /// contain them; other changes cost the range between the first and the last one.
    @inlinable public init(
        from old: KeyedList<Element>, to new: KeyedList<Element>, by areEqual: (Element, Element) -> Bool
    ) {
        self.init()
        if let updates = KeyedChanges.updates(from: old, to: new, by: areEqual) {
            taken = updates
            return
        }
        let shorter = min(old.chunks.count, new.chunks.count)
        var head = 0
        while head < shorter, old.chunks[head] === new.chunks[head] { head += 1 }
        var tail = 0
        while tail < shorter - head,
            old.chunks[old.chunks.count - 1 - tail] === new.chunks[new.chunks.count - 1 - tail]
        { tail += 1 }
        append(
            from: KeyedChanges.elements(of: old.chunks.dropFirst(head).dropLast(tail))[...],
            to: KeyedChanges.elements(of: new.chunks.dropFirst(head).dropLast(tail))[...],
            offset: old.chunks.prefix(head).reduce(0) { $0 + $1.elements.count }, by: areEqual)
    }

    @inlinable static func elements(of chunks: ArraySlice<KeyedList<Element>.Chunk>) -> [Element] {
        chunks.flatMap(\.elements)
    }

    /// The updates, or nil if more than values has changed.
    @inlinable static func updates(
        from old: KeyedList<Element>, to new: KeyedList<Element>, by areEqual: (Element, Element) -> Bool
    ) -> [Step]? {
        guard old.count == new.count, old.numbers == new.numbers else { return nil }
        var updates: [Step] = []
        for (index, (before, after)) in zip(old.chunks, new.chunks).enumerated() where before !== after {
            guard before.elements.count == after.elements.count else { return nil }
            for (offset, (left, right)) in zip(before.elements, after.elements).enumerated() {
                if left.id != right.id { return nil }
                if !areEqual(left, right) { updates.append(.update(right, at: new.starts[index] + offset)) }
            }
        }
        return updates
    }
}

extension KeyedChanges where Element: Equatable {
    /// Computes the steps from `old` to `new`, comparing elements with `==`, without comparing what the lists share.
    @inlinable public init(from old: KeyedList<Element>, to new: KeyedList<Element>) {
        self.init(from: old, to: new, by: ==)
    }
}
