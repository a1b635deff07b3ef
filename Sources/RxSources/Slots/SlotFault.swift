internal import RxTime

/// What is wrong with a key of a time source.
public struct SlotFault: Error, Hashable, Sendable {
    /// The key with the fault: `every`, `calendar`, `cron`, `at`, or `zone`.
    public let key: String
    /// The character of its value at which the fault is, from 0; nil if it is about the whole value.
    public let position: Int?
    /// The value, the character from 1, and what is wrong, in one line.
    public let message: String
    /// If the value is well-formed, but has no slot ever, such as February 30.
    public let isNever: Bool

    init(_ key: String, _ message: String) {
        self.key = key
        self.message = message
        position = nil
        isNever = false
    }

    init(_ key: String, _ fault: ExpressionFault) {
        self.key = key
        message = fault.description
        // An expression that can never occur is wrong as a whole.
        position = fault.isNever ? nil : fault.position
        isNever = fault.isNever
    }

    init(_ key: String, _ fault: ZoneFault, at position: Int? = nil) {
        self.key = key
        message = fault.description
        self.position = position
        isNever = false
    }
}

extension SlotFault: CustomStringConvertible {
    /// The key, and what is wrong with it.
    public var description: String { "\(key): \(message)" }
}
