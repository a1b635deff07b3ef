@testable import RxHost

extension EventLog {
    /// The position after the page that a portion has requested.
    func read(
        _ request: CatchUpRequest, of source: EventSource, _ kinds: EventKinds, after position: CatchUpPosition
    ) async -> CatchUpPosition {
        await withCheckedContinuation { continuation in
            read(request, of: source, kinds, after: position) { continuation.resume(returning: $0) }
        }
    }
}
