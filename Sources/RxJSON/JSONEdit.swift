/// One in-place change of a tree, already checked to be applicable.
enum JSONEdit {
    case put(JSONValue, at: [String])
    /// Inserts into the object or array at `in`; `key` is set for a member.
    case insert(JSONValue, key: String?, place: Int, in: [String])
    case delete(place: Int, in: [String])

    func make(in value: inout JSONValue) {
        switch self {
        case .put(let old, let path): value.change(at: path[...]) { $0 = old }
        case .insert(let old, let key, let place, let path):
            value.change(at: path[...]) { $0.insert(old, key: key, place: place) }
        case .delete(let place, let path): value.change(at: path[...]) { _ = $0.delete(place: place) }
        }
    }
}

extension JSONValue {
    /// Calls `body` to change the value at `path` in place. Returns nil if there is no value.
    ///
    /// Each container is moved out of its enum during the change, because a second reference would force a copy.
    @discardableResult
    mutating func change<Result>(at path: ArraySlice<String>, _ body: (inout JSONValue) -> Result) -> Result? {
        guard let token = path.first else { return body(&self) }
        guard let place = place(of: token) else { return nil }
        switch self {
        case .object(var members):
            self = .null
            defer { self = .object(members) }
            return members.change(at: place) { $0.change(at: path.dropFirst(), body) }
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            return elements[place].change(at: path.dropFirst(), body)
        case .null, .bool, .number, .string:
            return nil
        }
    }

    /// The index of the member or element, from 0.
    func place(of token: String) -> Int? {
        switch self {
        case .object(let members): members.place(of: token)
        case .array(let elements):
            JSONPointer.index(token).flatMap { elements.indices.contains($0) ? $0 : nil }
        case .null, .bool, .number, .string: nil
        }
    }

    mutating func insert(_ value: JSONValue, key: String?, place: Int) {
        switch (self, key) {
        case (.object(var members), let key?):
            self = .null
            members.insert(key, value, at: place)
            self = .object(members)
        case (.array(var elements), nil):
            self = .null
            elements.insert(value, at: place)
            self = .array(elements)
        case (.object, nil), (.array, _), (.null, _), (.bool, _), (.number, _), (.string, _):
            preconditionFailure("cannot be inserted here")
        }
    }

    mutating func delete(place: Int) -> (key: String?, value: JSONValue) {
        switch self {
        case .object(var members):
            self = .null
            defer { self = .object(members) }
            let member = members.remove(at: place)
            return (member.key, member.value)
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            return (nil, elements.remove(at: place))
        case .null, .bool, .number, .string:
            preconditionFailure("nothing is there")
        }
    }
}
