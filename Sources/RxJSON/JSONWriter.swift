/// Appends compact JSON to `bytes`. Writes commas itself and never writes a newline.
///
/// The sequence of calls must be valid: a key before each value in an object and nowhere else, and an `end…` for each
/// `begin…`. After a complete value the writer is ready for the next text, which the caller separates.
public struct JSONWriter {
    /// The output so far.
    public var bytes: [UInt8]
    @usableFromInline var depth = 0
    @usableFromInline var needsComma = false

    /// Creates a writer. 256 bytes hold most responses.
    @inlinable
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Begins an object. Call `endObject` after its members.
    @inlinable
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Ends the object that `beginObject` began.
    @inlinable
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Begins an array. Call `endArray` after its elements.
    @inlinable
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Ends the array that `beginArray` began.
    @inlinable
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes an object. `members` must write keys and values in turn.
    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// Writes an array. `elements` must write the elements.
    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        beginArray()
        elements(&self)
        endArray()
    }

    /// Writes a literal key. It must need no escapes, which debug builds check.
    public mutating func key(_ key: StaticString) {
        assert(!key.description.utf8.contains(where: needsEscape), "a key that needs escapes")
        quote(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), colon: true)
        needsComma = false
    }

    /// Writes a key and escapes it as necessary.
    @_disfavoredOverload
    public mutating func key(_ key: String) {
        quoteEscaping(key, colon: true)
        needsComma = false
    }

    /// Writes a string and escapes it as necessary.
    public mutating func string(_ value: String) {
        quoteEscaping(value, colon: false)
        valueEnded()
    }

    /// Writes an integer.
    public mutating func int(_ value: Int) {
        digits(UInt64(value.magnitude), negative: value < 0)
        valueEnded()
    }

    /// Writes an integer.
    public mutating func uint(_ value: UInt64) {
        digits(value, negative: false)
        valueEnded()
    }

    /// Writes `true` or `false`.
    @inlinable
    public mutating func bool(_ value: Bool) {
        separate()
        literal(value ? "true" : "false")
        valueEnded()
    }

    /// Writes `null`.
    @inlinable
    public mutating func null() {
        separate()
        literal("null")
        valueEnded()
    }

    /// Writes the shortest text that parses as the same double; null for infinities and NaN, which JSON cannot
    /// represent.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        valueEnded()
    }

    /// Writes a value as it is, but joins a multi-line value into one line.
    public mutating func raw(_ value: RawJSON) {
        if value.hasNewline { return raw(value.minified()) }
        separate()
        bytes.append(contentsOf: value.utf8)
        valueEnded()
    }

    /// Writes `value` unchecked. It must be one valid JSON value without newlines.
    @inlinable
    public mutating func raw(_ value: UnsafeRawBufferPointer) {
        separate()
        append(value)
        valueEnded()
    }

    /// Writes a tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number):
            separate()
            bytes.append(contentsOf: number.text.utf8)
            valueEnded()
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    /// Appends prepared bytes unchanged. The caller handles commas with `separate` and `valueEnded`.
    @inlinable
    public mutating func literal(_ fragment: StaticString) {
        append(UnsafeRawBufferPointer(start: fragment.utf8Start, count: fragment.utf8CodeUnitCount))
    }

    /// Writes the comma that the next value or key needs, if any.
    @inlinable
    public mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Call this after a value written with prepared bytes.
    @inlinable
    public mutating func valueEnded() {
        needsComma = depth > 0
    }

    @inlinable
    mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    @inlinable
    mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        depth -= 1
        valueEnded()
    }

    @inlinable
    mutating func append(_ fragment: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: fragment.assumingMemoryBound(to: UInt8.self))
    }
}
