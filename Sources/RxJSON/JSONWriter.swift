/// Appends compact JSON to `bytes`. Commas are its own business; it never writes a newline.
///
/// Calls must make sense: a key before every value in an object and nowhere else, every `begin…` with its `end…`. A
/// finished value leaves the writer ready for the next text, which the caller separates.
public struct JSONWriter {
    public var bytes: [UInt8]
    @usableFromInline var depth = 0
    @usableFromInline var needsComma = false

    /// 256 bytes hold most responses.
    @inlinable
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    @inlinable
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    @inlinable
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    @inlinable
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    @inlinable
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        beginArray()
        elements(&self)
        endArray()
    }

    /// A key that is written out in the program: it must need no escapes, which debug builds check.
    public mutating func key(_ key: StaticString) {
        assert(!key.description.utf8.contains(where: needsEscape), "a key that needs escapes")
        quote(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), colon: true)
        needsComma = false
    }

    @_disfavoredOverload
    public mutating func key(_ key: String) {
        quoteEscaping(key, colon: true)
        needsComma = false
    }

    public mutating func string(_ value: String) {
        quoteEscaping(value, colon: false)
        valueEnded()
    }

    public mutating func int(_ value: Int) {
        digits(UInt64(value.magnitude), negative: value < 0)
        valueEnded()
    }

    public mutating func uint(_ value: UInt64) {
        digits(value, negative: false)
        valueEnded()
    }

    @inlinable
    public mutating func bool(_ value: Bool) {
        separate()
        literal(value ? "true" : "false")
        valueEnded()
    }

    @inlinable
    public mutating func null() {
        separate()
        literal("null")
        valueEnded()
    }

    /// The shortest text that reads back as the same double; null for infinities and NaN, which JSON has not.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        valueEnded()
    }

    /// A value as written, except that one written over several lines is put on one.
    public mutating func raw(_ value: RawJSON) {
        if value.hasNewline { return raw(value.minified()) }
        separate()
        bytes.append(contentsOf: value.utf8)
        valueEnded()
    }

    /// Takes `value` at its word: it must be one valid JSON value without newlines.
    @inlinable
    public mutating func raw(_ value: UnsafeRawBufferPointer) {
        separate()
        append(value)
        valueEnded()
    }

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

    /// Appends bytes as they are, for prepared fragments; commas are then the caller's business, see `separate` and
    /// `valueEnded`.
    @inlinable
    public mutating func literal(_ fragment: StaticString) {
        append(UnsafeRawBufferPointer(start: fragment.utf8Start, count: fragment.utf8CodeUnitCount))
    }

    /// Writes the comma that a value or key needs here, if it needs one.
    @inlinable
    public mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// To be said after a value made of literals.
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
