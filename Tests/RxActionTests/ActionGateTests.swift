import Dispatch
import Rx
import RxAction
import Testing
import TestSupport

@Suite("The gate of an action: order, re-entrancy, threads", .leakFree)
struct ActionGateTests {
    private let log = Log()

    @Test("everything is delivered in one order", arguments: ["completes", "fails"])
    func order(how: String) {
        let action = Action<Int, Int>(
            workFactory: { input in
                Observable.of(input, input + 1).concat(how == "fails" ? Observable.error(Oops()) : .empty())
            }, onTransition: { [log] in log.write($0) })
        action.start(1)
        let end = how == "fails" ? "failed" : "completed"
        #expect(log.text == "started executing disabled 1 2 \(end) idle enabled")
    }

    @Test("transitions has the same order for its subscribers")
    func transitions() {
        let action = Action<Int, Int> { .just($0) }
        let subscription = action.transitions.subscribe(onNext: { [log] in log.write($0) })
        action.start(1)
        #expect(log.text == "started executing disabled 1 completed idle enabled")
        subscription.dispose()
    }

    @Test(
        "a subscriber that comes among elements that wait together receives those after it",
        arguments: [("action", "1 2 3 4 late:4 5 late:5"), ("execution", "1 2 3 late:4 4 late:5 5")])
    func lateAmongQueued(of what: String, expected: String) {
        let work = Locked<AnyObserver<Int>?>(nil), action = Locked<Action<Int, Int>?>(nil)
        let subscription = SerialDisposable()
        let made = Action<Int, Int>(
            workFactory: { _ in
                Observable.create { observer in
                    work.withLock { $0 = observer }
                    return Disposables.create()
                }
            },
            onTransition: { [log] transition in
                guard case .element(let execution, let element) = transition else { return }
                log.write("\(element)")
                if element == 1 {
                    for next in 2...5 { work.withLock { $0 }?.onNext(next) }
                } else if element == 3 {
                    let late = what == "action" ? action.withLock { $0 }?.elements : execution.elements
                    subscription.disposable = log.record("late:", late ?? .never())
                }
            })
        action.withLock { $0 = made }
        made.start(0)
        work.withLock { $0 }?.onNext(1)
        #expect(log.text == expected)
        work.withLock { $0 }?.onCompleted()
        subscription.dispose()
        action.withLock { $0 = nil }
        work.withLock { $0 = nil }
    }

    @Test("synchronous work loses nothing, and its elements are delivered as they come")
    func synchronousWork() {
        let action = Action<Int, Int>(
            workFactory: { [log] count in
                Observable.create { observer in
                    for element in 0..<count {
                        log.write("sends")
                        observer.onNext(element)
                    }
                    observer.onCompleted()
                    return Disposables.create()
                }
            }, onTransition: { [log] in log.write($0) })
        action.start(2)
        #expect(log.text == "started executing disabled sends 0 sends 1 completed idle enabled")
    }

    @Test("an attempt from within the factory is refused, and the outer caller gets its own")
    func reentrantInFactory() {
        let box = Locked<Action<Int, Int>?>(nil)
        let action = Action<Int, Int> { [log] input in
            if input == 1, let action = box.withLock({ $0 }) { _ = log.record("inner:", action.execute(2)) }
            return .just(input)
        }
        box.withLock { $0 = action }
        _ = log.record("outer:", action.execute(1))
        #expect(log.text == "inner:!notEnabled outer:1 outer:|")
        box.withLock { $0 = nil }
    }

    @Test("an attempt while the end is delivered starts, and is delivered after it")
    func reentrantAtEnd() {
        let box = Locked<Action<Int, Int>?>(nil)
        let action = Action<Int, Int>(
            workFactory: { .just($0) },
            onTransition: { [log] transition in
                log.write(transition)
                if case .ended = transition, log.all.filter({ $0 == "started" }).count == 1 {
                    box.withLock { $0 }?.start(2)
                }
            })
        box.withLock { $0 = action }
        action.start(1)
        #expect(
            log.text
                == "started executing disabled 1 completed idle enabled started executing disabled 2 completed idle "
                + "enabled"
        )
        box.withLock { $0 = nil }
    }

    @Test("a chain of a hundred thousand executions, each started by the end of the one before, needs no deep stack")
    func longChain() {
        let box = Locked<Action<Int, Int>?>(nil)
        let ended = Locked(0)
        let action = Action<Int, Int>(
            workFactory: { .just($0) },
            onTransition: { transition in
                guard case .ended = transition else { return }
                if ended.withLock({
                    $0 += 1; return $0
                }) < 100_000 {
                    box.withLock { $0 }?.start(0)
                }
            })
        box.withLock { $0 = action }
        action.start(0)
        #expect(ended.withLock { $0 } == 100_000)
        #expect(!action.isExecuting)
        box.withLock { $0 = nil }
    }

    @Test("two such chains on two threads at once need no deep stack either")
    func twoLongChains() async {
        let box = Locked<Action<Int, Int>?>(nil)
        let ended = Locked(0)
        let action = Action<Int, Int>(
            overlap: .concurrent(limit: 2), workFactory: { .just($0) },
            onTransition: { transition in
                guard case .ended = transition else { return }
                if ended.withLock({
                    $0 += 1; return $0
                }) < 200_000 {
                    box.withLock { $0 }?.start(0)
                }
            })
        box.withLock { $0 = action }
        await onThreads(2) { _ in action.start(0) }
        #expect(ended.withLock { $0 } >= 200_000)
        #expect(!action.isExecuting)
        box.withLock { $0 = nil }
    }

    @Test("an input is let go of outside the lock: what it does then may use the action")
    func inputsDeinit() {
        final class Last: Sendable {
            let whenGone: @Sendable () -> Void
            init(_ whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }
            deinit { whenGone() }
        }
        let gone = Locked(0)
        let box = Locked<Action<Last, Int>?>(nil)
        let look: @Sendable () -> Void = {
            // Would wait for itself for ever within the lock.
            _ = box.withLock { $0 }?.check()
            gone.withLock { $0 += 1 }
        }
        let action = Action<Last, Int>(overlap: .queue(limit: 10)) { _ in .just(1) }
        box.withLock { $0 = action }
        let subscription = action.completions.subscribe(onNext: {
            if gone.withLock({ $0 }) < 5 { for _ in 0..<3 { action.start(Last(look)) } }
        })
        action.start(Last(look))
        let first = action.elements.take(1).subscribe(onNext: { _ in
            for _ in 0..<3 { action.start(Last(look)).success?.cancel() }
        })
        action.start(Last(look))
        #expect(gone.withLock { $0 } >= 8)
        #expect(!action.isExecuting)
        box.withLock { $0 = nil }
        subscription.dispose()
        first.dispose()
    }

    @Test("of two threads one wins at a time, and nobody gets another's element")
    func twoThreads() async {
        let running = Locked(0), overlaps = Locked(0), started = Locked(0)
        let action = Action<Int, Int> { input in
            Observable.create { observer in
                if running.withLock({
                    $0 += 1; return $0
                }) > 1 {
                    overlaps.withLock { $0 += 1 }
                }
                started.withLock { $0 += 1 }
                observer.onNext(input)
                running.withLock { $0 -= 1 }
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let attempts = 20_000
        let wrong = Locked(0), won = Locked(0), refused = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<2 {
                group.addTask {
                    for attempt in 0..<attempts {
                        let input = attempt * 2 + thread
                        let done = DispatchSemaphore(value: 0)
                        let elements = Locked<[Int]>([])
                        _ = action.execute(input).subscribe(
                            onNext: { element in elements.withLock { $0.append(element) } },
                            onError: { _ in
                                refused.withLock { $0 += 1 }
                                done.signal()
                            },
                            onCompleted: {
                                won.withLock { $0 += 1 }
                                if elements.withLock({ $0 }) != [input] { wrong.withLock { $0 += 1 } }
                                done.signal()
                            })
                        // The other thread may be the one delivering; it is running, so this is short.
                        done.wait()
                    }
                }
            }
        }
        #expect(overlaps.withLock { $0 } == 0)
        #expect(wrong.withLock { $0 } == 0)
        #expect(won.withLock { $0 } == started.withLock { $0 })
        #expect(won.withLock { $0 } + refused.withLock { $0 } == 2 * attempts)
        #expect(!action.isExecuting && action.isEnabled)
    }

    @Test("two threads starting: the transitions keep their order per execution")
    func twoThreadsOrder() async {
        let action = Action<Int, Int>(workFactory: { .just($0) }, onTransition: { [log] in log.write($0) })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { for attempt in 0..<2_000 { action.start(attempt) } } }
        }
        let words = log.all.filter { !$0.hasPrefix("refused") }
        #expect(words.count % 7 == 0)
        for start in stride(from: 0, to: words.count, by: 7) {
            let one = Array(words[start..<start + 7])
            guard one[0] == "started", one[1] == "executing", one[2] == "disabled", Int(one[3]) != nil,
                one[4] == "completed", one[5] == "idle", one[6] == "enabled"
            else {
                Issue.record("out of order: \(one)")
                return
            }
        }
    }

    @Test("nothing is kept of past executions")
    func forgetsExecutions() {
        final class Held: Sendable {}
        weak var held: Held?
        let action = Action<Held, Int> { object in
            withExtendedLifetime(object) { .just(1) }
        }
        let subscription = action.elements.subscribe()
        do {
            let object = Held()
            held = object
            action.execute(object)
        }
        #expect(held == nil)
        subscription.dispose()
    }

    @Test("an action that is executing does not keep itself alive")
    func noCircle() {
        let work = PublishSubject<Int>()
        var action: Action<Int, Int>? = Action { _ in work }
        weak let gone = action
        action?.execute(1)
        action = nil
        #expect(gone == nil)
        #expect(work.hasObservers)
        work.onCompleted()
        #expect(!work.hasObservers)
    }
}
