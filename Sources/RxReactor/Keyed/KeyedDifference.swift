extension KeyedChanges {
    /// Appends the steps from one part of a list to another. The part begins at `offset` in both lists.
    @inlinable mutating func append(
        from old: ArraySlice<Element>, to new: ArraySlice<Element>, offset: Int, by areEqual: (Element, Element) -> Bool
    ) {
        var head = 0
        let shorter = min(old.count, new.count)
        while head < shorter, old[old.startIndex + head].id == new[new.startIndex + head].id { head += 1 }
        var tail = 0
        while tail < shorter - head, old[old.endIndex - 1 - tail].id == new[new.endIndex - 1 - tail].id { tail += 1 }

        var updates: [Step] = []
        for index in 0..<head where !areEqual(old[old.startIndex + index], new[new.startIndex + index]) {
            updates.append(.update(new[new.startIndex + index], at: offset + index))
        }
        let middle = KeyedMiddle(
            old: old.dropFirst(head).dropLast(tail), new: new.dropFirst(head).dropLast(tail), offset: offset + head)
        middle.appendSteps(to: &taken)
        for (index, source) in middle.sources.enumerated() {
            guard let source, !areEqual(middle.old[source], middle.new[index]) else { continue }
            updates.append(.update(middle.new[index], at: offset + head + index))
        }
        for index in stride(from: tail, to: 0, by: -1)
        where !areEqual(old[old.endIndex - index], new[new.endIndex - index]) {
            updates.append(.update(new[new.endIndex - index], at: offset + new.count - index))
        }
        taken += updates
    }
}

/// The parts of two lists in which the identities differ.
@usableFromInline
struct KeyedMiddle<Element: Identifiable> {
    @usableFromInline let old: [Element]
    @usableFromInline let new: [Element]
    @usableFromInline let offset: Int
    /// The old position of each element of the new list; nil for a new element.
    @usableFromInline let sources: [Int?]
    @usableFromInline let survives: [Bool]

    @inlinable init(old: ArraySlice<Element>, new: ArraySlice<Element>, offset: Int) {
        self.old = Array(old)
        self.new = Array(new)
        self.offset = offset
        var places: [Element.ID: Int] = [:]
        if !new.isEmpty { for (index, element) in old.enumerated() { places[element.id] = index } }
        var survives = [Bool](repeating: false, count: old.count)
        sources = new.map { element in
            guard let place = places.removeValue(forKey: element.id) else { return nil }
            survives[place] = true
            return place
        }
        self.survives = survives
    }

    @inlinable func appendSteps(to steps: inout [KeyedChanges<Element>.Step]) {
        for index in old.indices.reversed() where !survives[index] {
            steps.append(.delete(old[index].id, at: offset + index))
        }
        // The remaining elements, numbered in the old order.
        var numbers = [Int](repeating: 0, count: old.count)
        var count = 0
        for index in old.indices where survives[index] {
            numbers[index] = count
            count += 1
        }
        let order = sources.map { $0.map { numbers[$0] } }
        let stays = LongestIncrease.members(of: order, below: count)
        var walk = KeyedWalk(order: order, stays: stays)
        for (index, number) in order.enumerated() {
            switch walk.place(number, at: index) {
            case .stays: break
            case .comes(let place): steps.append(.insert(new[index], at: offset + place))
            case .moves(let from, let to): steps.append(.move(new[index].id, from: offset + from, to: offset + to))
            }
        }
    }
}
