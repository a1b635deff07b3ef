internal import RxJSON
internal import RxRecords
internal import RxStreams

/// An element for an action or a reactor, with the input that was made of it.
struct BindingInput: Sendable {
    let item: OwedElement
    let input: RawJSON
    let causes: Causes

    var element: StreamElement { item.element }
}

/// What became of an element at the target of an `on`.
enum BindingOutcome {
    /// It is done with: there is a firing, or there is going to be one.
    case taken
    /// The queue is full, and the `on` waits.
    case full
    /// The daemon is stopping; the next one owes the firing.
    case postponed
}
