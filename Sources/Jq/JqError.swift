/// An error of compiling or running a jq program.
public enum JqError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text is not a valid program.
    case invalidProgram(JqProgramFault)
    /// The program failed with this message.
    case failed(String)
    /// `what` (bytes, answers, or levels) exceeds `limit`.
    case tooLarge(what: String, limit: Int)

    /// A description on one line.
    public var description: String {
        switch self {
        case .invalidProgram(let fault): fault.description
        case .failed(let message): message
        case .tooLarge(let what, let limit): "\(what): more than \(limit)"
        }
    }
}
