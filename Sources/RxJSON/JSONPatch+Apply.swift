extension JSONPatch {
    /// Applies all operations in order, or none: if one fails, `value` is unchanged.
    ///
    /// Changes in place whatever only `value` references, so an operation costs its path and not the size of the value.
    /// Only an insertion into or a removal from an array moves the elements after it. `test` compares numbers by value
    /// as RFC 6902 requires: 1 equals 1.0.
    ///
    /// `copy` can double a value: limit the number of operations in patches from untrusted clients.
    ///
    /// - Throws: the first failed operation and its reason.
    public func apply(to value: inout JSONValue) throws(JSONPatchError) {
        var undo: [JSONEdit] = []
        for (index, operation) in operations.enumerated() {
            do {
                try operation.apply(to: &value, undo: &undo)
            } catch {
                for edit in undo.reversed() { edit.make(in: &value) }
                throw error.of(operation: index)
            }
        }
    }
}

extension JSONPatch.Operation {
    fileprivate func apply(to value: inout JSONValue, undo: inout [JSONEdit]) throws(JSONPatchError) {
        switch self {
        case .add(let path, let added):
            undo.append(try value.add(added, at: path))
        case .remove(let path):
            undo.append(try value.remove(at: path).undo)
        case .replace(let path, let replacement):
            undo.append(try value.replace(at: path, with: replacement))
        case .move(let from, let path):
            guard from != path else {
                _ = try value.existing(at: path)
                return
            }
            guard !path.tokens.starts(with: from.tokens) else {
                throw JSONPatchError(.refused, "\(from.quoted) cannot be moved into itself, to \(path.quoted)")
            }
            let (moved, back) = try value.remove(at: from)
            undo.append(back)
            undo.append(try value.add(moved, at: path))
        case .copy(let from, let path):
            undo.append(try value.add(try value.existing(at: from), at: path))
        case .test(let path, let wanted):
            guard try value.existing(at: path).isSame(as: wanted) else {
                throw JSONPatchError(.test, "\(path.quoted) is another value")
            }
        }
    }
}

extension JSONValue {
    fileprivate func existing(at path: JSONPointer) throws(JSONPatchError) -> JSONValue {
        guard let value = value(at: path) else { throw path.isMissing }
        return value
    }

    fileprivate mutating func replace(at path: JSONPointer, with value: JSONValue) throws(JSONPatchError) -> JSONEdit {
        let old = change(at: path.tokens[...]) { place in
            let old = place
            place = value
            return old
        }
        guard let old else { throw path.isMissing }
        return .put(old, at: path.tokens)
    }

    fileprivate mutating func add(_ value: JSONValue, at path: JSONPointer) throws(JSONPatchError) -> JSONEdit {
        guard let token = path.tokens.last else {
            defer { self = value }
            return .put(self, at: [])
        }
        let parent = Array(path.tokens.dropLast())
        let outcome = change(at: parent[...]) { holder -> Result<JSONEdit, JSONPatchError> in
            // Only the tree may reference the parent during the change, so compute indices first.
            switch holder.seat(for: token) {
            case .taken:
                let old = holder.change(at: [token]) { member in
                    let old = member
                    member = value
                    return old
                }
                return .success(.put(old ?? .null, at: path.tokens))
            case .free(let place, let key):
                holder.insert(value, key: key, place: place)
                return .success(.delete(place: place, in: parent))
            case .noIndex:
                return .failure(path.isNoIndex)
            case .none:
                return .failure(path.isMissing)
            }
        }
        guard let outcome else { throw path.isMissing }
        return try outcome.get()
    }

    fileprivate mutating func remove(
        at path: JSONPointer
    ) throws(JSONPatchError) -> (value: JSONValue, undo: JSONEdit) {
        guard let token = path.tokens.last else { throw JSONPatchError(.refused, "the whole value cannot be removed") }
        let parent = Array(path.tokens.dropLast())
        let removed = change(at: parent[...]) { holder -> (key: String?, value: JSONValue, place: Int)? in
            guard let place = holder.place(of: token) else { return nil }
            let (key, value) = holder.delete(place: place)
            return (key, value, place)
        }
        guard let removed, let removed else { throw path.isMissing }
        return (removed.value, .insert(removed.value, key: removed.key, place: removed.place, in: parent))
    }

    /// The position at which a value added as `token` would go.
    private enum Seat {
        /// An existing member.
        case taken
        /// A new position; `key` is set for a member.
        case free(place: Int, key: String?)
        case noIndex
        case none
    }

    private func seat(for token: String) -> Seat {
        switch self {
        case .object(let members):
            return members.place(of: token) == nil ? .free(place: members.count, key: token) : .taken
        case .array(let elements):
            let place = token == "-" ? elements.count : JSONPointer.index(token)
            guard let place, place <= elements.count else { return .noIndex }
            return .free(place: place, key: nil)
        case .null, .bool, .number, .string:
            return .none
        }
    }

    /// Equality as RFC 6902 defines it: numbers by value, everything else as `==`.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let other)):
            return one.isSame(as: other)
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { $0.isSame(as: $1) }
        case (.object(let one), .object(let other)):
            return one.count == other.count
                && one.allSatisfy { member in other[member.key].map { member.value.isSame(as: $0) } ?? false }
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
            return self == other
        }
    }
}

extension JSONNumber {
    fileprivate func isSame(as other: JSONNumber) -> Bool {
        if self == other { return true }
        if let one = int, let other = other.int { return one == other }
        if let one = uint, let other = other.uint { return one == other }
        return double == other.double
    }
}

extension JSONPointer {
    fileprivate var quoted: String { "\"\(self)\"" }

    fileprivate var isMissing: JSONPatchError { JSONPatchError(.missing, "there is nothing at \(quoted)") }

    fileprivate var isNoIndex: JSONPatchError {
        JSONPatchError(.index, "\(quoted) is neither an index of the array nor \"-\"")
    }
}
