import Rx
import Testing
import TestSupport

@Suite("Single, Maybe, Completable: creation, events, bridges", .leakFree)
struct TraitTests {
    @Test("a single has one event, whatever its creator sends")
    func singleGrammar() {
        let twice = Single<Int>.create { single in
            single(.success(1))
            single(.success(2))
            single(.failure(Oops()))
            return Disposables.create()
        }
        #expect(marbles(of: twice) == "1 |")
        let failing = Single<Int>.create { single in
            single(.failure(Oops()))
            single(.success(2))
            return Disposables.create()
        }
        #expect(marbles(of: failing) == "x")
    }

    @Test("a maybe has one event, whatever its creator sends", arguments: ["1 |", "|", "x"])
    func maybeGrammar(expected: String) {
        let maybe = Maybe<Int>.create { maybe in
            switch expected {
            case "1 |": maybe(.success(1))
            case "|": maybe(.completed)
            default: maybe(.error(Oops()))
            }
            maybe(.success(2))
            maybe(.completed)
            maybe(.error(Oops()))
            return Disposables.create()
        }
        #expect(marbles(of: maybe) == expected)
    }

    @Test("a completable has one event, whatever its creator sends", arguments: ["|", "x"])
    func completableGrammar(expected: String) {
        let completable = Completable.create { completable in
            completable(expected == "|" ? .completed : .error(Oops()))
            completable(.completed)
            completable(.error(Oops()))
            return Disposables.create()
        }
        #expect(marbles(of: completable) == expected)
    }

    @Test("sources of traits")
    func sources() {
        #expect(marbles(of: Single.just(1)) == "1 |")
        #expect(marbles(of: Single<Int>.error(Oops())) == "x")
        #expect(marbles(of: Single<Int>.never()) == "")
        #expect(marbles(of: Maybe.just(1)) == "1 |")
        #expect(marbles(of: Maybe<Int>.empty()) == "|")
        #expect(marbles(of: Maybe<Int>.error(Oops())) == "x")
        #expect(marbles(of: Maybe<Int>.never()) == "")
        #expect(marbles(of: Completable.empty()) == "|")
        #expect(marbles(of: Completable.error(Oops())) == "x")
        #expect(marbles(of: Completable.never()) == "")
    }

    @Test("onDisposed follows the event at once, before what is above is disposed")
    func orderOfDisposal() {
        let log = Log()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.note("source") }
        }
        let single = source.asSingle()
        single.subscribe(
            onSuccess: { log.note("success \($0)") }, onFailure: { _ in log.note("failure") },
            onDisposed: { log.note("disposed") }
        ).dispose()
        #expect(log.text == "success 1, disposed, source")
    }

    @Test("each kind of subscription to a single delivers its event", arguments: [true, false])
    func singleSubscriptions(succeeds: Bool) {
        let single: Single<Int> = succeeds ? .just(1) : .error(Oops())
        let log = Log()
        _ = single.subscribe { event in
            switch event {
            case .success(let element): log.note("success \(element)")
            case .failure: log.note("failure")
            }
        }
        _ = single.subscribe(onSuccess: { log.note("success \($0)") }, onFailure: { _ in log.note("failure") })
        let owner = Recorder<Int>()
        _ = single.subscribe(
            with: owner, onSuccess: { owner, element in owner.onNext(element) }, onFailure: { $0.onError($1) },
            onDisposed: { $0.onCompleted() })
        #expect(log.text == (succeeds ? "success 1, success 1" : "failure, failure"))
        #expect(owner.text == (succeeds ? "1 |" : "x |"))
    }

    @Test("each kind of subscription to a maybe delivers its event", arguments: ["success", "error", "completed"])
    func maybeSubscriptions(kind: String) {
        let maybe: Maybe<String> =
            switch kind {
            case "success": .just("success")
            case "error": .error(Oops())
            default: .empty()
            }
        let log = Log()
        _ = maybe.subscribe { event in
            switch event {
            case .success(let element): log.note(element)
            case .error: log.note("error")
            case .completed: log.note("completed")
            }
        }
        _ = maybe.subscribe(
            onSuccess: { log.note($0) }, onError: { _ in log.note("error") }, onCompleted: { log.note("completed") },
            onDisposed: { log.note("disposed") })
        _ = maybe.subscribe(
            with: log, onSuccess: { $0.note($1) }, onError: { log, _ in log.note("error") },
            onCompleted: { $0.note("completed") }, onDisposed: { $0.note("disposed") })
        #expect(log.text == "\(kind), \(kind), disposed, \(kind), disposed")
    }

    @Test("each kind of subscription to a completable delivers its event", arguments: ["error", "completed"])
    func completableSubscriptions(kind: String) {
        let completable: Completable = kind == "error" ? .error(Oops()) : .empty()
        let log = Log()
        _ = completable.subscribe { event in
            switch event {
            case .error: log.note("error")
            case .completed: log.note("completed")
            }
        }
        _ = completable.subscribe(
            onCompleted: { log.note("completed") }, onError: { _ in log.note("error") },
            onDisposed: { log.note("disposed") })
        _ = completable.subscribe(
            with: log, onCompleted: { $0.note("completed") }, onError: { log, _ in log.note("error") },
            onDisposed: { $0.note("disposed") })
        #expect(log.text == "\(kind), \(kind), disposed, \(kind), disposed")
    }

    @Test("a subscription disposed before the event reports only that it is disposed")
    func disposedBefore() {
        let log = Log()
        let subject = PublishSubject<Int>()
        let subscription = subject.asSingle().subscribe(
            onSuccess: { _ in log.note("success") }, onFailure: { _ in log.note("failure") },
            onDisposed: { log.note("disposed") })
        subject.onNext(1)
        subscription.dispose()
        subject.onCompleted()
        subscription.dispose()
        #expect(log.text == "disposed")
        #expect(!subject.hasObservers)
    }

    @Test("an object that has gone is not notified")
    func goneObject() {
        let log = Log()
        let subject = PublishSubject<Int>()
        var owner: Recorder<Int>? = Recorder()
        let subscription = subject.asSingle().subscribe(
            with: owner!, onSuccess: { _, _ in log.note("success") }, onDisposed: { _ in log.note("disposed") })
        owner = nil
        subject.onNext(1)
        subject.onCompleted()
        subscription.dispose()
        #expect(log.text == "")
    }

    @Test("what subscribes a trait leaves its bag at the end")
    func leavesBag() {
        let bag = DisposeBag()
        let subject = PublishSubject<Int>()
        weak var held: Recorder<Int>?
        do {
            let owner = Recorder<Int>()
            held = owner
            subject.first().subscribe(onSuccess: { [owner] _ in owner.onCompleted() }).disposed(by: bag)
        }
        #expect(held != nil)
        subject.onNext(1)
        #expect(held == nil)
        withExtendedLifetime(bag) {}
    }

    @Test("asSingle and asMaybe take one element, at the end, and refuse a second at once")
    func oneElement() {
        #expect(marbles(of: Observable.of(1).asSingle()) == "1 |")
        #expect(marbles(of: Observable.of(1, 2).asSingle()) == "x")
        #expect(marbles(of: Observable<Int>.empty().asSingle()) == "x")
        #expect(marbles(of: Observable<Int>.error(Oops()).asSingle()) == "x")
        #expect(marbles(of: Observable.of(1).asMaybe()) == "1 |")
        #expect(marbles(of: Observable.of(1, 2).asMaybe()) == "x")
        #expect(marbles(of: Observable<Int>.empty().asMaybe()) == "|")
        #expect(marbles(of: Observable<Int>.error(Oops()).asMaybe()) == "x")

        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        _ = subject.asSingle().asObservable().subscribe(recorder)
        subject.onNext(1)
        #expect(recorder.text == "")
        subject.onNext(2)
        #expect(recorder.text == "x")
        #expect(!subject.hasObservers)
    }

    @Test("the errors of asSingle and single name what was wrong")
    func oneElementErrors() {
        #expect(failure(of: Observable.of(1, 2).asSingle()) == "Sequence contains more than one element.")
        #expect(failure(of: Observable.of(1, 2).asMaybe()) == "Sequence contains more than one element.")
        #expect(failure(of: Observable<Int>.empty().asSingle()) == "Sequence doesn't contain any elements.")
        #expect(failure(of: Observable.of(1, 2).single()) == "Sequence contains more than one element.")
        #expect(failure(of: Observable<Int>.empty().single()) == "Sequence doesn't contain any elements.")
    }

    @Test("single hands its element on when it arrives, and looks at those that satisfy the predicate")
    func singleElement() {
        #expect(marbles(of: Observable.of(1).single()) == "1 |")
        #expect(marbles(of: Observable.of(1, 2).single()) == "1 x")
        #expect(marbles(of: Observable<Int>.empty().single()) == "x")
        #expect(marbles(of: Observable.of(1, 2, 3).single { $0 == 2 }) == "2 |")
        #expect(marbles(of: Observable.of(1, 2, 3).single { $0 > 1 }) == "2 x")
        #expect(marbles(of: Observable.of(1, 2, 3).single { $0 > 3 }) == "x")
        #expect(marbles(of: Observable.of(1, 2, 3).single { _ in throw Oops() }) == "x")
    }

    @Test("first takes the first element as soon as it is there, or nil")
    func first() {
        #expect(marbles(of: Observable.of(1, 2).first()) == "Optional(1) |")
        #expect(marbles(of: Observable<Int>.empty().first()) == "nil |")
        #expect(marbles(of: Observable<Int>.error(Oops()).first()) == "x")
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int?>()
        _ = subject.first().asObservable().subscribe(recorder)
        subject.onNext(7)
        #expect(recorder.text == "Optional(7) |")
        #expect(!subject.hasObservers)
    }

    @Test("a first that sends to its own source stays with the first")
    func firstReentrant() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int?>()
        _ = subject.first().asObservable().do(onNext: { _ in subject.onNext(2) }).subscribe(recorder)
        subject.onNext(1)
        #expect(recorder.text == "Optional(1) |")
    }

    @Test("ignoreElements, asCompletable and toArray deliver the end")
    func ends() {
        #expect(marbles(of: Observable.of(1, 2).ignoreElements()) == "|")
        #expect(marbles(of: Observable.of(1, 2).ignoreElements().asCompletable()) == "|")
        #expect(marbles(of: Observable<Int>.error(Oops()).ignoreElements().asCompletable()) == "x")
        #expect(marbles(of: Observable.of(1, 2).toArray()) == "[1, 2] |")
        #expect(marbles(of: Observable<Int>.error(Oops()).toArray()) == "x")
    }

    @Test("one of many events of a single that is completed from many threads is delivered")
    func completedFromManyThreads() async {
        for _ in 0..<50 {
            let creator = Locked<Single<Int>.SingleObserver?>(nil)
            let single = Single<Int>.create { single in
                creator.withLock { $0 = single }
                return Disposables.create()
            }
            let told = Log()
            let subscription = single.subscribe(
                onSuccess: { _ in told.note("event") }, onFailure: { _ in told.note("event") },
                onDisposed: { told.note("disposed") })
            let send = creator.withLock { $0 }
            await withTaskGroup { group in
                for number in 0..<4 {
                    group.addTask { send?(number % 2 == 0 ? .success(number) : .failure(Oops())) }
                }
            }
            creator.withLock { $0 = nil }
            #expect(told.text == "event, disposed")
            subscription.dispose()
        }
    }

    private func failure(of source: some ObservableConvertibleType) -> String {
        let log = Log()
        _ = source.asObservable().subscribe(onError: { log.note(($0 as? RxError)?.debugDescription ?? "another error") }
        )
        return log.text
    }
}
