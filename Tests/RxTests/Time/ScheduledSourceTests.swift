import Rx
import RxTest
import Testing
import TestSupport

@Suite("Sources on a scheduler", .leakFree)
struct ScheduledSourceTests {
    private func events<Element: Sendable>(
        disposed: TestTime = 1000, _ make: @escaping @Sendable (TestScheduler) -> Observable<Element>
    ) -> [Recorded<Event<Element>>] {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start(disposed: disposed) { make(scheduler) }.events
    }

    private let three: [Recorded<Event<Int>>] = [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)]

    @Test("each element, and the end, takes a turn")
    func turns() {
        #expect(events { .of(1, 2, 3, scheduler: $0) } == three)
        #expect(events { .from([1, 2, 3], scheduler: $0) } == three)
        #expect(events { .from(1...3, scheduler: $0) } == three)
        #expect(events { .range(start: 1, count: 3, scheduler: $0) } == three)
        #expect(
            events { .generate(initialState: 1, condition: { $0 < 4 }, scheduler: $0) { $0 + 1 } } == three)
    }

    @Test("nothing to send is one turn")
    func empty() {
        #expect(events { Observable<Int>.from([], scheduler: $0) } == [.completed(201)])
        #expect(events { Observable<Int>.range(start: 1, count: 0, scheduler: $0) } == [.completed(201)])
        #expect(
            events { .generate(initialState: 1, condition: { _ in false }, scheduler: $0) { $0 } } == [.completed(201)])
    }

    @Test("just and from(optional:) take a turn for the element and one for the end")
    func single() {
        #expect(events { .just(7, scheduler: $0) } == [.next(201, 7), .completed(202)])
        #expect(events { .from(optional: 7, scheduler: $0) } == [.next(201, 7), .completed(202)])
        #expect(events { Observable<Int>.from(optional: nil, scheduler: $0) } == [.completed(201)])
        #expect(events { Observable<Int?>.just(nil, scheduler: $0) } == [.next(201, nil), .completed(202)])
        #expect(events(disposed: 201) { .just(7, scheduler: $0) } == [])
        #expect(events(disposed: 202) { .just(7, scheduler: $0) } == [.next(201, 7)])
    }

    @Test("repeatElement goes on, a turn each, until it is disposed")
    func repeated() {
        #expect(
            events(disposed: 204) { .repeatElement(7, scheduler: $0) }
                == [.next(201, 7), .next(202, 7), .next(203, 7)])
        #expect(marbles(of: Observable.repeatElement(7).take(3)) == "7 7 7 |")
    }

    @Test("what a closure of generate throws is the error, in the turn it is thrown in")
    func generateFails() {
        #expect(
            events {
                .generate(
                    initialState: 1, condition: { if $0 == 3 { throw Oops() } else { true } }, scheduler: $0
                ) { $0 + 1 }
            } == [.next(201, 1), .next(202, 2), .error(203, Oops())])
        #expect(
            events {
                .generate(initialState: 1, condition: { _ in true }, scheduler: $0) {
                    if $0 == 2 { throw Oops() } else { $0 + 1 }
                }
            } == [.next(201, 1), .next(202, 2), .error(203, Oops())])
    }

    @Test("generate on the current thread: on demand, once each, and in turns with others")
    func generateHere() {
        let iterations = Locked(0)
        let powers = Observable.generate(initialState: 1, condition: { $0 < 100 }) { state in
            iterations.withLock { $0 += 1 }
            return state * 2
        }
        #expect(marbles(of: powers) == "1 2 4 8 16 32 64 |")
        #expect(iterations.withLock { $0 } == 7)
        #expect(marbles(of: powers.take(2)) == "1 2 |")
        #expect(iterations.withLock { $0 } == 8)
        #expect(
            marbles(of: Observable.generate(initialState: 1, condition: { _ in throw Oops() }) { $0 }) == "x")
        #expect(
            marbles(of: Observable.generate(initialState: 1, condition: { _ in true }) { _ in throw Oops() }) == "1 x")
    }

    @Test("a million generated elements need no deeper stack")
    func million() {
        let count = Locked(0)
        _ = Observable.generate(initialState: 0, condition: { $0 < 1_000_000 }) { $0 + 1 }
            .subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == 1_000_000)
        count.withLock { $0 = 0 }
        _ = Observable.repeatElement(1).take(1_000_000).subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == 1_000_000)
    }
}
