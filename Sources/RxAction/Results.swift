internal import Rx

/// Where the results of an execution go to.
enum Results<Element: Sendable>: Sendable {
    /// All are kept, for whoever subscribes later.
    case replayed(ReplaySubject<Element>)
    case live(PublishSubject<Element>)

    var observable: Observable<Element> {
        switch self {
        case .replayed(let subject): subject
        case .live(let subject): subject
        }
    }

    func element(_ element: Element) {
        switch self {
        case .replayed(let subject): subject.onNext(element)
        case .live(let subject): subject.onNext(element)
        }
    }

    func end(_ end: ExecutionEnd) {
        let event = Results.event(of: end)
        switch self {
        case .replayed(let subject): subject.on(event)
        case .live(let subject): subject.on(event)
        }
    }

    /// What is left of an execution that nobody listened to.
    static func observable(of end: ExecutionEnd) -> Observable<Element> {
        switch end {
        case .completed: .empty()
        case .failed(let error), .cancelled(let error): .error(ActionError.underlyingError(error))
        }
    }

    private static func event(of end: ExecutionEnd) -> Event<Element> {
        switch end {
        case .completed: .completed
        case .failed(let error), .cancelled(let error): .error(ActionError.underlyingError(error))
        }
    }
}
