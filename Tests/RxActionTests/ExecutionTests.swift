import Rx
import RxAction
import Testing
import TestSupport

@Suite("Executions: canceling, state, results", .leakFree)
struct ExecutionTests {
    private let log = Log()

    @Test("cancel disposes the work, fails the result with the reason and frees the action")
    func cancel() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int>(workFactory: { _ in work }, onTransition: { [log] in log.write($0) })
        let execution = action.start(1).success
        let results = Log()
        if let execution { _ = results.record("", execution.elements) }
        work.onNext(5)
        execution?.cancel(Oops())
        execution?.cancel()
        work.onNext(6)
        #expect(!work.hasObservers)
        #expect(execution?.state == .cancelled)
        #expect(results.text == "5 !underlying(oops)")
        #expect(log.text == "started executing disabled 5 cancelled idle enabled")
        #expect(action.isEnabled)
    }

    @Test("work with a cancel handler ends by itself, as canceled however it ends", arguments: ["completes", "fails"])
    func cooperative(how: String) {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int>(
            work: { [log] _, context in
                context.onCancel { reason in log.write("asked:\(reason)") }
                return work
            }, onTransition: { [log] in log.write($0) })
        let execution = action.start(1).success
        execution?.cancel(Oops())
        execution?.cancel(Oops())
        #expect(execution?.state == .executing)
        #expect(action.isExecuting && work.hasObservers)
        work.onNext(9)
        if how == "completes" { work.onCompleted() } else { work.onError(RxError.unknown) }
        #expect(execution?.state == .cancelled)
        #expect(log.text == "started executing disabled asked:oops asked:oops 9 cancelled idle enabled")
    }

    @Test("a handler registered after the cancellation is called at once")
    func lateHandler() {
        let contexts = Locked<[WorkContext]>([])
        let action = Action<Int, Int>(work: { _, context in
            contexts.withLock { $0.append(context) }
            return .never()
        })
        let execution = action.start(1).success
        let context = contexts.withLock { $0[0] }
        #expect(context.id == execution?.id)
        #expect(!context.isCancelled)
        execution?.cancel(Oops())
        #expect(context.isCancelled)
        context.onCancel { [log] reason in log.write("\(reason)") }
        #expect(log.text == "oops")
    }

    @Test("canceled from within the factory, the work is never subscribed")
    func cancelInFactory() {
        let subscriptions = Locked(0)
        let box = Locked<Execution<Int>?>(nil)
        let action = Action<Int, Int>(
            work: { _, _ in
                box.withLock { $0 }?.cancel()
                return Observable.create { _ in
                    subscriptions.withLock { $0 += 1 }
                    return Disposables.create()
                }
            },
            onTransition: { transition in
                if case .started(let execution) = transition { box.withLock { $0 = execution } }
            })
        action.start(1)
        #expect(subscriptions.withLock { $0 } == 0)
        #expect(!action.isExecuting)
        box.withLock { $0 = nil }
    }

    @Test("canceled when its start is published, the factory is not called")
    func cancelAtStart() {
        let calls = Locked(0)
        let action = Action<Int, Int>(
            workFactory: { input in
                calls.withLock { $0 += 1 }
                return .just(input)
            },
            onTransition: { [log] transition in
                log.write(transition)
                if case .started(let execution) = transition { execution.cancel() }
            })
        action.start(1)
        #expect(calls.withLock { $0 } == 0)
        #expect(log.text == "started executing disabled cancelled idle enabled")
    }

    @Test("disposing one subscriber of a result cancels nothing for the others")
    func disposeOne() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int> { _ in work }
        let result = action.execute(1)
        let first = log.record("first:", result)
        let second = log.record("second:", result)
        first.dispose()
        work.onNext(1)
        work.onCompleted()
        #expect(log.text == "second:1 second:|")
        second.dispose()
    }

    @Test("the elements of an execution started without replay are those from then on, its end always")
    func liveElements() {
        let work = PublishSubject<Int>()
        let action = Action<Int, Int> { _ in work }
        let execution = action.start(1).success
        work.onNext(1)
        if let execution { _ = log.record("", execution.elements) }
        work.onNext(2)
        work.onCompleted()
        if let execution { _ = log.record("late:", execution.elements) }
        #expect(log.text == "2 | late:|")
        let failed = Action<Int, Int> { _ in .error(Oops()) }.start(1).success
        #expect(failed?.state == .failed)
        if let failed { _ = log.record("failed:", failed.elements) }
        #expect(log.all.last == "failed:!underlying(oops)")
    }

    @Test("canceling on one thread while the work ends on another gives one end", arguments: [false, true])
    func cancelRace(cooperative: Bool) async {
        let ends = Locked(0)
        let box = Locked<PublishSubject<Int>>(PublishSubject())
        let action = Action<Int, Int>(
            work: { _, context in
                if cooperative { context.onCancel { _ in } }
                return box.withLock { $0 }
            },
            onTransition: { if case .ended = $0 { ends.withLock { $0 += 1 } } })
        for round in 1...500 {
            let work = PublishSubject<Int>()
            box.withLock { $0 = work }
            guard let execution = action.start(round).success else {
                Issue.record("round \(round) was refused")
                return
            }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { execution.cancel() }
                group.addTask { work.onCompleted() }
            }
            #expect(ends.withLock { $0 } == round)
        }
        #expect(!action.isExecuting)
    }

    @Test("work that takes its time hears each cancellation, and ends for the first one's reason")
    func cancelAgain() {
        struct Urgent: Error {}
        let heard = Locked<[String]>([])
        let stop = PublishSubject<Int>()
        let action = Action<Int, Int>(
            work: { _, context in
                context.onCancel { reason in heard.withLock { $0.append("\(type(of: reason))") } }
                return stop.asObservable()
            })
        let execution = action.start(1).success
        execution?.cancel()
        execution?.cancel(Urgent())
        #expect(heard.withLock { $0 } == ["ExecutionCancelled", "Urgent"])
        let end = Locked<[String]>([])
        let subscription = execution?.elements.subscribe(onError: { error in end.withLock { $0.append("\(error)") } })
        stop.onCompleted()
        #expect(end.withLock { $0.count == 1 && $0[0].contains("ExecutionCancelled") })
        subscription?.dispose()
    }
}
