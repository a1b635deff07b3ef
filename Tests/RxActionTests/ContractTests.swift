import Rx
import RxAction
import RxTest
import Testing
import TestSupport

/// One test a line of what a program written for Action or RACCommand relies on, by the line's number. The tests of the
/// other suites go deeper.
@Suite("What an action promises, line by line", .leakFree)
struct ContractTests {
    private let scheduler = TestScheduler(initialClock: 0)
    private let bag = DisposeBag()

    /// Records with virtual times.
    private func record<Element>(_ observable: Observable<Element>) -> TestableObserver<Element> {
        let observer = scheduler.createObserver(Element.self)
        observable.subscribe(observer).disposed(by: bag)
        return observer
    }

    /// Work that sends `input` after 5 and `input + 1` after 8, then completes or fails after 10.
    private func slow(_ input: Int, fails: Bool = false) -> Observable<Int> {
        scheduler.createColdObservable([
            .next(5, input), .next(8, input + 1), fails ? .error(10, Oops()) : .completed(10),
        ]).asObservable()
    }

    private func text(_ errors: [Recorded<Event<ActionError>>]) -> [String] {
        errors.map { recorded in
            switch recorded.value {
            case .next(let error): "\(recorded.time) \(error)"
            case .error(let error): "\(recorded.time) failed \(error)"
            case .completed: "\(recorded.time) completed"
            }
        }
    }

    @Test("1: each next of inputs executes once; error and completed are ignored, and later next still works")
    func line1() {
        let calls = Locked<[Int]>([])
        let action = Action<Int, Int> { input in
            calls.withLock { $0.append(input) }
            return .just(input)
        }
        action.inputs.onNext(1)
        action.inputs.onError(Oops())
        action.inputs.onNext(2)
        action.inputs.onCompleted()
        action.inputs.onNext(3)
        #expect(calls.withLock { $0 } == [1, 2, 3])
        // One observer too, which the ends do not end.
        let inputs = action.inputs
        inputs.onCompleted()
        inputs.onNext(4)
        #expect(calls.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test("2: elements has those of all executions at their times, and neither fails nor completes")
    func line2() {
        let action = Action<Int, Int> { slow($0, fails: $0 == 3) }
        let elements = record(action.elements)
        for (time, input) in [(10, 1), (30, 3), (50, 5)] { scheduler.scheduleAt(time) { action.execute(input) } }
        scheduler.start()
        #expect(
            elements.events == [
                .next(15, 1), .next(18, 2), .next(35, 3), .next(38, 4), .next(55, 5), .next(58, 6),
            ])
    }

    @Test("3: errors has each refusal and failure as next, underlyingError the wrapped ones, and neither replays")
    func line3() {
        let action = Action<Int, Int> { slow($0, fails: true) }
        let errors = record(action.errors)
        let underlying = record(action.underlyingError.map { "\($0)" })
        for time in [10, 12, 30] { scheduler.scheduleAt(time) { action.execute(1) } }
        scheduler.start()
        #expect(text(errors.events) == ["12 notEnabled", "20 underlying(oops)", "40 underlying(oops)"])
        #expect(underlying.events == [.next(20, "oops"), .next(40, "oops")])
        #expect(record(action.errors).events.isEmpty)
        #expect(record(action.underlyingError).events.isEmpty)
    }

    @Test("4: executionObservables has one observable a started execution, none for a refused one, and none fails")
    func line4() {
        let action = Action<Int, Int> { slow($0, fails: $0 == 3) }
        let executions = record(action.executionObservables.map { _ in "started" })
        let flattened = record(action.executionObservables.flatMap { $0 })
        for (time, input) in [(10, 1), (12, 9), (30, 3), (50, 5)] {
            scheduler.scheduleAt(time) { action.execute(input) }
        }
        scheduler.start()
        #expect(executions.events == [.next(10, "started"), .next(30, "started"), .next(50, "started")])
        #expect(
            flattened.events == [
                .next(15, 1), .next(18, 2), .next(35, 3), .next(38, 4), .next(55, 5), .next(58, 6),
            ])
    }

    @Test("5: executing and enabled follow what is in flight, after success as after failure, and replay")
    func line5() {
        let condition = BehaviorSubject(value: true)
        let action = Action<Int, Int>(enabledIf: condition, overlap: .concurrent(limit: 2)) {
            slow($0, fails: $0 == 3)
        }
        let executing = record(action.executing)
        let enabled = record(action.enabled)
        for (time, input) in [(10, 1), (14, 3), (40, 3)] { scheduler.scheduleAt(time) { action.execute(input) } }
        scheduler.scheduleAt(45) { condition.onNext(false) }
        let late = Locked<[Bool]>([])
        scheduler.scheduleAt(16) {
            action.executing.take(1).subscribe(onNext: { value in late.withLock { $0.append(value) } }).dispose()
            action.enabled.take(1).subscribe(onNext: { value in late.withLock { $0.append(value) } }).dispose()
        }
        scheduler.start()
        // The first ends at 20, the second at 24.
        #expect(
            executing.events == [.next(0, false), .next(10, true), .next(24, false), .next(40, true), .next(50, false)])
        #expect(enabled.events == [.next(0, true), .next(14, false), .next(20, true), .next(45, false)])
        #expect(late.withLock { $0 } == [true, false])
    }

    @Test("6: the levels of two executions of synchronous work, with their times")
    func line6() {
        let action = Action<Int, Int> { .just($0) }
        let enabled = record(action.enabled)
        let executing = record(action.executing)
        for time in [10, 20] { scheduler.scheduleAt(time) { action.execute(time) } }
        scheduler.start()
        #expect(
            enabled.events == [.next(0, true), .next(10, false), .next(10, true), .next(20, false), .next(20, true)])
        #expect(
            executing.events == [.next(0, false), .next(10, true), .next(10, false), .next(20, true), .next(20, false)])
    }

    @Test("7: disabled, the factory is never called, each attempt gives notEnabled, and nothing executes")
    func line7() {
        let calls = Locked(0)
        let action = Action<Int, Int>(enabledIf: .just(false)) { input in
            calls.withLock { $0 += 1 }
            return .just(input)
        }
        let errors = record(action.errors)
        let executions = record(action.executionObservables.map { _ in 0 })
        let executing = record(action.executing)
        scheduler.scheduleAt(10) { action.execute(1) }
        scheduler.scheduleAt(20) { action.inputs.onNext(2) }
        scheduler.start()
        #expect(calls.withLock { $0 } == 0)
        #expect(text(errors.events) == ["10 notEnabled", "20 notEnabled"])
        #expect(executions.events.isEmpty)
        #expect(executing.events == [.next(0, false)])
    }

    @Test(
        "8: execute has its execution's elements and end at their times, replayed to late subscribers; one subscription"
    )
    func line8() {
        let source = scheduler.createColdObservable([.next(5, 1), .next(8, 2), .completed(10)])
        let action = Action<Bool, Int>(overlap: .concurrent(limit: 9)) { isGood in
            isGood ? source.asObservable() : .error(Oops())
        }
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        let late = scheduler.createObserver(Int.self)
        let failed = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(10) { [bag] in
            let result = action.execute(true)
            result.subscribe(first).disposed(by: bag)
            result.subscribe(second).disposed(by: bag)
            scheduler.scheduleAt(40) { result.subscribe(late).disposed(by: bag) }
        }
        scheduler.scheduleAt(30) { [bag] in action.execute(false).subscribe(failed).disposed(by: bag) }
        scheduler.start()
        #expect(first.events == [.next(15, 1), .next(18, 2), .completed(20)])
        #expect(second.events == first.events)
        #expect(late.events == [.next(40, 1), .next(40, 2), .completed(40)])
        #expect(failed.events == [.error(30, ActionError.underlyingError(Oops()))])
        #expect(source.subscriptions == [Subscription(10, 20)])
    }

    @Test("9: while executing, a second execute fails at once with notEnabled and the first is unharmed")
    func line9() {
        let calls = Locked(0)
        let action = Action<Int, Int> { input in
            calls.withLock { $0 += 1 }
            return slow(input)
        }
        let executions = record(action.executions.map { _ in 0 })
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(10) { [bag] in action.execute(1).subscribe(first).disposed(by: bag) }
        scheduler.scheduleAt(16) { [bag] in action.execute(5).subscribe(second).disposed(by: bag) }
        scheduler.start()
        #expect(first.events == [.next(15, 1), .next(18, 2), .completed(20)])
        #expect(second.events == [.error(16, ActionError.notEnabled)])
        #expect(executions.events.count == 1)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("10: completions has one element a success of a completable action, none for a failure, and again later")
    func line10() {
        let action = CompletableAction<Bool> { succeeds in
            scheduler.createColdObservable([succeeds ? .completed(5) : .error(5, Oops())]).asObservable()
        }
        let completions = record(action.completions.map { "done" })
        for (time, succeeds) in [(10, true), (20, false), (30, true)] {
            scheduler.scheduleAt(time) { action.execute(succeeds) }
        }
        scheduler.start()
        #expect(completions.events == [.next(15, "done"), .next(35, "done")])
    }

    @Test("11: enabledIf is sampled at once and followed; before it has sent anything the action is disabled")
    func line11() {
        let sampled = BehaviorSubject(value: true)
        let open = Action<Int, Int>(enabledIf: sampled) { .just($0) }
        #expect(open.isEnabled)
        let silent = PublishSubject<Bool>()
        let closed = Action<Int, Int>(enabledIf: silent) { .just($0) }
        #expect(!closed.isEnabled)
        let enabled = record(closed.enabled)
        for (time, value) in [(10, true), (20, false), (30, true), (40, true)] {
            scheduler.scheduleAt(time) { silent.onNext(value) }
        }
        scheduler.start()
        #expect(enabled.events == [.next(0, false), .next(10, true), .next(20, false), .next(30, true)])
    }

    @Test("12: levels are sent before the work is subscribed, and work may execute its own action where there is room")
    func line12() {
        let log = Log()
        let box = Locked<Action<Int, Int>?>(nil)
        let action = Action<Int, Int>(overlap: .concurrent(limit: 2)) { input in
            Observable.deferred {
                log.write("subscribed\(input)")
                if input > 0 { box.withLock { $0 }?.execute(input - 1) }
                return .just(input)
            }
        }
        box.withLock { $0 = action }
        let levels = [
            action.executing.subscribe(onNext: { log.write("executing:\($0)") }),
            action.enabled.subscribe(onNext: { log.write("enabled:\($0)") }),
            action.elements.subscribe(onNext: { log.write("\($0)") }),
        ]
        log.clear()
        action.execute(1)
        #expect(
            log.text == "executing:true subscribed1 enabled:false subscribed0 0 enabled:true 1 executing:false")
        for level in levels { level.dispose() }
        box.withLock { $0 = nil }
    }

    @Test("13: when the action goes away its streams complete, though enabledIf has not")
    func line13() {
        let condition = BehaviorSubject(value: true)
        let box = Locked<Action<Int, Int>?>(Action(enabledIf: condition) { .just($0) })
        let streams: [Observable<String>]
        if let action = box.withLock({ $0 }) {
            streams = [
                action.elements.map { "\($0)" }, action.errors.map { "\($0)" }, action.underlyingError.map { "\($0)" },
                action.completions.map { "" }, action.executing.map { "\($0)" }, action.enabled.map { "\($0)" },
                action.executions.map { _ in "" }, action.executionObservables.map { _ in "" },
                action.transitions.map { _ in "" },
            ]
        } else {
            streams = []
        }
        let observers = streams.map { record($0) }
        scheduler.scheduleAt(10) { box.withLock { $0 = nil } }
        scheduler.start()
        #expect(observers.count == 9)
        for observer in observers { #expect(observer.events.last == .completed(10)) }
        #expect(!condition.hasObservers)
    }
}
