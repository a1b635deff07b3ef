import TestSupport

@testable import RxHost

extension EventLog {
    /// Opens a reader as a server does: what the store alone knows of the start is looked up before.
    func openLookingUp(
        _ source: EventSource, _ kinds: EventKinds, from start: EventStart
    ) async -> Result<EventOpening, EventStartRefusal> {
        guard let lookup = lookup(source, kinds, from: start) else { return open(source, kinds, from: start) }
        let stored = await answer { look(up: lookup, for: nil, completion: $0) }
        return open(source, kinds, from: start, nil, stored: stored)
    }

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
