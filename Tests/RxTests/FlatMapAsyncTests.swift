import Rx
import Testing
import TestSupport

@Suite("flatMap(async:)", .leakFree)
struct FlatMapAsyncTests {
    private let recorder = Recorder<String>()
    private let gates = Gates()

    @Test("results come in the order in which the tasks end, which run at the same time")
    func order() async {
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMap(async: { number in try await gates.pass(number) }).subscribe(recorder)
        for number in 1...3 { subject.onNext(number) }
        #expect(await eventually { gates.waiting == [1, 2, 3] })
        for (count, number) in [2, 3, 1].enumerated() {
            gates.open(number)
            #expect(await eventually { recorder.count == count + 1 })
        }
        #expect(recorder.text == "2 3 1")
        subscription.dispose()
    }

    @Test("completes when the source and all tasks have")
    func completion() async {
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMap(async: { try await gates.pass($0) }).subscribe(recorder)
        subject.onNext(1)
        subject.onCompleted()
        #expect(await eventually { gates.waiting == [1] })
        #expect(recorder.text == "")
        gates.open(1)
        #expect(await eventually { recorder.text == "1 |" })
        subscription.dispose()
    }

    @Test("the first error ends it and cancels the other tasks", arguments: ["task", "source"])
    func failure(of part: String) async {
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMap(async: { number in
            let text = try await gates.pass(number)
            if number == 2 { throw Oops() }
            return text
        }).subscribe(recorder)
        for number in 1...3 { subject.onNext(number) }
        #expect(await eventually { gates.waiting == [1, 2, 3] })
        gates.open(1)
        #expect(await eventually { recorder.text == "1" })
        if part == "task" { gates.open(2) } else { subject.onError(Oops()) }
        #expect(await eventually { recorder.text == "1 x" })
        // After the error, on another thread.
        #expect(await eventually { !subject.hasObservers })
        #expect(await eventually { gates.waiting == [] })
        #expect(gates.canceled.contains(3))
        subscription.dispose()
    }

    @Test("disposal cancels the tasks, and their results are dropped")
    func disposal() async {
        let subject = PublishSubject<Int>(), isReleased = Locked(false)
        func subscribe() -> any Disposable {
            let held = Held { isReleased.withLock { $0 = true } }
            return subject.flatMap(async: { [gates] number in
                defer { held.use() }
                // Has a result although it is canceled.
                return (try? await gates.pass(number)) ?? "late"
            }).subscribe(recorder)
        }
        let subscription = subscribe()
        subject.onNext(1)
        subject.onNext(2)
        #expect(await eventually { gates.waiting == [1, 2] })
        subscription.dispose()
        #expect(!subject.hasObservers)
        // Each task releases the closure behind everything else it does.
        #expect(await eventually { isReleased.withLock { $0 } })
        #expect(gates.canceled == [1, 2])
        #expect(recorder.text == "")
    }

    @Test("tasks inherit the task-local values of the sender")
    func taskLocals() async {
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMap(async: { "\($0 + Context.number)" }).subscribe(recorder)
        Context.$number.withValue(40) { subject.onNext(2) }
        #expect(await eventually { recorder.text == "42" })
        subscription.dispose()
    }

    @Test("merge(maxConcurrent:) over singles limits the tasks")
    func limited() async {
        let numbers = Observable.of(1, 2, 3)
        let subscription = numbers.map { number in Single.create(async: { try await gates.pass(number) }).asObservable()
        }
        .merge(maxConcurrent: 2).subscribe(recorder)
        #expect(await eventually { gates.waiting == [1, 2] })
        gates.open(1)
        #expect(await eventually { gates.waiting == [2, 3] })
        gates.open(2)
        gates.open(3)
        #expect(await eventually { recorder.count == 4 })
        subscription.dispose()
    }

    @Test("a closure that returns a sequence at once means flatMap(_:), one that awaits means this")
    func overloads() async throws {
        let sequences: Observable<Int> = Observable.of(1, 2).flatMap { Observable.of($0, $0) }
        #expect(try await sequences.toArray().value == [1, 1, 2, 2])
        let inferred = Observable.of(1, 2).flatMap { number in
            let doubled = number * 2
            return Observable.just("\(doubled)")
        }
        #expect(try await inferred.toArray().value == ["2", "4"])
        let awaited: Observable<Int> = Observable.of(1).flatMap { number in
            await Task.yield()
            return number + 1
        }
        #expect(try await awaited.toArray().value == [2])
    }

    private enum Context {
        @TaskLocal static var number = 0
    }
}

/// Lets tasks wait until the test opens their gate or they are canceled.
private final class Gates: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var canceled: Set<Int> = []
    }

    private let state = Locked(State())

    var waiting: [Int] { state.withLock { $0.waiting.keys.sorted() } }
    var canceled: Set<Int> { state.withLock { $0.canceled } }

    func pass(_ number: Int) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCanceled = state.withLock { state in
                    if !state.canceled.contains(number) { state.waiting[number] = continuation }
                    return state.canceled.contains(number)
                }
                if isCanceled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.canceled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume(throwing: CancellationError())
        }
        return "\(number)"
    }

    func open(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
}
