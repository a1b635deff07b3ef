import Rx
import RxAction
import RxTest
import Testing
import TestSupport

/// One test a row of where the libraries that the contract is taken from fail.
@Suite("Where others fail, row by row", .leakFree)
struct ContractTableTests {
    private let log = Log()

    #if DEBUG
        /// The attempts of each of two threads; unoptimised, more would take longer than all the other tests.
        private static let attempts = 50_000
    #else
        private static let attempts = 100_000
    #endif

    @Test(
        "row 1: two threads, a hundred thousand attempts: nobody gets another's element, every refusal has its reason",
        arguments: [
            Overlap.reject, .queue(limit: 3), .queue(limit: 2, parallel: 3), .concurrent(limit: 2), .latest, .join,
        ])
    func row1(overlap: Overlap) async {
        let action = Action<Int, Int>(overlap: overlap) { .of($0, $0) }
        let attempts = ContractTableTests.attempts
        let accepted = Locked(0), refused = Locked(0), wrong = Locked<[String]>([])
        let ended = Locked(0)
        let ends = action.executions.subscribe(onNext: { _ in ended.withLock { $0 += 1 } })
        await onThreads(2) { thread in
            for attempt in 0..<attempts {
                let input = attempt * 2 + thread
                if attempt % 2 == 0 {
                    // What the caller of `execute` gets; the other thread may be the one that delivers.
                    let got = Locked<[Int]>([])
                    _ = action.execute(input).subscribe { event in
                        guard let element = event.element else { return }
                        got.withLock { $0.append(element) }
                        if element != input, overlap != .join { wrong.withLock { $0.append("\(element) to \(input)") } }
                    }
                    if got.withLock({ Set($0).count }) > 1 { wrong.withLock { $0.append("two to \(input)") } }
                    continue
                }
                switch action.start(input) {
                case .success: accepted.withLock { $0 += 1 }
                case .failure(let refusal):
                    refused.withLock { $0 += 1 }
                    switch (refusal, overlap) {
                    case (.executing(let ids, _), .reject) where ids.count == 1: break
                    case (.executing(let ids, _), .concurrent(let limit)) where ids.count == limit: break
                    case (.queueFull(let limit), .queue(let own, _)) where limit == own: break
                    case (.executing, _), (.queueFull, _), (.tooManyGroups, _), (.condition, _), (.released, _):
                        wrong.withLock { $0.append("refused as \(refusal)") }
                    }
                }
            }
        }
        #expect(wrong.withLock { $0.prefix(3) } == [])
        #expect(accepted.withLock { $0 } + refused.withLock { $0 } == attempts)
        #expect(ended.withLock { $0 } > 0)
        #expect(!action.isExecuting && action.isEnabled)
        ends.dispose()
    }

    @Test("row 2: execute from within the factory: each caller gets its own")
    func row2() {
        let box = Locked<Action<Int, Int>?>(nil)
        let action = Action<Int, Int>(overlap: .concurrent(limit: 2)) { [log] input in
            if input == 1, let action = box.withLock({ $0 }) { _ = log.record("inner:", action.execute(2)) }
            return .just(input)
        }
        box.withLock { $0 = action }
        _ = log.record("outer:", action.execute(1))
        #expect(log.text == "inner:2 inner:| outer:1 outer:|")
        box.withLock { $0 = nil }
    }

    @Test("row 3: synchronous work made with create loses nothing, in elements as in results")
    func row3() {
        let action = Action<Int, Int> { count in
            Observable.create { observer in
                for element in 0..<count { observer.onNext(element) }
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let elements = log.record("", action.elements)
        let results = Log()
        _ = results.record("", action.execute(5))
        #expect(log.text == "0 1 2 3 4")
        #expect(results.text == "0 1 2 3 4 |")
        elements.dispose()
    }

    @Test("row 4: executing is false only after the elements and the error of synchronous work")
    func row4() {
        let action = Action<Int, Int> { Observable.just($0).concat(Observable.error(Oops())) }
        let subscriptions = [
            log.record("executing:", action.executing), log.record("", action.elements), log.record("!", action.errors),
        ]
        action.execute(7)
        #expect(log.text == "executing:false executing:true 7 !underlying(oops) executing:false")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("row 5: enabledIf that fails disables with that error as the reason, sent on errors; a new action recovers")
    func row5() {
        let condition = BehaviorSubject(value: true)
        var action = Action<Int, Int>(enabledIf: condition) { .just($0) }
        let subscriptions = [log.record("", action.errors), log.record("enabled:", action.enabled)]
        condition.onError(Oops())
        #expect(log.text == "enabled:true underlying(oops) enabled:false")
        guard case .failure(.condition(.some(let reason))) = action.check() else {
            Issue.record("not disabled for the condition's error")
            return
        }
        #expect(reason is Oops)
        _ = log.record("result:", action.execute(1))
        #expect(log.all.suffix(2) == ["notEnabled", "result:!notEnabled"])
        for subscription in subscriptions { subscription.dispose() }
        action = Action(enabledIf: .just(true)) { .just($0) }
        _ = log.record("again:", action.execute(2))
        #expect(log.all.last == "again:|")
    }

    @Test("row 6: enabled and executing never repeat a value")
    func row6() {
        let condition = BehaviorSubject(value: true)
        let action = Action<Int, Int>(enabledIf: condition, overlap: .queue(limit: 9)) { .just($0) }
        let subscription = log.record("", action.enabled)
        for value in [true, true, false, false, true] { condition.onNext(value) }
        action.execute(1)
        action.execute(2)
        #expect(log.text == "true false true")
        subscription.dispose()
    }

    @Test(
        "row 7: cancel disposes the work, fails its result with the reason, and ends executing; disposing does not"
    )
    func row7() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int> { _ in work }
        let executing = log.record("executing:", action.executing)
        let execution = Locked<Execution<Int>?>(nil)
        let executions = action.executions.subscribe(onNext: { one in execution.withLock { $0 = one } })
        let result = action.execute(1)
        let first = log.record("first:", result)
        let second = log.record("second:", result)
        first.dispose()
        #expect(work.hasObservers)
        execution.withLock { $0 }?.cancel()
        #expect(!work.hasObservers)
        #expect(
            log.text
                == "executing:false executing:true second:!underlying(ExecutionCancelled()) executing:false")
        for subscription in [executing, executions, second] { subscription.dispose() }
    }

    @Test("rows 8 and 9: nothing of past executions stays; the benchmark has the figures")
    func row8() {
        final class Held: Sendable {}
        let held = Locked<[WeakHeld]>([])
        struct WeakHeld: Sendable {
            weak let object: Held?
        }
        let action = Action<Held, Int>(overlap: .queue(limit: 5)) { _ in .just(1) }
        let subscription = action.elements.subscribe()
        for _ in 0..<1_000 {
            let object = Held()
            held.withLock { $0.append(WeakHeld(object: object)) }
            action.execute(object)
        }
        #expect(held.withLock { $0.allSatisfy { $0.object == nil } })
        subscription.dispose()
    }

    @Test(
        "row 10: one in flight and three more inputs, under each overlap",
        arguments: [
            (Overlap.reject, "1 | notEnabled notEnabled notEnabled"),
            (.queue(limit: 2), "1 2 3 | queueFull"),
            (.queue(limit: 1, parallel: 2), "1 2 3 | queueFull"),
            (.concurrent(limit: 3), "1 2 3 | notEnabled"),
            (.latest, "4 | superseded superseded superseded"),
            (.join, "1 |"),
        ])
    func row10(overlap: Overlap, expected: String) {
        let scheduler = TestScheduler(initialClock: 0)
        let action = Action<Int, Int>(overlap: overlap) { input in
            scheduler.createColdObservable([.next(10, input), .completed(10)]).asObservable()
        }
        let elements = Log(), errors = Log()
        let subscriptions = [
            elements.record("", action.elements),
            action.errors.subscribe(onNext: { error in
                switch error {
                case .notEnabled: errors.write("notEnabled")
                case .underlyingError(is ExecutionSuperseded): errors.write("superseded")
                case .underlyingError(Refusal.queueFull): errors.write("queueFull")
                case .underlyingError(let error): errors.write("\(error)")
                }
            }),
        ]
        for input in 1...4 { scheduler.scheduleAt(input) { action.execute(input) } }
        scheduler.start()
        let said = elements.text + " |" + (errors.count == 0 ? "" : " " + errors.text)
        #expect(said == expected)
        for subscription in subscriptions { subscription.dispose() }
    }
}
