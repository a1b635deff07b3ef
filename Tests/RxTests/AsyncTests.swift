import Rx
import Testing
import TestSupport

@Suite("Bridges to async and back", .leakFree)
struct AsyncTests {
    // MARK: - values

    @Test("values hands on the elements, then the end or the error")
    func values() async throws {
        var elements: [Int] = []
        for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
        #expect(elements == [1, 2, 3])

        elements = []
        await #expect(throws: Oops.self) {
            let failing = Observable.concat(Observable.of(1, 2), .error(Oops()))
            for try await element in failing.values { elements.append(element) }
        }
        #expect(elements == [1, 2])
    }

    @Test("values subscribes when it is asked for, and keeps what comes before the reader")
    func subscribesNow() async throws {
        let subject = PublishSubject<Int>()
        let values = subject.values
        #expect(subject.hasObservers)
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        var elements: [Int] = []
        for try await element in values { elements.append(element) }
        #expect(elements == [1, 2])
    }

    @Test("the values of an infallible are awaited without try")
    func infallibleValues() async {
        var elements: [Int] = []
        for await element in Infallible.of(1, 2).values { elements.append(element) }
        #expect(elements == [1, 2])
        for await element in BehaviorRelay(value: 3).asInfallible().values {
            elements.append(element)
            break
        }
        #expect(elements == [1, 2, 3])
    }

    @Test("canceling the task that iterates disposes the subscription, and the loop throws")
    func cancelIteration() async throws {
        let subject = PublishSubject<Int>()
        let received = Locked(0)
        let disposed = Log()
        let values = subject.do(onDispose: { disposed.note("disposed") }).values
        let reader = Task {
            for try await _ in values { received.withLock { $0 += 1 } }
        }
        subject.onNext(1)
        #expect(await eventually { received.withLock { $0 } == 1 })
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(!subject.hasObservers)
        #expect(disposed.text == "disposed")
    }

    @Test("in a canceled task, a loop over a sequence without events throws, and one over an infallible ends")
    func canceledBeforeIteration() async {
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in Observable<Int>.never().values {}
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        let other = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for await _ in Infallible<Int>.never().values {}
            return true
        }
        #expect(await other.value)
    }

    @Test("leaving the loop disposes the subscription")
    func leaveLoop() async throws {
        let subject = PublishSubject<Int>()
        func read() async throws {
            let values = subject.values
            subject.onNext(1)
            for try await _ in values { break }
        }
        try await read()
        #expect(await eventually { !subject.hasObservers })
    }

    @Test("values that nobody reads dispose their subscription when they go")
    func dropped() async {
        let subject = PublishSubject<Int>()
        _ = subject.values
        #expect(await eventually { !subject.hasObservers })
    }

    @Test(
        "a bounded buffer keeps the first, the latest, or fails",
        arguments: [("oldest", "3 4 |"), ("newest", "1 2 |"), ("error", "1 2 x")])
    func bounded(drop: String, expected: String) async {
        let overflow: Buffering.Overflow = drop == "oldest" ? .dropOldest : drop == "newest" ? .dropNewest : .error
        let subject = PublishSubject<Int>()
        let values = subject.values(buffering: .bounded(2, whenFull: overflow))
        for element in 1...4 { subject.onNext(element) }
        #expect(subject.hasObservers == (drop != "error"))
        subject.onCompleted()
        let recorder = Recorder<Int>()
        do {
            for try await element in values { recorder.onNext(element) }
            recorder.onCompleted()
        } catch {
            #expect((error as? RxError)?.debugDescription == RxError.overflow.debugDescription)
            recorder.onError(error)
        }
        #expect(recorder.text == expected)
    }

    @Test(
        "with a bound, a slow reader costs the memory of that many elements",
        arguments: [Buffering.Overflow.dropOldest, .dropNewest, .error])
    func boundedMemory(overflow: Buffering.Overflow) async {
        let subject = PublishSubject<Parcel>()
        let parcels = Locked(0)
        let values = subject.values(buffering: .bounded(8, whenFull: overflow))
        for number in 0..<1000 {
            subject.onNext(Parcel(number, parcels))
            #expect(parcels.withLock { $0 } <= 8)
        }
        #expect(parcels.withLock { $0 } == 8)
        withExtendedLifetime(values) {}
    }

    @Test("without a bound, everything waits")
    func unboundedMemory() async throws {
        let subject = PublishSubject<Parcel>()
        let parcels = Locked(0)
        let values = subject.values
        for number in 0..<1000 { subject.onNext(Parcel(number, parcels)) }
        #expect(parcels.withLock { $0 } == 1000)
        subject.onCompleted()
        var numbers: [Int] = []
        for try await parcel in values { numbers.append(parcel.number) }
        #expect(numbers == Array(0..<1000))
        #expect(parcels.withLock { $0 } == 0)
    }

    @Test("the source does not wait for a reader that is busy, and the reader misses what found no room")
    func busyReader() async throws {
        let subject = PublishSubject<Int>()
        let values = subject.values(buffering: .bounded(2, whenFull: .dropOldest))
        var iterator = values.makeAsyncIterator()
        subject.onNext(0)
        #expect(try await iterator.next() == 0)
        // Each call returns, although nothing is read.
        for number in 1...5 { subject.onNext(number) }
        #expect(try await iterator.next() == 4)
        #expect(try await iterator.next() == 5)
        // With room again, nothing is missing.
        subject.onNext(6)
        #expect(try await iterator.next() == 6)
        subject.onCompleted()
        #expect(try await iterator.next() == nil)
    }

    @Test("a reader that waits takes an element without using the buffer")
    func waitingReader() async throws {
        let subject = PublishSubject<Int>()
        let received = Locked<[Int]>([])
        let values = subject.values(buffering: .bounded(1, whenFull: .error))
        let reader = Task {
            for try await number in values { received.withLock { $0.append(number) } }
        }
        for number in 1...100 {
            subject.onNext(number)
            #expect(await eventually { received.withLock { $0.last } == number })
        }
        subject.onCompleted()
        try await reader.value
        #expect(received.withLock { $0 } == Array(1...100))
    }

    @Test(
        "the end needs no room in a full buffer",
        arguments: [Buffering.Overflow.dropOldest, .dropNewest, .error])
    func endOfFullBuffer(overflow: Buffering.Overflow) async {
        let subject = PublishSubject<Int>()
        let values = subject.values(buffering: .bounded(2, whenFull: overflow))
        subject.onNext(1)
        subject.onNext(2)
        subject.onError(Oops())
        var elements: [Int] = []
        await #expect(throws: Oops.self) { for try await element in values { elements.append(element) } }
        #expect(elements == [1, 2])
    }

    @Test("an overflow stops the source")
    func overflowDisposes() async {
        let log = Log()
        let subject = PublishSubject<Int>()
        let values = subject.do(onDispose: { log.note("disposed") }).values(buffering: .bounded(1, whenFull: .error))
        subject.onNext(1)
        #expect(log.text == "")
        subject.onNext(2)
        #expect(log.text == "disposed")
        #expect(!subject.hasObservers)
        withExtendedLifetime(values) {}
    }

    @Test("a buffer without room for an element stops the program")
    func noRoom() async {
        await #expect(processExitsWith: .failure) {
            _ = Observable.just(1).values(buffering: .bounded(0, whenFull: .dropNewest))
        }
    }

    @Test("canceling readers while many threads send disposes every subscription")
    func cancelWhileSending() async {
        let subject = PublishSubject<Int>()
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { for element in 0..<2_000 { subject.onNext(element) } }
            }
            for number in 0..<20 {
                let values = subject.values(buffering: .bounded(4, whenFull: .dropOldest))
                group.addTask {
                    let reader = Task { for try await element in values where element > number * 50 { break } }
                    if number % 2 == 0 { reader.cancel() }
                    subject.onNext(.max)
                    _ = await reader.result
                }
            }
        }
        #expect(await eventually { !subject.hasObservers })
    }

    // MARK: - value

    @Test("value is the element, nil or nothing, or throws the error")
    func value() async throws {
        #expect(try await Single.just(1).value == 1)
        #expect(try await Maybe.just(1).value == 1)
        #expect(try await Maybe<Int>.empty().value == nil)
        try await Completable.empty().value
        await #expect(throws: Oops.self) { try await Single<Int>.error(Oops()).value }
        await #expect(throws: Oops.self) { try await Maybe<Int>.error(Oops()).value }
        await #expect(throws: Oops.self) { try await Completable.error(Oops()).value }
    }

    @Test("canceling the task that awaits a value throws and disposes", arguments: ["single", "maybe", "completable"])
    func cancelValue(kind: String) async {
        let subject = PublishSubject<Int>()
        let waiter = Task {
            switch kind {
            case "single": _ = try await subject.asSingle().value
            case "maybe": _ = try await subject.asMaybe().value
            default: try await subject.ignoreElements().asCompletable().value
            }
        }
        #expect(await eventually { subject.hasObservers })
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(!subject.hasObservers)
    }

    @Test("a task canceled before gets a value, an end, or an error that comes at once")
    func canceledBefore() async throws {
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Completable.empty().value
            await #expect(throws: Oops.self) { try await Single<Int>.error(Oops()).value }
            let nothing = try await Maybe<Int>.empty().value
            return [try await Single.just(1).value, try await Maybe.just(2).value, nothing]
        }
        #expect(try await waiter.value == [1, 2, nil])
    }

    @Test("a task canceled before is released from a value that does not come at once, and disposes it")
    func canceledBeforeNever() async {
        let log = Log()
        let single = Single<Int>.create { _ in
            log.note("subscribed")
            return Disposables.create { log.note("disposed") }
        }
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await single.value
        }
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(log.text == "subscribed, disposed")
    }

    @Test("a value completed and canceled from many threads resumes once")
    func valueRaces() async {
        for round in 0..<200 {
            let creator = Locked<[Single<Int>.SingleObserver]>([])
            let disposals = Locked(0)
            let single = Single<Int>.create { single in
                creator.withLock { $0 = [single] }
                return Disposables.create { disposals.withLock { $0 += 1 } }
            }
            let waiter = Task { try await single.value }
            #expect(await eventually { creator.withLock { !$0.isEmpty } })
            let send = creator.withLock { $0.removeFirst() }
            await withTaskGroup { group in
                for number in 0..<3 {
                    group.addTask { send(number == round % 4 ? .failure(Oops()) : .success(number)) }
                }
                group.addTask { waiter.cancel() }
            }
            switch await waiter.result {
            case .success(let element): #expect((0..<3).contains(element))
            case .failure(let error): #expect(error is CancellationError || error is Oops)
            }
            #expect(await eventually { disposals.withLock { $0 } == 1 })
        }
    }

    // MARK: - Work

    @Test("asynchronous work is a single", arguments: [true, false])
    func work(detached: Bool) async throws {
        let single = Single.create(detached: detached, priority: .high) {
            await Task.yield()
            return 1
        }
        #expect(try await single.value == 1)
        let failing = Single<Int>.create(detached: detached) { throw Oops() }
        await #expect(throws: Oops.self) { try await failing.value }
    }

    @Test("work inherits task-local values unless it is detached", arguments: [true, false])
    func taskLocals(detached: Bool) async throws {
        let single = Single.create(detached: detached) { Context.number }
        let number = try await Context.$number.withValue(7) { try await single.value }
        #expect(number == (detached ? 0 : 7))
    }

    private enum Context {
        @TaskLocal static var number = 0
    }

    @Test("disposing cancels the work")
    func disposeWork() async {
        await disposesWork { work in Single<Int>.create { await work() } }
    }

    @Test("work by its label is a single, too")
    func labeledWork() async throws {
        let single = Single.create(async: {
            await Task.yield()
            return 1
        })
        #expect(try await single.value == 1)
        await #expect(throws: Oops.self) { try await Single<Int>.create(async: { throw Oops() }).value }
    }

    @Test("disposing cancels the work that has a label")
    func disposeLabeledWork() async {
        await disposesWork { work in Single<Int>.create(async: { await work() }) }
    }

    /// Disposes a single while its work runs: the work is canceled, and its result is dropped.
    private func disposesWork(_ create: (_ work: @escaping @Sendable () async -> Int) -> Single<Int>) async {
        let log = Log(), isReleased = Locked(false)
        func subscribe() -> any Disposable {
            let held = Held { isReleased.withLock { $0 = true } }
            let single = create {
                log.note("started")
                while !Task.isCancelled { await Task.yield() }
                log.note("canceled")
                held.use()
                return 1
            }
            return single.subscribe(onSuccess: { _ in log.note("success") })
        }
        let subscription = subscribe()
        #expect(await eventually { log.text == "started" })
        subscription.dispose()
        // The task releases its closure behind everything else it does.
        #expect(await eventually { isReleased.withLock { $0 } })
        #expect(log.text == "started, canceled")
    }

    // MARK: - asObservable

    @Test("an asynchronous sequence is an observable, iterated anew for each subscriber")
    func sequence() async throws {
        let counted = AsyncStream<Int> { continuation in
            for element in 1...3 { continuation.yield(element) }
            continuation.finish()
        }
        #expect(try await counted.asObservable().toArray().value == [1, 2, 3])
        let twice = Steps(count: 2, failure: nil).asObservable(priority: .high)
        #expect(try await twice.toArray().value == [0, 1])
        #expect(try await twice.toArray().value == [0, 1])
    }

    @Test("what an asynchronous sequence throws is the error; cancellation is the end")
    func sequenceErrors() async throws {
        await #expect(throws: Oops.self) {
            try await Steps(count: 1, failure: Oops()).asObservable().toArray().value
        }
        #expect(try await Steps(count: 1, failure: CancellationError()).asObservable().toArray().value == [0])
    }

    @Test("disposing ends the iteration, also of a sequence that does not heed cancellation")
    func disposeSequence() async {
        let endless = Steps(count: .max, failure: nil)
        let received = Locked(0)
        let subscription = endless.asObservable().subscribe(onNext: { _ in received.withLock { $0 += 1 } })
        #expect(await eventually { received.withLock { $0 } > 0 })
        #expect(endless.life.iterators.withLock { $0 } == 1)
        subscription.dispose()
        #expect(await eventually { endless.life.iterators.withLock { $0 } == 0 })
    }
}

/// Counts up, whether the task is canceled or not.
private struct Steps: AsyncSequence, Sendable {
    let count: Int
    let failure: (any Error)?
    let life = Life()

    final class Life: Sendable {
        let iterators = Locked(0)
    }

    final class Iterator: AsyncIteratorProtocol {
        private let steps: Steps
        private var position = 0

        init(_ steps: Steps) {
            self.steps = steps
            steps.life.iterators.withLock { $0 += 1 }
        }

        deinit { steps.life.iterators.withLock { $0 -= 1 } }

        func next() async throws -> Int? {
            if position == steps.count {
                if let failure = steps.failure { throw failure }
                return nil
            }
            // The thread is not this test's alone.
            await Task.yield()
            position += 1
            return position - 1
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// Counts how many of its kind are alive.
private final class Parcel: Sendable {
    let number: Int
    private let count: Locked<Int>

    init(_ number: Int, _ count: Locked<Int>) {
        self.number = number
        self.count = count
        count.withLock { $0 += 1 }
    }

    deinit { count.withLock { $0 -= 1 } }
}
