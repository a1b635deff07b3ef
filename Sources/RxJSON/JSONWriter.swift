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

    /// Writes `value` unchecked. It must be one valid JSON value without newlines.
    @inlinable
    public mutating func raw(_ value: UnsafeRawBufferPointer) {
        separate()
        append(value)
        valueEnded()
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
