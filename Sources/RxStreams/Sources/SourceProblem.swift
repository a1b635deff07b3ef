/// Something wrong with an argument of a source, beyond its type.
public struct SourceProblem: Sendable, Hashable {
    /// Where the value is: the name of the parameter, then the key in a table, or the index among several texts, such
    /// as `[1]`.
    public var path: [String]
    /// What is wrong; it follows the key in a message.
    public var message: String
    /// Whether it is a fault, or only a warning. What may change from day to day must be a warning.
    public var isFault: Bool

    /// Creates a problem.
    public init(at path: String..., message: String, isFault: Bool) {
        self.path = path
        self.message = message
        self.isFault = isFault
    }
}
