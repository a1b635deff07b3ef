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
    /// A description for people, in the words of RxSwift.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .disposed(let object): "Object `\(object)` was already disposed."
        case .overflow: "Arithmetic overflow occurred."
        case .argumentOutOfRange: "Argument out of range."
        case .noElements: "Sequence doesn't contain any elements."
        case .moreThanOneElement: "Sequence contains more than one element."
        case .timeout: "Sequence timeout."
        }
    }
}
