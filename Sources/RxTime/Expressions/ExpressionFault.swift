/// What is wrong with a calendar expression, a cron expression, or a time, and where.
public struct ExpressionFault: Error, Hashable, Sendable {
    /// The text with the fault.
    public let text: String
    /// The character at which the fault is, from 0; the number of characters if the text ends too early.
    public let position: Int
    /// What is wrong, or what is expected there; without the position.
    public let reason: String
    /// If the expression is well-formed but can never occur, such as February 30.
    public let isNever: Bool

    init(_ text: String, at position: Int, _ reason: String, isNever: Bool = false) {
        self.text = text
        self.position = position
        self.reason = reason
        self.isNever = isNever
    }

    static func never(_ text: String) -> ExpressionFault {
        ExpressionFault(
            text, at: 0, "the expression can never occur: no year from 1970 to 2199 has such a day", isNever: true)
    }
}

extension ExpressionFault: CustomStringConvertible {
    /// The text, the position from 1, and the reason in one line.
    public var description: String { "\"\(text)\", character \(position + 1): \(reason)" }
}
