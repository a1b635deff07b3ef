// Write a member with a literal key in one call.
extension JSONWriter {
    /// Writes a member with a string. `key` must need no escapes.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a member with an integer. `key` must need no escapes.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: Int) {
        self.key(key)
        int(value)
    }

    /// Writes a member with an integer. `key` must need no escapes.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: UInt64) {
        self.key(key)
        uint(value)
    }

    /// Writes a member with a boolean. `key` must need no escapes.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Writes a member with a value as it is, on one line. `key` must need no escapes.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: RawJSON) {
        self.key(key)
        raw(value)
    }

    /// Writes a member with the value of a tree. `key` must need no escapes.
    @_disfavoredOverload
    @inlinable
    public mutating func field(_ key: StaticString, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes a member with an object. `members` must write keys and values in turn.
    @inlinable
    public mutating func object(_ key: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.key(key)
        object(members)
    }

    /// Writes a member with an array. `elements` must write the elements.
    @inlinable
    public mutating func array(_ key: StaticString, _ elements: (inout JSONWriter) -> Void) {
        self.key(key)
        array(elements)
    }
}
