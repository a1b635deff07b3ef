extension JSONPatch {
    /// Computes the operations that change `old` into `new`. The cost follows the size of the change: parts that share
    /// storage, such as copies changed elsewhere, are not compared.
    ///
    /// Objects are compared member by member. Elements of arrays are matched by their member `id`, `key`, or `name`:
    /// the first of these that is a scalar in all elements and unique in each array. Elements are then removed, moved
    /// as rarely as possible, added, and compared one by one. Without such a member, elements are matched by position,
    /// after excluding a common prefix and suffix. If the new value is not longer than its changes, it is replaced as a
    /// whole.
    public init(from old: JSONValue, to new: JSONValue) {
        var difference = Difference()
        difference.compare(old, new)
        operations = difference.operations
    }
}

/// The operations found so far and their approximate length.
struct Difference {
    private enum Step {
        case key(String)
        case index(Int)
    }

    private(set) var operations: [JSONPatch.Operation] = []
    /// The approximate length of the operations as JSON.
    private var bytes = 0
    /// The path of the current comparison.
    private var path: [Step] = []

    mutating func compare(_ old: JSONValue, _ new: JSONValue) {
        let (count, before) = (operations.count, bytes)
        switch (old, new) {
        case (.array(let old), .array(let new)):
            if old.sharesStorage(with: new) { return }
            compareArrays(old, new)
        case (.object(let old), .object(let new)):
            if old.sharesStorage(with: new) { return }
            compareMembers(old, new)
        case (.array, _), (.object, _), (.null, _), (.bool, _), (.number, _), (.string, _):
            if old != new { append(.replace(pointer, new), value: new) }
            return
        }
        guard operations.count > count else { return }
        let spent = bytes - before
        let room = spent - Self.operationBytes - pathBytes
        guard room > 0, new.bytes(upTo: room) < room else { return }
        operations.removeSubrange(count...)
        bytes = before
        append(.replace(pointer, new), value: new)
    }

    private mutating func compareMembers(_ old: JSONObject, _ new: JSONObject) {
        for (place, member) in old.members.enumerated() where new.place(of: member.key, near: place) == nil {
            inside(.key(member.key)) { $0.append(.remove($0.pointer)) }
        }
        for (place, member) in new.members.enumerated() {
            if let place = old.place(of: member.key, near: place) {
                let old = old.members[place].value
                inside(.key(member.key)) { $0.compare(old, member.value) }
            } else {
                inside(.key(member.key)) { $0.append(.add($0.pointer, member.value), value: member.value) }
            }
        }
    }

    private mutating func compareArrays(_ old: [JSONValue], _ new: [JSONValue]) {
        let least = min(old.count, new.count)
        var start = 0
        while start < least, old[start] == new[start] { start += 1 }
        var end = 0
        while end < least - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let (old, new) = (old[start..<old.count - end], new[start..<new.count - end])
        if !old.isEmpty, !new.isEmpty, let change = ArrayDifference(from: old, to: new) {
            apply(change, new, at: start)
            return
        }
        for place in start..<min(old.endIndex, new.endIndex) {
            inside(.index(place)) { $0.compare(old[place], new[place]) }
        }
        for place in (new.endIndex..<max(old.endIndex, new.endIndex)).reversed() { remove(at: place) }
        for place in old.endIndex..<max(old.endIndex, new.endIndex) { add(new[place], at: place) }
    }

    private mutating func apply(_ change: ArrayDifference, _ new: ArraySlice<JSONValue>, at start: Int) {
        for step in change.steps {
            switch step {
            case .remove(let place): remove(at: start + place)
            case .add(let element, let place): add(new[start + element], at: start + place)
            case .move(let from, let place):
                let from = inside(.index(start + from)) { $0.pointer }
                inside(.index(start + place)) { $0.append(.move(from: from, to: $0.pointer)) }
            }
        }
        for (place, old) in change.matched { inside(.index(start + place)) { $0.compare(old, new[start + place]) } }
    }

    private mutating func remove(at place: Int) {
        inside(.index(place)) { $0.append(.remove($0.pointer)) }
    }

    private mutating func add(_ value: JSONValue, at place: Int) {
        inside(.index(place)) { $0.append(.add($0.pointer, value), value: value) }
    }

    // MARK: Places and lengths

    @discardableResult
    private mutating func inside<Result>(_ step: Step, _ body: (inout Difference) -> Result) -> Result {
        path.append(step)
        defer { path.removeLast() }
        return body(&self)
    }

    private var pointer: JSONPointer {
        JSONPointer(
            tokens: path.map { step in
                switch step {
                case .key(let key): key
                case .index(let index): String(index)
                }
            })
    }

    /// The JSON length of an operation without its paths and value.
    private static let operationBytes = 36

    private var pathBytes: Int {
        path.reduce(0) { sum, step in
            switch step {
            case .key(let key): sum + key.utf8.count + 1
            case .index: sum + 3
            }
        }
    }

    private mutating func append(_ operation: JSONPatch.Operation, value: JSONValue? = nil) {
        operations.append(operation)
        bytes += Self.operationBytes + pathBytes + (value?.bytes(upTo: .max) ?? 0)
        if case .move = operation { bytes += pathBytes }
    }
}

extension JSONObject {
    /// The index of the member; `hint` is its likely index.
    fileprivate func place(of key: String, near hint: Int) -> Int? {
        if hint < members.count, Characters(of: members[hint].key) == Characters(of: key) { return hint }
        return place(of: key)
    }
}
