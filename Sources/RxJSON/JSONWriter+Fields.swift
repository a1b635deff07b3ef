// A member in one call, for the keys a program knows.
extension JSONWriter {
    @inlinable
    public mutating func field(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    @inlinable
    public mutating func field(_ key: StaticString, _ value: Int) {
        self.key(key)
        int(value)
    }

    @inlinable
    public mutating func field(_ key: StaticString, _ value: UInt64) {
        self.key(key)
        uint(value)
    }

    @inlinable
    public mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    @inlinable
    public mutating func field(_ key: StaticString, _ value: RawJSON) {
        self.key(key)
        raw(value)
    }

    @_disfavoredOverload
    @inlinable
    public mutating func field(_ key: StaticString, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    @inlinable
    public mutating func object(_ key: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.key(key)
        object(members)
    }

    @inlinable
    public mutating func array(_ key: StaticString, _ elements: (inout JSONWriter) -> Void) {
        self.key(key)
        array(elements)
    }
}
