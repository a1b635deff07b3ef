/// What is wrong with a marble text, and where.
public struct MarbleFault: Error, Sendable, Hashable {
    /// The text with the fault.
    public let text: String
    /// The character at which the fault is, from 0.
    public let position: Int
    /// What is wrong, or what is expected there; without the position.
    public let reason: String

    init(_ text: String, at position: Int, _ reason: String) {
        self.text = text
        self.position = position
        self.reason = reason
    }
}

extension MarbleFault: CustomStringConvertible {
    /// The text, the position from 1, and the reason in one line.
    public var description: String { "\"\(text)\", character \(position + 1): \(reason)" }
}
