import Rx

func events() {
    let next = Event.next(1)
    let failed = Event<Int>.error(Failure.one)
    let completed: Event<Int> = .completed
    check(next.element, 1)
    check(failed.error as? Failure, .one)
    check(completed.isCompleted, true)
    check(failed.isStopEvent, true)
    check(next.map { $0 + 1 }.element, 2)
    check(next.event.element, 1)
    check(element(of: next), 1)
    check("\(next) \(failed) \(completed)", "next(1) error(one) completed")
    check(next.debugDescription, "next(1)")

    let single: SingleEvent<Int> = .success(1)
    let notSingle = SingleEvent<Int>.failure(Failure.one)
    check(try? single.get(), 1)
    check(try? notSingle.get(), nil)

    let maybes: [MaybeEvent<Int>] = [.success(1), .completed, .error(Failure.one)]
    for maybe in maybes {
        switch maybe {
        case .success(let element): check(element, 1)
        case .error(let error): check(error as? Failure, .one)
        case .completed: check(maybes.count, 3)
        }
    }

    let ends: [CompletableEvent] = [.completed, .error(Failure.one)]
    for end in ends {
        switch end {
        case .completed: break
        case .error(let error): check(error as? Failure, .one)
        }
    }

    let infallible: [InfallibleEvent<Int>] = [.next(1), .completed]
    check(infallible.map { $0.event.isCompleted }, [false, true])

    let errors: [RxError] = [
        .unknown, .disposed(object: Log<Int>()), .overflow, .argumentOutOfRange, .noElements, .moreThanOneElement,
        .timeout,
    ]
    check(errors.filter { $0.debugDescription.isEmpty }.count, 0)
}

func element<Convertible: EventConvertible>(of convertible: Convertible) -> Convertible.Element? {
    convertible.event.element
}

func observers() {
    let log = Log<String>()
    let handler: AnyObserver<Int>.EventHandler = { event in log.append("\(event)") }
    let first = AnyObserver(eventHandler: handler)
    let trailing = AnyObserver<Int> { event in log.append("trailing \(event)") }
    let wrapped = AnyObserver(trailing)
    first.on(.next(1))
    first.asObserver().onNext(2)
    wrapped.onError(Failure.one)
    trailing.onCompleted()
    let texts = first.mapObserver { (text: String) in text.count }
    texts.onNext("abc")
    check(log.entries, ["next(1)", "next(2)", "trailing error(one)", "trailing completed", "next(3)"])
    check(log.entries.count, 5)

    let mine = Keeper<Int>()
    mine.onNext(1)
    mine.onError(Failure.one)
    mine.asObserver().onNext(2)
    mine.onCompleted()
    check(mine.log.entries, ["next(1)", "error(one)", "next(2)", "completed"])
    check(elements(into: mine), 1)
}

/// An observer of the client's own: `on(_:)` is enough.
final class Keeper<Element: Sendable>: ObserverType {
    let log = Log<String>()

    func on(_ event: Event<Element>) {
        log.append("\(event)")
    }
}

func elements<Observer: ObserverType>(into observer: Observer) -> Observer.Element where Observer.Element == Int {
    observer.onNext(3)
    observer.on(.completed)
    return 1
}
