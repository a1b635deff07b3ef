import Rx
import RxAction
import Testing
import TestSupport

@Suite("The contract of an action", .leakFree)
struct ActionTests {
    private let log = Log()

    // MARK: - 1 to 4: the streams

    @Test("inputs executes each element and ignores ends")
    func inputs() {
        let action = Action<Int, Int> { .just($0 * 2) }
        let subscription = log.record("", action.elements)
        action.inputs.onNext(1)
        action.inputs.onError(Oops())
        action.inputs.onCompleted()
        action.inputs.onNext(2)
        #expect(log.text == "2 4")
        subscription.dispose()
    }

    @Test("an observer of inputs does not keep the action alive")
    func inputsAreWeak() {
        var action: Action<Int, Int>? = Action { .just($0) }
        weak let gone = action
        let inputs = action?.inputs
        action = nil
        #expect(gone == nil)
        inputs?.onNext(1)
    }

    @Test("elements carries those of all executions and survives failures")
    func elements() {
        let action = Action<Int, Int> { $0 < 0 ? Observable.of($0).concat(Observable.error(Oops())) : .of($0, $0 + 1) }
        let subscription = log.record("", action.elements)
        action.execute(1)
        action.execute(-5)
        action.execute(7)
        #expect(log.text == "1 2 -5 7 8")
        subscription.dispose()
    }

    @Test("errors carries each refusal and failure as elements, and replays none")
    func errors() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int> { $0 == 0 ? work : .error(Oops()) }
        let subscriptions = [log.record("", action.errors), log.record("u:", action.underlyingError)]
        action.execute(1)
        action.execute(0)
        action.execute(0)
        #expect(log.text == "underlying(oops) u:oops notEnabled")
        let late = Log()
        let lateSubscription = late.record("", action.errors)
        #expect(late.text == "")
        for subscription in subscriptions + [lateSubscription] { subscription.dispose() }
        work.onCompleted()
    }

    @Test("executionObservables has one observable for each started execution, none of which fails")
    func executionObservables() {
        let action = Action<Int, Int> { $0 < 0 ? Observable.of($0).concat(Observable.error(Oops())) : .just($0) }
        let count = Locked(0)
        let counting = action.executionObservables.subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        let subscription = log.record("", action.executionObservables.flatMap { $0 })
        action.execute(1)
        action.execute(-1)
        action.execute(2)
        #expect(log.text == "1 -1 2")
        #expect(count.withLock { $0 } == 3)
        counting.dispose()
        subscription.dispose()
    }

    @Test("a refused input has no execution observable and never reaches the factory")
    func refusedHasNone() {
        let calls = Locked(0)
        let action = Action<Int, Int>(enabledIf: .just(false)) { input in
            calls.withLock { $0 += 1 }
            return .just(input)
        }
        let subscriptions = [
            log.record("x:", action.executions.map { _ in 0 }), log.record("", action.errors),
            log.record("", action.executing),
        ]
        #expect(!action.isEnabled)
        action.execute(1)
        action.inputs.onNext(2)
        #expect(log.text == "false notEnabled notEnabled")
        #expect(calls.withLock { $0 } == 0)
        for subscription in subscriptions { subscription.dispose() }
    }

    // MARK: - 5 to 7: levels

    @Test("executing and enabled start, change and end as they should, and replay", arguments: [true, false])
    func levels(succeeds: Bool) {
        let work = PublishSubject<Int>()
        let action = Action<Void, Int> { work }
        let subscriptions = [log.record("executing:", action.executing), log.record("enabled:", action.enabled)]
        #expect(log.text == "executing:false enabled:true")
        log.clear()
        action.execute()
        #expect(action.isExecuting && !action.isEnabled)
        let late = Log()
        let lateSubscriptions = [late.record("", action.executing), late.record("", action.enabled)]
        #expect(late.text == "true false")
        if succeeds { work.onCompleted() } else { work.onError(Oops()) }
        #expect(!action.isExecuting && action.isEnabled)
        #expect(log.text == "executing:true enabled:false executing:false enabled:true")
        for subscription in subscriptions + lateSubscriptions { subscription.dispose() }
    }

    @Test("two executions of synchronous work, one after the other")
    func twoExecutions() {
        let action = Action<Int, Int> { .just($0) }
        let enabled = Log(), executing = Log()
        let subscriptions = [enabled.record("", action.enabled), executing.record("", action.executing)]
        action.execute(1)
        action.execute(2)
        #expect(enabled.text == "true false true false true")
        #expect(executing.text == "false true false true false")
        for subscription in subscriptions { subscription.dispose() }
    }

    // MARK: - 8 and 9: results

    @Test("execute returns that execution's elements and end, replayed to late subscribers")
    func results() {
        let subscribed = Locked(0)
        let action = Action<Int, Int> { input in
            Observable.create { observer in
                subscribed.withLock { $0 += 1 }
                for element in 0..<3 { observer.onNext(input + element) }
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let result = action.execute(10)
        _ = log.record("", result)
        _ = log.record("late:", result)
        #expect(log.text == "10 11 12 | late:10 late:11 late:12 late:|")
        #expect(subscribed.withLock { $0 } == 1)
    }

    @Test("the result of failed work fails with underlyingError, of a refusal with notEnabled")
    func failedResults() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int> { _ in work }
        let result = action.execute(1)
        _ = log.record("first:", result)
        _ = log.record("second:", action.execute(2))
        work.onNext(7)
        work.onError(Oops())
        #expect(log.text == "second:!notEnabled first:7 first:!underlying(oops)")
    }

    @Test("while executing, a second attempt harms nothing and reaches no work")
    func rejectWhileExecuting() {
        let work = PublishSubject<Int>()
        let calls = Locked(0)
        let action = Action<Int, Int> { _ in
            calls.withLock { $0 += 1 }
            return work
        }
        let first = action.start(1).success
        guard case .failure(.executing(let ids, limit: 1)) = action.start(2) else {
            Issue.record("the second was not refused for the first")
            return
        }
        #expect(ids == [first?.id])
        work.onCompleted()
        #expect(first?.state == .completed)
        #expect(calls.withLock { $0 } == 1)
    }

    // MARK: - 10 to 13

    @Test("completions has one element for each completion and none for a failure")
    func completions() {
        let action = CompletableAction<Bool> { $0 ? .empty() : .error(Oops()) }
        let subscription = log.record("", action.completions.map { "done" })
        action.execute(true)
        action.execute(false)
        action.execute(true)
        #expect(log.text == "done done")
        subscription.dispose()
    }

    @Test("enabledIf is sampled at once, followed, and false before its first value")
    func condition() {
        let behavior = BehaviorSubject(value: true)
        let sampled = Action<Int, Int>(enabledIf: behavior) { .just($0) }
        #expect(sampled.isEnabled)
        behavior.onNext(false)
        #expect(!sampled.isEnabled)
        behavior.onNext(true)
        behavior.onCompleted()
        #expect(sampled.isEnabled)

        let silent = PublishSubject<Bool>()
        let closed = Action<Int, Int>(enabledIf: silent) { .just($0) }
        let subscription = log.record("", closed.enabled)
        #expect(!closed.isEnabled)
        silent.onNext(true)
        silent.onNext(true)
        #expect(log.text == "false true")
        subscription.dispose()
    }

    @Test("a condition that changes while executing shows when the execution has ended")
    func conditionWhileExecuting() {
        let condition = BehaviorSubject(value: true)
        let work = PublishSubject<Int>()
        let action = Action<Int, Int>(enabledIf: condition) { _ in work }
        let subscription = log.record("", action.enabled)
        action.execute(1)
        condition.onNext(false)
        work.onCompleted()
        #expect(log.text == "true false")
        condition.onNext(true)
        #expect(log.text == "true false true")
        subscription.dispose()
    }

    @Test("a condition that fails disables with that error as the reason, and reports it on errors")
    func conditionFails() {
        let condition = BehaviorSubject(value: true)
        let action = Action<Int, Int>(enabledIf: condition, workFactory: { .just($0) }) { [log] in log.write($0) }
        let errors = Log()
        let subscription = errors.record("", action.errors)
        condition.onError(Oops())
        guard case .failure(.condition(.some(let reason))) = action.start(1) else {
            Issue.record("not refused for the condition's error")
            return
        }
        #expect(reason is Oops)
        #expect(log.text == "conditionFailed disabled refused:error")
        #expect(errors.text == "underlying(oops) notEnabled")
        subscription.dispose()
    }

    @Test("state changes are published before the work is subscribed")
    func stateBeforeWork() {
        let action = Action<Int, Int>(
            work: { [log] input, _ in
                log.write("factory")
                return Observable.create { observer in
                    log.write("subscribed")
                    observer.onNext(input)
                    observer.onCompleted()
                    return Disposables.create()
                }
            }, onTransition: { [log] in log.write($0) })
        action.start(1)
        #expect(log.text == "started executing disabled factory subscribed 1 completed idle enabled")
    }

    @Test("its streams complete when the action goes away, also if enabledIf has not")
    func goesAway() {
        let condition = BehaviorSubject(value: true)
        var action: Action<Int, Int>? = Action(enabledIf: condition) { .just($0) }
        if let action {
            _ = log.record("elements", action.elements)
            _ = log.record("errors", action.errors)
            _ = log.record("executing", action.executing)
            _ = log.record("enabled", action.enabled)
            _ = log.record("executions", action.executions.map { _ in 0 })
            _ = log.record("completions", action.completions.map { 0 })
        }
        log.clear()
        action = nil
        #expect(log.all.sorted() == ["completions|", "elements|", "enabled|", "errors|", "executing|", "executions|"])
        #expect(!condition.hasObservers)
    }

    @Test("what is in flight when the action goes away still reaches its caller")
    func goesAwayInFlight() {
        let work = PublishSubject<Int>()
        var action: Action<Int, Int>? = Action { _ in work }
        let result = action?.execute(1)
        action = nil
        if let result { _ = log.record("", result) }
        work.onNext(5)
        work.onCompleted()
        #expect(log.text == "5 |")
    }

    // MARK: - Shapes

    @Test("factories may return observables, subjects or anything convertible")
    func factories() {
        struct Seven: ObservableConvertibleType {
            func asObservable() -> Observable<Int> { .just(7) }
        }
        let subject = BehaviorSubject(value: 3)
        let ofSubject = Action<Int, Int> { _ in subject }
        let ofOther = Action<Int, Int>(workFactory: { _ in Seven() })
        let trigger = TriggerAction { .just(()) }
        _ = log.record("", ofSubject.execute(0))
        _ = log.record("", ofOther.execute(0))
        _ = log.record("", trigger.execute().map { "trigger" })
        #expect(log.text == "3 7 | trigger |")
        subject.onCompleted()
    }
}
