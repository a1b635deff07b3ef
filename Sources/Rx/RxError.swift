/// The errors of the operators themselves.
public enum RxError: Error, Sendable {
    /// An error without a known cause.
    case unknown
    /// A subject was used after its `dispose()`.
    case disposed(object: any Sendable)
    /// A counter exceeds `Int`, or a buffer is full (`Buffering.Overflow.error`).
    case overflow
    /// An index or a count is out of range.
    case argumentOutOfRange
    /// The sequence completed without a required element.
    case noElements
    /// The sequence emitted a second element where only one is allowed.
    case moreThanOneElement
    /// No event arrived within the permitted time.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
    /// A description for people.
    public var debugDescription: String {
        switch self {
        case .unknown: "unknown error"
        case .disposed(let object): "\(object) was already disposed"
        case .overflow: "overflow of a counter or a buffer"
        case .argumentOutOfRange: "argument out of range"
        case .noElements: "the sequence has no elements"
        case .moreThanOneElement: "the sequence has more than one element"
        case .timeout: "the sequence timed out"
        }
    }
}
