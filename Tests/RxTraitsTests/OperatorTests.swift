import Dispatch
import Rx
import RxTraits
import RxTest
import Testing
import TestSupport

@Suite("Operators of shared sequences, in virtual time", .leakFree)
struct OperatorTests {
    private let source: [Recorded<Event<Int>>] = [
        .next(210, 1), .next(220, 1), .next(230, 2), .next(240, 3), .completed(250),
    ]

    @Test("map, filter, compactMap, skip, startWith")
    func elementwise() {
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).map { "\($0)" } }
                == [.next(210, "1"), .next(220, "1"), .next(230, "2"), .next(240, "3"), .completed(250)])
        #expect(
            events(source) { $0.asSignal(onErrorJustReturn: 0).filter { $0 > 1 } }
                == [.next(230, 2), .next(240, 3), .completed(250)])
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).compactMap { $0 == 2 ? "two" : nil } }
                == [.next(230, "two"), .completed(250)])
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).skip(3) } == [.next(240, 3), .completed(250)])
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).skip(3).startWith(9) }
                == [.next(200, 9), .next(240, 3), .completed(250)])
    }

    @Test("scan accumulates, with a result and in place")
    func scan() {
        let expected: [Recorded<Event<Int>>] = [
            .next(210, 1), .next(220, 2), .next(230, 4), .next(240, 7), .completed(250),
        ]
        #expect(events(source) { $0.asDriver(onErrorJustReturn: 0).scan(0) { $0 + $1 } } == expected)
        #expect(events(source) { $0.asDriver(onErrorJustReturn: 0).scan(into: 0) { $0 += $1 } } == expected)
    }

    @Test("distinctUntilChanged by equality, key, comparer, and both")
    func distinct() {
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).distinctUntilChanged() }
                == [.next(210, 1), .next(230, 2), .next(240, 3), .completed(250)])
        let byHalf: [Recorded<Event<Int>>] = [.next(210, 1), .next(230, 2), .completed(250)]
        #expect(events(source) { $0.asDriver(onErrorJustReturn: 0).distinctUntilChanged { $0 / 2 } } == byHalf)
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).distinctUntilChanged { $0 / 2 == $1 / 2 } } == byHalf)
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).distinctUntilChanged({ $0 / 2 }, comparer: ==) }
                == byHalf)
    }

    @Test("throttle, debounce, and delay use the scheduler of the sequence")
    func time() {
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).throttle(.seconds(14)) }
                == [.next(210, 1), .next(224, 1), .next(238, 2), .next(252, 3), .completed(252)])
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).throttle(.seconds(14), latest: false) }
                == [.next(210, 1), .next(230, 2), .completed(250)])
        #expect(
            events(source) { $0.asDriver(onErrorJustReturn: 0).debounce(.seconds(100)) }
                == [.next(250, 3), .completed(250)])
        #expect(
            events([.next(210, 1), .completed(220)]) { $0.asDriver(onErrorJustReturn: 0).delay(.seconds(5)) }
                == [.next(215, 1), .completed(225)])
    }

    @Test("flatMap merges, flatMapLatest switches, flatMapFirst ignores; the result has the inner strategy")
    func inner() {
        let outer: [Recorded<Event<Int>>] = [.next(210, 10), .next(225, 20), .completed(300)]
        // 0, 1, and 2 after 10, 20, and 30 units.
        @Sendable func inner(_ base: Int) -> Signal<Int> {
            Observable<Int>.timer(.seconds(10), period: .seconds(10), scheduler: SharingScheduler.make())
                .take(3).map { $0 + base }.asSignal(onErrorJustReturn: 0)
        }
        #expect(
            events(outer) { $0.asDriver(onErrorJustReturn: 0).flatMap { inner($0) }.asSignal() } == [
                .next(220, 10), .next(230, 11), .next(235, 20), .next(240, 12), .next(245, 21), .next(255, 22),
                .completed(300),
            ])
        let switched: [Recorded<Event<Int>>] = [
            .next(220, 10), .next(235, 20), .next(245, 21), .next(255, 22), .completed(300),
        ]
        #expect(events(outer) { $0.asDriver(onErrorJustReturn: 0).flatMapLatest { inner($0) } } == switched)
        #expect(events(outer) { $0.asDriver(onErrorJustReturn: 0).map { inner($0) }.switchLatest() } == switched)
        #expect(
            events(outer) { $0.asDriver(onErrorJustReturn: 0).flatMapFirst { inner($0) } }
                == [.next(220, 10), .next(230, 11), .next(240, 12), .completed(300)])
        #expect(
            events(outer) { $0.asDriver(onErrorJustReturn: 0).map { inner($0) }.merge(maxConcurrent: 1) } == [
                .next(220, 10), .next(230, 11), .next(240, 12), .next(250, 20), .next(260, 21), .next(270, 22),
                .completed(300),
            ])
        #expect(
            events(outer) { $0.asDriver(onErrorJustReturn: 0).map { inner($0) }.merge() }
                == events(outer) { $0.asDriver(onErrorJustReturn: 0).flatMap { inner($0) } })
    }

    @Test("withLatestFrom pairs with the latest element of the other")
    func withLatestFrom() {
        #expect(
            events(source) { source in
                let driver = source.asDriver(onErrorJustReturn: 0)
                return driver.filter { $0 > 1 }.withLatestFrom(driver.map { $0 * 10 }.filter { $0 < 30 }) {
                    "\($0):\($1)"
                }
            } == [.next(230, "2:20"), .next(240, "3:20"), .completed(250)])
        #expect(
            events(source) { source in
                let driver = source.asDriver(onErrorJustReturn: 0)
                return driver.filter { $0 > 1 }.withLatestFrom(driver.map { $0 * 10 }.filter { $0 < 20 })
            } == [.next(230, 10), .next(240, 10), .completed(250)])
    }

    @Test("merge, concat, zip, and combineLatest of collections")
    func collections() {
        #expect(results { Driver.merge(.of(1, 2), .just(3)).scan(0, accumulator: +) }.hasSuffix("6 |"))
        #expect(results { Driver.merge([.just(1), .just(2)]) } == "1 2 |")
        #expect(results { Driver.merge(ArraySlice([.just(1), .just(2)])) } == "1 2 |")
        #expect(results { Driver.concat([.of(1, 2), .of(3)]) } == "1 2 3 |")
        #expect(results { Driver.concat(AnySendableSequence(.of(1, 2), .of(3))) } == "1 2 3 |")
        #expect(results { Driver.zip([.of(1, 2), .of(3, 4)]) } == "[1, 3] [2, 4] |")
        #expect(results { Driver.zip([.of(1, 2), .of(3, 4)]) { $0.reduce(0, +) } } == "4 6 |")
        #expect(results { Driver.combineLatest([.just(1), .just(2)]) } == "[1, 2] |")
        #expect(results { Driver.combineLatest([.just(1), .just(2)]) { $0.reduce(0, +) } } == "3 |")
    }

    @Test("sources: just, empty, never, of, from, deferred, interval, timer")
    func creation() {
        #expect(results { Driver.just(1) } == "1 |")
        #expect(results { Driver<Int>.empty() } == "|")
        #expect(results { Driver<Int>.never() } == "")
        #expect(results { Signal.of(1, 2) } == "1 2 |")
        #expect(results { Signal.from([1, 2]) } == "1 2 |")
        #expect(results { Signal.from(1...3) } == "1 2 3 |")
        #expect(results { Driver.from(optional: 1) } == "1 |")
        #expect(results { Driver<Int>.from(optional: nil) } == "|")
        #expect(results { Driver.deferred { .just(1) } } == "1 |")
        #expect(
            events([Recorded<Event<Int>>.completed(250)]) { _ in Driver<Int>.interval(.seconds(300)) }
                == [.next(500, 0), .next(800, 1)])
        #expect(
            events([Recorded<Event<Int>>.completed(250)]) { _ in Driver<Int>.timer(.seconds(100), period: .seconds(400))
            }
                == [.next(300, 0), .next(700, 1)])
    }

    // The subscriber disposes as soon as it has the completion, which comes before the source goes on.
    @Test("do calls its closures in order")
    func sideEffects() {
        let log = Log()
        let result = results {
            Driver.just(1).do(
                onNext: { log.note("next \($0)") }, afterNext: { log.note("after \($0)") },
                onCompleted: { log.note("completed") }, afterCompleted: { log.note("after completed") },
                onSubscribe: { log.note("subscribe") }, onSubscribed: { log.note("subscribed") },
                onDispose: { log.note("dispose") })
        }
        #expect(result == "1 |")
        #expect(
            log.all == ["subscribe", "subscribed", "next 1", "after 1", "completed", "dispose", "after completed"])
    }

    @Test("withUnretained completes at the first element after the object is gone")
    func withUnretained() {
        let relay = PublishRelay<Int>()
        let log = Log()
        let scheduler = makeScheduler()
        SharingScheduler.mock(scheduler: scheduler) {
            var object: Log? = Log()
            let signal = relay.asSignal().withUnretained(object!) { "\($0 === log ? "same" : "other") \($1)" }
            let subscription = signal.emit(onNext: { log.note($0) }, onCompleted: { log.note("|") })
            relay.accept(1)
            scheduler.start()
            object = nil
            relay.accept(2)
            scheduler.start()
            subscription.dispose()
        }
        #expect(log.all == ["other 1", "|"])
    }
}

/// A sequence that is no collection.
private struct AnySendableSequence<Element: Sendable>: Sequence, Sendable {
    let elements: [Element]

    init(_ elements: Element...) { self.elements = elements }

    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}
