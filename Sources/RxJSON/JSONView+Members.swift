extension JSONView {
    /// The members of an object in the order written, including repeated keys; empty if the value is not an object.
    public struct Members: Sequence, IteratorProtocol {
        @usableFromInline let view: JSONView
        @usableFromInline var place: Int

        @inlinable
        init(of view: JSONView) {
            self.view = view
            place = view.first == UInt8(ascii: "{") ? view.index + 1 : -1
            if place > 0, view.byte(place) == UInt8(ascii: "}") { place = -1 }
        }

        /// The next member, or nil at the end.
        @inlinable
        public mutating func next() -> (key: JSONView, value: JSONView)? {
            guard place > 0 else { return nil }
            let key = place
            let after = view.after(key + 2)
            place = view.byte(after) == UInt8(ascii: ",") ? after + 1 : -1
            return (view.at(key), view.at(key + 2))
        }
    }

    /// The elements of an array in order; empty if the value is not an array.
    public struct Elements: Sequence, IteratorProtocol {
        @usableFromInline let view: JSONView
        @usableFromInline var place: Int

        @inlinable
        init(of view: JSONView) {
            self.view = view
            place = view.first == UInt8(ascii: "[") ? view.index + 1 : -1
            if place > 0, view.byte(place) == UInt8(ascii: "]") { place = -1 }
        }

        /// The next element, or nil at the end.
        @inlinable
        public mutating func next() -> JSONView? {
            guard place > 0 else { return nil }
            let element = place
            let after = view.after(element)
            place = view.byte(after) == UInt8(ascii: ",") ? after + 1 : -1
            return view.at(element)
        }
    }

    /// The members of an object in the order written, including repeated keys; empty if this is not an object.
    @inlinable
    public var members: Members { Members(of: self) }

    /// The elements of an array in order; empty if this is not an array.
    @inlinable
    public var elements: Elements { Elements(of: self) }

    /// Calls `body` for each member of an object in the order written; does nothing if this is not an object.
    @inlinable
    public func forEachMember(_ body: (_ key: JSONView, _ value: JSONView) -> Void) {
        for member in members { body(member.key, member.value) }
    }

    /// Calls `body` for each element of an array in order; does nothing if this is not an array.
    @inlinable
    public func forEachElement(_ body: (JSONView) -> Void) {
        for element in elements { body(element) }
    }

    /// The value of `key`; the last one if the key repeats; nil if there is none or this is not an object.
    @inlinable
    public subscript(key: StaticString) -> JSONView? {
        var found: JSONView?
        for member in members where member.key.equals(key) { found = member.value }
        return found
    }

    /// The value of `key`, which is not a literal; the last one if the key repeats; nil if there is none or this is not
    /// an object.
    public func member(named key: String) -> JSONView? {
        var found: JSONView?
        for member in members where member.key.equals(key) { found = member.value }
        return found
    }

    /// The element at `index`; nil if there is none or this is not an array.
    public subscript(index: Int) -> JSONView? {
        guard index >= 0 else { return nil }
        var left = index
        for element in elements {
            if left == 0 { return element }
            left -= 1
        }
        return nil
    }

    /// The value at `pointer`, or nil if there is none.
    public func value(at pointer: JSONPointer) -> JSONView? {
        var view = self
        for token in pointer.tokens {
            let next =
                switch view.kind {
                case .object: view.member(named: token)
                case .array: JSONPointer.index(token).flatMap { view[$0] }
                case .string, .number, .bool, .null: JSONView?.none
                }
            guard let next else { return nil }
            view = next
        }
        return view
    }
}
