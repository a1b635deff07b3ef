internal import Rx

/// Where the results of an execution go to, whatever its elements.
class AnyResults: @unchecked Sendable {
    // Unchecked: has no state.
    func end(_ end: ExecutionEnd) {}
}

final class Results<Element: Sendable>: AnyResults, @unchecked Sendable {
    // Unchecked: immutable.
    let observable: Observable<Element>
    private let observer: AnyObserver<Element>

    /// - Parameter replays: whether who subscribes late gets everything.
    init(replays: Bool) {
        if replays {
            let subject = ReplaySubject<Element>.createUnbounded()
            observable = subject
            observer = AnyObserver(subject)
        } else {
            let subject = PublishSubject<Element>()
            observable = subject
            observer = AnyObserver(subject)
        }
    }

    func element(_ element: Element) { observer.onNext(element) }

    override func end(_ end: ExecutionEnd) {
        switch end {
        case .completed: observer.onCompleted()
        case .failed(let error), .cancelled(let error): observer.onError(ActionError.underlyingError(error))
        }
    }

    /// What is left of an execution that nobody listened to.
    static func observable(of end: ExecutionEnd) -> Observable<Element> {
        switch end {
        case .completed: .empty()
        case .failed(let error), .cancelled(let error): .error(ActionError.underlyingError(error))
        }
    }
}
