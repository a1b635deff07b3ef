/// One thing wrong with an input.
public struct InputFault: Error, Sendable, Hashable {
    /// A JSON pointer into the input; empty for the whole of it.
    public let path: String
    /// What is wrong, as one sentence.
    public let message: String

    /// A fault at `path`, a JSON pointer into the input.
    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}
