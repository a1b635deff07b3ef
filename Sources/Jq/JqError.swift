public enum JqError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not a program; jq's message.
    case invalidProgram(String)
    /// The program threw this, or jq did on its behalf.
    case failed(String)
    /// More than what `what` may have: bytes, answers, levels.
    case tooLarge(what: String, limit: Int)

    public var description: String {
        switch self {
        case .invalidProgram(let message), .failed(let message): message
        case .tooLarge(let what, let limit): "\(what): more than \(limit)"
        }
    }
}
