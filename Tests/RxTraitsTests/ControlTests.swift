import Dispatch
import Rx
import RxTraits
import Testing
import TestSupport

@Suite("Control events and properties", .leakFree)
struct ControlTests {
    private let log = Log()

    @Test("a control event passes events on, and becomes a driver or a signal")
    @MainActor func event() {
        let clicks = PublishSubject<Int>()
        let event = ControlEvent(events: clicks)
        let subscriptions = [
            event.asControlEvent().subscribe(onNext: { [log] in log.note("e\($0)") }),
            event.asObservable().subscribe(onNext: { [log] in log.note("o\($0)") }),
            event.asDriver().drive(onNext: { [log] in log.note("d\($0)") }),
            event.asSignal().emit(onNext: { [log] in log.note("s\($0)") }),
        ]
        clicks.onNext(1)
        #expect(log.text == "e1 o1 d1 s1")
        for subscription in subscriptions { subscription.dispose() }
        #expect(!clicks.hasObservers)
    }

    @Test("a control is subscribed to on the main thread, from wherever")
    func subscribesOnMain() async {
        let events = Observable<Int>.create { [log] observer in
            MainActor.assertIsolated()
            log.note("subscribed")
            observer.onNext(1)
            return Disposables.create()
        }
        let subscriptions = [
            ControlEvent(events: events).subscribe(AnyObserver { [log] _ in log.note("event") }),
            ControlProperty(values: events, valueSink: AnyObserver { _ in })
                .subscribe(AnyObserver { [log] _ in log.note("value") }),
        ]
        #expect(await eventually { log.all.count == 4 })
        #expect(Set(log.all) == ["subscribed", "event", "value"])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("a control property is a sequence of its values and an observer that sets it")
    @MainActor func property() {
        let text = BehaviorSubject(value: "a")
        let property = ControlProperty(values: text, valueSink: AnyObserver { [log] in log.note("set \($0)") })
        let subscriptions = [
            property.asObservable().subscribe(onNext: { [log] in log.note("value \($0)") }),
            property.changed.asObservable().subscribe(onNext: { [log] in log.note("changed \($0)") }),
            property.asDriver().drive(onNext: { [log] in log.note("driver \($0)") }),
        ]
        #expect(log.text == "value a driver a")
        text.onNext("b")
        #expect(log.all.suffix(3) == ["value b", "changed b", "driver b"])
        Observable.of("c").bind(to: property.asControlProperty()).dispose()
        #expect(log.all.suffix(2) == ["set next(c)", "set completed"])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("orEmpty turns nil into an empty text, and sets optionals")
    @MainActor func orEmpty() {
        let text = BehaviorSubject<String?>(value: nil)
        let property = ControlProperty(values: text, valueSink: text).orEmpty
        let subscription = property.asObservable().subscribe(onNext: { [log] in log.note("[\($0)]") })
        property.onNext("x")
        #expect(log.text == "[] [x]")
        #expect(try! text.value() == "x")
        subscription.dispose()
    }

    @Test("the operators of a control use the state of the main actor, and pass on what MainObservable does")
    @MainActor func operators() {
        let text = BehaviorSubject(value: 1)
        let property = ControlProperty(values: text, valueSink: text)
        var offset = 0
        let sequences: [MainObservable<Int>] = [
            property.map { $0 + offset }, property.filter { $0 + offset > 1 },
            property.compactMap { $0 > 1 ? $0 : nil },
            property.scan(offset) { $0 + $1 }, property.scan(into: offset) { $0 += $1 }, property.take(1),
            property.skip(1), property.do(onNext: { offset += $0 }), property.distinctUntilChanged(),
            property.distinctUntilChanged { $0 / 2 }, property.distinctUntilChanged { $0 == $1 + offset },
            property.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 }),
            property.distinctUntilChanged(at: \.self),
        ]
        let plain = property.asObservable()
        let wanted: [Observable<Int>] = [
            plain.map { $0 }, plain.filter { $0 > 1 }, plain.compactMap { $0 > 1 ? $0 : nil },
            plain.scan(0) { $0 + $1 },
            plain.scan(into: 0) { $0 += $1 }, plain.take(1), plain.skip(1), plain, plain.distinctUntilChanged(),
            plain.distinctUntilChanged { $0 / 2 }, plain.distinctUntilChanged(),
            plain.distinctUntilChanged { $0 / 2 }, plain.distinctUntilChanged(),
        ]
        for (sequence, plain) in zip(sequences, wanted) {
            let (found, expected) = (Log(), Log())
            text.onNext(1)
            let subscriptions = [
                sequence.subscribe { found.note("\($0)") }, plain.subscribe { expected.note("\($0)") },
            ]
            for element in [1, 2, 3, 3] {
                offset = 0
                text.onNext(element)
            }
            #expect(found.text == expected.text)
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test("within a mock, the closures of a control's operators run on any thread")
    func mock() async {
        let events = PublishSubject<Int>()
        let bag = DisposeBag()
        SharingScheduler.mock(scheduler: makeScheduler()) {
            ControlEvent(events: events).map { $0 + 1 }.filter { $0 > 1 }.take(1)
                .subscribe { [log] in log.note("\($0)") }.disposed(by: bag)
        }
        #expect(await eventually { events.hasObservers })
        await Task.detached { events.onNext(1) }.value
        #expect(log.text == "next(2) completed")
    }

    @Test("an operator of a control traps on another thread")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            let events = PublishSubject<Int>()
            let subscription = ControlEvent(events: events).map { $0 + 1 }.asObservable().subscribe()
            while !events.hasObservers { await Task.yield() }
            await Task.detached { events.onNext(1) }.value
            subscription.dispose()
        }
    }

    #if DEBUG
        @Test("an error for a control property, or from a control, stops a debug build")
        func errors() async {
            await #expect(processExitsWith: .failure) {
                ControlProperty(values: Observable<Int>.never(), valueSink: AnyObserver { _ in }).onError(Oops())
            }
            await #expect(processExitsWith: .failure) { @MainActor in
                _ = ControlEvent(events: Observable<Int>.error(Oops())).asDriver().drive()
            }
        }
    #endif
}
