import Rx
import TestSupport

/// The operators and ways to subscribe that need a task. Their closures are released some moments after the end.
enum AsynchronousForm: String, CaseIterable {
    case values = "values(buffering:)"
    case sequence = "AsyncSequence.asObservable(priority:)"
    case work = "Single.create(detached:priority:work:)"
    case labeledWork = "Single.create(async:)"
    case transform = "flatMap(async:)"

    /// Subscribes to a sequence that holds `held`, and ends or disposes the subscription.
    func run(_ held: Held, disposes: Bool) async {
        switch self {
        case .values:
            let subject = PublishSubject<Int>()
            let reader = Task {
                for try await _ in subject.map({ (held.use(), $0).1 }).values(buffering: .unbounded) {}
            }
            _ = await eventually { subject.hasObservers }
            subject.onNext(1)
            if disposes { reader.cancel() } else { subject.onCompleted() }
            _ = await reader.result
        case .sequence:
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            await AsynchronousForm.subscribe(
                stream.map { (held.use(), $0).1 }.asObservable(), disposes: disposes,
                { continuation.yield(1) }, end: { continuation.finish() })
        case .work: await run(disposes: disposes) { work in Single<Int>.create { await work(held) }.asObservable() }
        case .labeledWork:
            await run(disposes: disposes) { work in Single<Int>.create(async: { await work(held) }).asObservable() }
        case .transform:
            await run(disposes: disposes) { work in Observable.just(1).flatMap(async: { _ in await work(held) }) }
        }
    }

    /// Subscribes to a sequence that awaits work, which uses its argument when it may end or is canceled.
    private func run(
        disposes: Bool, _ source: (@escaping @Sendable (Held) async -> Int) -> Observable<Int>
    ) async {
        let isDone = Locked(false)
        let observable = source { held in
            while !Task.isCancelled, !isDone.withLock({ $0 }) { await Task.yield() }
            held.use()
            return 1
        }
        await AsynchronousForm.subscribe(observable, disposes: disposes, {}, end: { isDone.withLock { $0 = true } })
    }

    private static func subscribe(
        _ source: Observable<Int>, disposes: Bool, _ send: () -> Void, end: () -> Void
    ) async {
        let isOver = Locked(false)
        let subscription = source.subscribe(onDisposed: { isOver.withLock { $0 = true } })
        send()
        if disposes { subscription.dispose() } else { end() }
        _ = await eventually { isOver.withLock { $0 } }
        // Ends the task of a source whose subscription is disposed already.
        end()
    }
}
