import Rx
import RxAction
import RxTest
import Testing
import TestSupport

/// Work that the test ends by hand: a subject for each input, and who has subscribed.
private final class Works: Sendable {
    private let subjects = Locked<[Int: PublishSubject<String>]>([:])
    private let order = Locked<[Int]>([])
    private let gone = Locked<[Int]>([])

    /// The inputs whose work was subscribed, in order.
    var subscribed: [Int] { order.withLock { $0 } }
    /// The inputs whose work was disposed or has ended, in order.
    var disposed: [Int] { gone.withLock { $0 } }

    subscript(input: Int) -> PublishSubject<String> {
        subjects.withLock { subjects in
            if let subject = subjects[input] { return subject }
            let made = PublishSubject<String>()
            subjects[input] = made
            return made
        }
    }

    func work(_ input: Int) -> Observable<String> {
        Observable.create { [self] observer in
            order.withLock { $0.append(input) }
            let subscription = self[input].subscribe(observer)
            return Disposables.create { [self] in
                subscription.dispose()
                gone.withLock { $0.append(input) }
            }
        }
    }
}

@Suite("What an input does that arrives while work is in flight", .leakFree)
struct OverlapTests {
    private let log = Log()
    private let works = Works()

    private func action(
        _ overlap: Overlap, enabledIf: Observable<Bool> = .just(true)
    ) -> Action<Int, String> {
        Action(
            enabledIf: enabledIf, overlap: overlap, workFactory: { [works] in works.work($0) },
            onTransition: { [log] in log.write($0) })
    }

    // MARK: queue

    @Test("queue: inputs wait their turn, executing does not fall between them, and each caller gets its own")
    func queueOrder() {
        let action = action(.queue(limit: 2))
        let mine = Log()
        var subscriptions: [any Disposable] = []
        for input in 1...3 { subscriptions.append(mine.record("\(input):", action.execute(input))) }
        #expect(works.subscribed == [1])
        works[1].onNext("a")
        works[1].onCompleted()
        #expect(works.subscribed == [1, 2])
        works[2].onError(Oops())
        works[3].onNext("c")
        works[3].onCompleted()
        #expect(mine.text == "1:a 1:| 2:!underlying(oops) 3:c 3:|")
        #expect(
            log.text
                == "started executing queued queued disabled a completed started enabled failed started c completed "
                + "idle"
        )
        #expect(!action.isExecuting && action.isEnabled)
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("queue: beyond the limit an input is refused with an error of its own, and finds room again later")
    func queueFull() {
        let action = action(.queue(limit: 1))
        action.start(1)
        action.start(2)
        let errors = Log()
        let subscription = errors.record("", action.errors)
        let result = errors.record("result:", action.execute(3))
        #expect(!action.isEnabled)
        #expect(errors.text == "underlying(queueFull(limit: 1)) result:!underlying(queueFull(limit: 1))")
        works[1].onCompleted()
        #expect(action.isEnabled)
        #expect(action.start(4).success?.state == .queued)
        works[2].onCompleted()
        works[4].onCompleted()
        #expect(works.subscribed == [1, 2, 4])
        subscription.dispose()
        result.dispose()
    }

    @Test("queue with parallel: that many are in flight, the others wait, and start in order as places become free")
    func parallelQueue() {
        let action = action(.queue(limit: 3, parallel: 2))
        for input in 1...5 { action.start(input) }
        #expect(works.subscribed == [1, 2])
        #expect(!action.isEnabled)
        guard case .failure(.queueFull(limit: 3)) = action.start(6) else {
            Issue.record("not refused")
            return
        }
        works[2].onCompleted()
        #expect(works.subscribed == [1, 2, 3])
        works[3].onError(Oops())
        works[1].onCompleted()
        #expect(works.subscribed == [1, 2, 3, 4, 5])
        #expect(action.isEnabled)
        for input in 4...5 { works[input].onCompleted() }
        #expect(!action.isExecuting)
    }

    @Test("queue with parallel: 500 inputs of different lengths, 8 at a time and never more, and all of them end")
    func parallelQueueInVirtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let starts = Locked<[(input: Int, time: Int)]>([])
        let (inFlight, most) = (Locked(0), Locked(0))
        let action = Action<Int, Int>(overlap: .queue(limit: 492, parallel: 8)) { input in
            Observable.deferred {
                starts.withLock { $0.append((input, scheduler.clock)) }
                let now = inFlight.withLock { count in
                    count += 1
                    return count
                }
                most.withLock { $0 = max($0, now) }
                return scheduler.createColdObservable([.next(1, input), .completed(1 + input % 7)]).asObservable()
                    .do(onCompleted: { inFlight.withLock { $0 -= 1 } })
            }
        }
        let completed = Locked(0)
        let subscription = action.completions.subscribe(onNext: { completed.withLock { $0 += 1 } })
        for input in 0..<500 { action.start(input) }
        #expect(!action.isEnabled)
        scheduler.start()
        #expect(completed.withLock { $0 } == 500)
        #expect(most.withLock { $0 } == 8)
        #expect(starts.withLock { $0.map(\.input) } == Array(0..<500))
        #expect(!action.isExecuting)
        subscription.dispose()
    }

    @Test("queue with parallel: a later, larger number starts what waits, and a smaller one holds it, losing nothing")
    func parallelChanges() {
        let action = action(.queue(limit: 9, parallel: 2))
        for input in 1...6 { action.start(input) }
        action.overlap = .queue(limit: 9, parallel: 4)
        #expect(works.subscribed == [1, 2, 3, 4])
        action.overlap = .queue(limit: 9, parallel: 1)
        for input in 1...3 { works[input].onCompleted() }
        #expect(works.subscribed == [1, 2, 3, 4])
        works[4].onCompleted()
        #expect(works.subscribed == [1, 2, 3, 4, 5])
        works[5].onCompleted()
        works[6].onCompleted()
        #expect(works.disposed == [1, 2, 3, 4, 5, 6])
    }

    // MARK: groups

    @Test(
        "groups: each has the overlap for itself, as if it were an action of its own",
        arguments: [
            (Overlap.reject, "a1 b1 | executing 1 of 1, executing 1 of 1 | "),
            (.queue(limit: 1), "a1 b1 | waits, waits | a2 b2"),
            (.queue(limit: 1, parallel: 2), "a1 b1 a2 b2 | starts, starts | "),
            (.concurrent(limit: 1), "a1 b1 | executing 1 of 1, executing 1 of 1 | "),
            (.latest, "a1 b1 a2 b2 | replaces, replaces | "),
            (.join, "a1 b1 | joins a1, joins b1 | "),
        ])
    func groups(overlap: Overlap, expected: String) {
        let begun = Locked<[String]>([])
        let works = Locked<[String: PublishSubject<String>]>([:])
        let names = Locked<[ExecutionID: String]>([:])
        let action = Action<String, String>(overlap: overlap) { input in
            begun.withLock { $0.append(input) }
            let work = PublishSubject<String>()
            works.withLock { $0[input] = work }
            return work.asObservable()
        }
        action.setOverlap(overlap, isGrouped: true)
        func start(_ input: String) -> String {
            let id = ExecutionID()
            names.withLock { $0[id] = input }
            switch action.startKeepingNothing(input, id: id, in: String(input.prefix(1))) {
            case .success(let execution) where execution.id != id:
                return "joins \(names.withLock { $0[execution.id] ?? "" })"
            case .success(let execution) where execution.state == .queued: return "waits"
            case .success: return overlap == .latest ? "replaces" : "starts"
            case .failure(.executing(let ids, let limit)): return "executing \(ids.count) of \(limit)"
            case .failure(let refusal): return "\(refusal)"
            }
        }
        for input in ["a1", "b1"] { _ = start(input) }
        #expect(action.isEnabled)
        let second = ["a2", "b2"].map(start).joined(separator: ", ")
        let first = begun.withLock { $0 }
        for input in first { works.withLock { $0[input] }?.onCompleted() }
        let later = begun.withLock { $0.dropFirst(first.count) }
        for input in later { works.withLock { $0[input] }?.onCompleted() }
        #expect("\(first.joined(separator: " ")) | \(second) | \(later.joined(separator: " "))" == expected)
        #expect(!action.isExecuting)
    }

    @Test("groups: an idle group is forgotten, and beyond the limit a new one is refused, but no known one")
    func manyGroups() {
        let action = action(.queue(limit: 1))
        action.setOverlap(.queue(limit: 1), isGrouped: true)
        for input in 1...1_000 {
            guard case .success = action.startKeepingNothing(input, id: ExecutionID(), in: "\(input)") else {
                Issue.record("\(input) is refused")
                return
            }
        }
        guard case .failure(.tooManyGroups(limit: 1_000)) = action.check(in: "1001"),
            case .failure(.tooManyGroups(limit: 1_000)) = action.startKeepingNothing(0, id: ExecutionID(), in: "1001")
        else {
            Issue.record("another group has a place")
            return
        }
        #expect((try? action.check(in: "7").get()) == .waits)
        works[7].onCompleted()
        #expect((try? action.check(in: "1001").get()) == .starts)
        for input in 1...1_000 { works[input].onCompleted() }
        #expect(!action.isExecuting)
    }

    @Test("groups: what waits is held while the condition does not hold, canceled one by one, and keeps its group")
    func heldGroups() {
        let condition = BehaviorSubject(value: true)
        let action = action(.queue(limit: 5), enabledIf: condition)
        action.setOverlap(.queue(limit: 5), isGrouped: true)
        var waiting: [Execution<String>] = []
        for input in 1...6 {
            let result = action.startKeepingNothing(input, id: ExecutionID(), in: input % 2 == 0 ? "even" : "odd")
            if let execution = try? result.get(), execution.state == .queued { waiting.append(execution) }
        }
        #expect(waiting.count == 4)
        condition.onNext(false)
        for input in 1...2 { works[input].onCompleted() }
        #expect(works.subscribed == [1, 2])
        waiting[0].cancel()
        // What is in a group stays there when inputs no longer have one.
        action.setOverlap(.queue(limit: 5), isGrouped: false)
        condition.onNext(true)
        #expect(works.subscribed == [1, 2, 4, 5])
        for input in 4...6 { works[input].onCompleted() }
        #expect(works.subscribed == [1, 2, 4, 5, 6])
        #expect(!action.isExecuting)
    }

    @Test("queue: one that waits can be canceled, never starts and gives its place free")
    func queueCancel() {
        let action = action(.queue(limit: 1))
        action.start(1)
        let waiting = action.start(2).success
        #expect(waiting?.state == .queued)
        waiting?.cancel()
        #expect(waiting?.state == .cancelled)
        #expect(action.isEnabled)
        let next = action.start(3).success
        #expect(next?.state == .queued)
        works[1].onCompleted()
        #expect(works.subscribed == [1, 3])
        works[3].onCompleted()
        #expect(
            log.text
                == "started executing queued disabled cancelled enabled queued disabled completed started enabled "
                + "completed idle"
        )
    }

    @Test("queue: what waits is held while the condition does not hold, and goes on when it does")
    func queueHeld() {
        let condition = BehaviorSubject(value: true)
        let action = action(.queue(limit: 5), enabledIf: condition)
        action.start(1)
        action.start(2)
        condition.onNext(false)
        works[1].onCompleted()
        #expect(works.subscribed == [1])
        #expect(!action.isExecuting && !action.isEnabled)
        condition.onNext(true)
        #expect(works.subscribed == [1, 2])
        #expect(log.text == "started executing queued disabled completed idle started executing enabled")
        works[2].onCompleted()
    }

    @Test("queue: canceling thousands that wait keeps none of them while the first goes on")
    func queueCancelMany() {
        let action = action(.queue(limit: 1))
        action.start(1)
        let kept = Locked<[Kept]>([])
        for _ in 0..<5_000 {
            let execution = action.start(2).success
            if let execution { kept.withLock { $0.append(Kept(execution)) } }
            execution?.cancel()
        }
        let alive = kept.withLock { $0.filter { $0.execution != nil }.count }
        #expect(alive <= 100)
        works[1].onCompleted()
        #expect(works.subscribed == [1])
    }

    @Test("queue: a hundred thousand inputs of synchronous work behind one are drained in order on a flat stack")
    func queueDrain() {
        let first = PublishSubject<Int>()
        let count = 100_000
        let action = Action<Int, Int>(overlap: .queue(limit: count)) { input in
            input == 0 ? first.asObservable() : .just(input)
        }
        let seen = Locked<[Int]>([])
        let subscription = action.elements.subscribe(onNext: { element in seen.withLock { $0.append(element) } })
        for input in 0...count { action.start(input) }
        #expect(!action.isEnabled)
        first.onCompleted()
        #expect(seen.withLock { $0 } == Array(1...count))
        #expect(!action.isExecuting)
        subscription.dispose()
    }

    @Test("queue: when the action goes away what waits is canceled, and what is in flight goes on")
    func queueReleased() {
        var action: Action<Int, String>? = action(.queue(limit: 2))
        let mine = Log()
        let first = mine.record("1:", action!.execute(1))
        let second = mine.record("2:", action!.execute(2))
        action = nil
        works[1].onNext("a")
        works[1].onCompleted()
        #expect(mine.text == "2:!underlying(released) 1:a 1:|")
        #expect(works.subscribed == [1])
        first.dispose()
        second.dispose()
    }

    // MARK: concurrent

    @Test("concurrent: starts at once up to the limit, refuses then, and executing falls with the last")
    func concurrent() {
        let action = action(.concurrent(limit: 2))
        let mine = Log()
        let subscriptions = (1...3).map { mine.record("\($0):", action.execute($0)) }
        #expect(works.subscribed == [1, 2])
        works[2].onNext("b")
        works[1].onNext("a")
        works[2].onCompleted()
        #expect(action.isExecuting && action.isEnabled)
        works[1].onCompleted()
        #expect(mine.text == "3:!notEnabled 2:b 1:a 2:| 1:|")
        #expect(
            log.text
                == "started executing started disabled refused:executing b a completed enabled completed idle")
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("concurrent: an execution from within another's factory and from within its work starts")
    func reentrant() {
        let box = Locked<Action<Int, Int>?>(nil)
        let action = Action<Int, Int>(overlap: .concurrent(limit: 3)) { [log] input in
            guard input > 0, let action = box.withLock({ $0 }) else { return .just(0) }
            _ = log.record("inner\(input):", action.execute(input - 1))
            return .just(input)
        }
        box.withLock { $0 = action }
        _ = log.record("outer:", action.execute(2))
        #expect(log.text == "inner1:0 inner1:| inner2:1 inner2:| outer:2 outer:|")
        box.withLock { $0 = nil }
    }

    // MARK: latest

    @Test("latest: the one in flight is canceled and gone before the next one starts")
    func latest() {
        let action = action(.latest)
        let mine = Log()
        let first = mine.record("1:", action.execute(1))
        works[1].onNext("a")
        let second = action.start(2).success
        #expect(second?.state == .executing)
        #expect(works.disposed == [1])
        #expect(works.subscribed == [1, 2])
        works[2].onCompleted()
        #expect(mine.all.first == "1:a")
        #expect(mine.all.count == 2)
        #expect(mine.all.last?.hasPrefix("1:!underlying(ExecutionSuperseded") == true)
        #expect(log.text == "started executing a queued cancelled started completed idle")
        first.dispose()
    }

    @Test("latest: work that needs time to stop is waited for, and of those that wait the last one starts")
    func latestSlow() {
        let stop = PublishSubject<String>()
        let action = Action<Int, String>(
            overlap: .latest,
            work: { [works] input, context in
                guard input == 1 else { return works.work(input) }
                context.onCancel { _ in }
                return stop.asObservable()
            }, onTransition: { [log] in log.write($0) })
        action.start(1)
        let second = action.start(2).success
        let third = action.start(3).success
        #expect(second?.state == .cancelled)
        #expect(third?.state == .queued)
        #expect(works.subscribed.isEmpty)
        stop.onCompleted()
        #expect(works.subscribed == [3])
        works[3].onCompleted()
        #expect(log.text == "started executing queued queued cancelled cancelled started completed idle")
    }

    // MARK: join

    @Test("join: work is subscribed once, and who joins late gets everything from the start")
    func join() {
        let action = action(.join)
        let mine = Log()
        let first = mine.record("1:", action.execute(1))
        works[1].onNext("a")
        let joined = action.start(2).success
        let second = mine.record("2:", action.execute(2))
        works[1].onNext("b")
        works[1].onCompleted()
        #expect(works.subscribed == [1])
        #expect(mine.text == "1:a 2:a 1:b 2:b 1:| 2:|")
        #expect(joined?.state == .completed)
        #expect(log.text == "started executing a b completed idle")
        let third = mine.record("3:", action.execute(3))
        #expect(works.subscribed == [1, 3])
        works[3].onError(Oops())
        #expect(mine.all.last == "3:!underlying(oops)")
        for subscription in [first, second, third] { subscription.dispose() }
    }

    @Test("join: one that was started without results replays for who joins it")
    func joinStarted() {
        let action = action(.join)
        action.start(1)
        works[1].onNext("a")
        let joiner = log.record("joined:", action.execute(2))
        #expect(log.all.last == "joined:a")
        works[1].onCompleted()
        joiner.dispose()
    }

    @Test("join: one that is being canceled is not joined; the first after it waits, the others join that one")
    func joinCancelled() {
        let stop = PublishSubject<String>()
        let action = Action<Int, String>(
            overlap: .join,
            work: { [works] input, context in
                guard input == 1 else { return works.work(input) }
                context.onCancel { _ in }
                return stop.asObservable()
            })
        let first = action.start(1).success
        first?.cancel()
        #expect(first?.state == .executing)
        let second = action.start(2).success
        let third = action.start(3).success
        #expect(second?.id != first?.id)
        #expect(third?.id == second?.id)
        stop.onCompleted()
        #expect(works.subscribed == [2])
        #expect(first?.state == .cancelled)
        works[2].onCompleted()
    }

    // MARK: changing it

    @Test("latest: what is in flight and waits from another overlap before all makes way for the next input")
    func latestAfterOthers() {
        let action = action(.concurrent(limit: 3))
        for input in 1...3 { action.start(input) }
        action.overlap = .queue(limit: 5)
        for input in 4...5 { action.start(input) }
        action.overlap = .latest
        let last = action.start(6).success
        #expect(works.disposed == [1, 2, 3])
        #expect(works.subscribed == [1, 2, 3, 6])
        #expect(last?.state == .executing)
        works[6].onCompleted()
        #expect(!action.isExecuting && action.isEnabled)
    }

    @Test("wider: what waits begins, as many as fit")
    func wider() {
        let action = action(.queue(limit: 5))
        for input in 1...5 { action.start(input) }
        action.overlap = .concurrent(limit: 3)
        #expect(works.subscribed == [1, 2, 3])
        #expect(!action.isEnabled)
        for input in 1...5 { works[input].onCompleted() }
        #expect(works.subscribed == [1, 2, 3, 4, 5])
        #expect(!action.isExecuting && action.isEnabled)
    }

    @Test("a condition that holds again lets as many begin as may be in flight by now")
    func conditionWider() {
        let condition = BehaviorSubject(value: true)
        let action = action(.queue(limit: 5), enabledIf: condition)
        for input in 1...4 { action.start(input) }
        condition.onNext(false)
        works[1].onCompleted()
        action.overlap = .concurrent(limit: 2)
        log.clear()
        condition.onNext(true)
        #expect(works.subscribed == [1, 2, 3])
        #expect(log.text == "started started executing")
        for input in 2...4 { works[input].onCompleted() }
        #expect(!action.isExecuting && action.isEnabled)
    }

    // MARK: check

    @Test("check returns what start would do and does nothing")
    func check() {
        func outlook(_ overlap: Overlap) -> [String] {
            let works = Works()
            let action = Action<Int, String>(overlap: overlap) { works.work($0) }
            var said: [String] = []
            func say() {
                switch action.check() {
                case .success(.starts): said.append("starts")
                case .success(.waits): said.append("waits")
                case .success(.joins): said.append("joins")
                case .failure(.executing(let ids, let limit)): said.append("executing \(ids.count) of \(limit)")
                case .failure(.queueFull(let limit)): said.append("full \(limit)")
                case .failure: said.append("refused")
                }
            }
            say()
            action.start(1)
            say()
            action.start(2)
            say()
            for input in 1...2 { works[input].onCompleted() }
            #expect(!action.isExecuting)
            return said
        }
        #expect(outlook(.reject) == ["starts", "executing 1 of 1", "executing 1 of 1"])
        #expect(outlook(.queue(limit: 1)) == ["starts", "waits", "full 1"])
        #expect(outlook(.concurrent(limit: 2)) == ["starts", "starts", "executing 2 of 2"])
        #expect(outlook(.latest) == ["starts", "waits", "waits"])
        #expect(outlook(.join) == ["starts", "joins", "joins"])
    }
}

private struct Kept: Sendable {
    // Weak references are safe to share; the compiler does not know it of the box around one.
    nonisolated(unsafe) weak var execution: AnyExecution?

    init(_ execution: AnyExecution) { self.execution = execution }
}
