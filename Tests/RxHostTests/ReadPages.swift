import TestSupport

@testable import RxHost

extension EventLog {
    /// Reads what a portion needs.
    func read(
        _ need: CatchUpPortion.Need, of source: EventSource, _ kinds: EventKinds, for position: inout CatchUpPosition,
        _ encoder: (@Sendable () -> any PageEncoder)? = nil
    ) async {
        switch need {
        case .nothing: break
        case .requested: preconditionFailure("each page is read before the next portion")
        case .page(let request), .following(let request):
            let before = position
            let page = await answer {
                read(request, of: source, kinds, after: before, encoder: encoder, completion: $0)
            }
            position.take(page)
        }
    }
}
