/// What can go wrong in the operators themselves.
public enum RxError: Error, Sendable {
    case unknown
    /// A subject was used after its `dispose()`.
    case disposed(object: any Sendable)
    /// A counter would not fit in an `Int`, or a buffer is full (`Buffering.Overflow.error`).
    case overflow
    case argumentOutOfRange
    /// The sequence ended where an element was required.
    case noElements
    /// The sequence had a second element where one was required.
    case moreThanOneElement
    /// Nothing arrived in the time allowed.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
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
