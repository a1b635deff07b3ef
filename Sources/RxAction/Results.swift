internal import Rx

/// The results of an execution as a sequence.
///
/// Most executions end before anyone subscribes or are never observed, so the subject is created on demand.
final class Results<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: `lock` guards `state`; calls of `element` and `end` are serial.

    private enum State {
        /// No subscriber yet; keeps the elements.
        case kept([Element])
        case ended([Element], ExecutionEnd)
        case replayed(ReplaySubject<Element>)
        /// Keeps no elements.
        case live(PublishSubject<Element>)
    }

    private let lock = Lock()
    @exclusivity(unchecked) private var state: State

    /// - Parameter replays: whether a late subscriber gets all elements.
    init(replays: Bool) {
        state = replays ? .kept([]) : .live(PublishSubject())
        super.init()
    }

    func element(_ element: Element) {
        lock.lock()
        switch state {
        case .kept(var elements):
            // Drop the stored reference, so that the array has one owner and is not copied.
            state = .kept([])
            elements.append(element)
            state = .kept(elements)
            lock.unlock()
        case .replayed(let subject):
            lock.unlock()
            subject.onNext(element)
        case .live(let subject):
            lock.unlock()
            subject.onNext(element)
        case .ended:
            lock.unlock()
        }
    }

    func end(_ end: ExecutionEnd) {
        lock.lock()
        switch state {
        case .kept(let elements):
            state = .ended(elements, end)
            lock.unlock()
        case .replayed(let subject):
            lock.unlock()
            Results.send(end, to: AnyObserver(subject))
        case .live(let subject):
            lock.unlock()
            Results.send(end, to: AnyObserver(subject))
        case .ended:
            lock.unlock()
        }
    }

    override func run(_ stage: Stage<Element>) {
        lock.lock()
        switch state {
        case .kept(let elements):
            // The subject has no subscribers yet, so this calls nobody.
            let subject = ReplaySubject<Element>.createUnbounded()
            for element in elements { subject.onNext(element) }
            state = .replayed(subject)
            lock.unlock()
            subject.subscribe(into: stage)
        case .ended(let elements, let end):
            lock.unlock()
            replay(elements, end, stage)
        case .replayed(let subject):
            lock.unlock()
            subject.subscribe(into: stage)
        case .live(let subject):
            lock.unlock()
            subject.subscribe(into: stage)
        }
    }

    private func replay(_ elements: [Element], _ end: ExecutionEnd, _ stage: Stage<Element>) {
        let stop = BooleanDisposable()
        stage.attach(stop)
        for element in elements {
            if stop.isDisposed { return }
            stage.next(element)
        }
        switch end {
        case .completed: stage.completed()
        case .failed(let error), .cancelled(let error): stage.error(ActionError.underlyingError(error))
        }
    }

    private static func send(_ end: ExecutionEnd, to observer: AnyObserver<Element>) {
        switch end {
        case .completed: observer.onCompleted()
        case .failed(let error), .cancelled(let error): observer.onError(ActionError.underlyingError(error))
        }
    }

    /// The results of an ended execution that kept no elements.
    static func observable(of end: ExecutionEnd) -> Observable<Element> {
        switch end {
        case .completed: .empty()
        case .failed(let error), .cancelled(let error): .error(ActionError.underlyingError(error))
        }
    }
}
