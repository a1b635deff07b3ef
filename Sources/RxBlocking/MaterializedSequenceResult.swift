public import Rx

/// All elements of a sequence and how it ended.
@frozen
public enum MaterializedSequenceResult<Element: RxSendable>: Sendable {
    /// The sequence completed after `elements`.
    case completed(elements: [Element])
    /// The sequence failed with `error` after `elements`.
    case failed(elements: [Element], error: any Error)
}
