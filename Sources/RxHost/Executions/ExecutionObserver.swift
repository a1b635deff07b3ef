internal import RxJSON
internal import RxRecords

/// An observer of one execution, for as long as the execution is in flight.
// Unchecked: the event log's lock guards what changes, until the end of the execution; nothing changes after that.
final class ExecutionObserver: @unchecked Sendable {
    enum Interest: Sendable {
        /// It is called with each event.
        case events(EventObserver)
        /// It is called at the end.
        case end(@Sendable (ExecutionError?) -> Void)
        /// It is called at the end, with the first elements.
        case elements(ElementCollecting)
    }

    let interest: Interest
    /// Grows with each observer of the execution; 0 if it has none yet.
    @exclusivity(unchecked) var number: UInt64 = 0
    /// The number of the first element that it collects, among those of the execution.
    @exclusivity(unchecked) var firstElement = 1
    /// The bytes of the elements before that, as its collection counts them.
    @exclusivity(unchecked) var bytesBefore = 0
    /// What it has collected, once it takes no more.
    @exclusivity(unchecked) var collected = CollectedElements.none

    init(_ interest: Interest) {
        self.interest = interest
    }

    convenience init(_ body: @escaping ExecutionEvent.Observer) {
        self.init(.events(EventObserver(isLive: true, body)))
    }

    /// An observer like this one for an execution with a past. One of events receives nothing before `catchUp`.
    func joining() -> ExecutionObserver {
        switch interest {
        case .events(let observer): ExecutionObserver(.events(EventObserver(isLive: false, observer.body)))
        case .end, .elements: ExecutionObserver(interest)
        }
    }

    /// Whether it receives the events of the past.
    var wantsPast: Bool {
        switch interest {
        case .events: true
        case .end, .elements: false
        }
    }

    /// Passes on the past, for which it has waited.
    func catchUp(_ past: [ExecutionEvent]) {
        switch interest {
        case .events(let observer): observer.catchUp(past)
        case .end, .elements: break
        }
    }

    /// The execution has yielded an element.
    func take(_ element: RawJSON) {
        switch interest {
        case .events(let observer): observer.take(.element(element))
        case .end, .elements: break
        }
    }

    /// The execution has ended.
    func end(_ error: ExecutionError?) {
        switch interest {
        case .events(let observer): observer.take(.ended(error))
        case .end(let body): body(error)
        case .elements(let collecting): collecting.ended(error, collected)
        }
    }
}
