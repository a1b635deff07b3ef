@testable import RxClient

extension EventStream {
    /// The events alone, for tests in which there is no gap.
    var events: AsyncCompactMapSequence<EventStream, StreamEvent> { compactMap(\.event) }
}
