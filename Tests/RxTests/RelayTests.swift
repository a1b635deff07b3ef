import Rx
import Testing
import TestSupport

@Suite("Relays and bind", .leakFree)
struct RelayTests {
    @Test("a publish relay hands on what it accepts")
    func publish() {
        let relay = PublishRelay<Int>()
        let early = Recorder<Int>()
        let late = Recorder<Int>()
        let bag = DisposeBag()
        relay.accept(0)
        relay.subscribe(early).disposed(by: bag)
        relay.accept(1)
        relay.asObservable().subscribe(late).disposed(by: bag)
        relay.accept(2)
        #expect(early.text == "1 2")
        #expect(late.text == "2")
    }

    @Test("a behavior relay has a value and sends it first")
    func behavior() {
        let relay = BehaviorRelay(value: 0)
        let recorder = Recorder<Int>()
        #expect(relay.value == 0)
        relay.accept(1)
        let subscription = relay.asInfallible().subscribe(recorder)
        relay.accept(2)
        #expect(relay.value == 2)
        #expect(recorder.text == "1 2")
        subscription.dispose()
    }

    @Test("the value of a behavior relay is the new one while it is sent")
    func valueWithin() {
        let relay = BehaviorRelay(value: 0)
        let log = Log()
        let subscription = relay.subscribe(onNext: { log.note("\($0)=\(relay.value)") })
        relay.accept(1)
        #expect(log.text == "0=0, 1=1")
        subscription.dispose()
    }

    @Test("a replay relay sends the latest first", arguments: [1, 2, nil])
    func replay(size: Int?) {
        let relay = size.map { ReplayRelay<Int>.create(bufferSize: $0) } ?? .createUnbound()
        for element in 1...3 { relay.accept(element) }
        let recorder = Recorder<Int>()
        let subscription = relay.subscribe(recorder)
        relay.accept(4)
        #expect(recorder.text == (size == 1 ? "3 4" : size == 2 ? "2 3 4" : "1 2 3 4"))
        subscription.dispose()
    }

    @Test("an element accepted from within a delivery comes after it, for every subscriber")
    func reentrant() {
        let relay = PublishRelay<Int>()
        let log = Log()
        let bag = DisposeBag()
        relay.subscribe(onNext: { element in
            log.note("a\(element)")
            if element < 3 { relay.accept(element + 1) }
            log.note("a\(element) done")
        }).disposed(by: bag)
        relay.subscribe(onNext: { log.note("b\($0)") }).disposed(by: bag)
        relay.accept(1)
        #expect(log.text == "a1, a1 done, b1, a2, a2 done, b2, a3, a3 done, b3")
    }

    @Test("elements accepted on several threads are delivered one at a time, and none is lost")
    func concurrent() async {
        let relay = BehaviorRelay(value: 0)
        let inside = Locked(0)
        let overlaps = Locked(0)
        let received = Locked(0)
        let subscription = relay.subscribe(onNext: { _ in
            if inside.withLock({
                $0 += 1; return $0
            }) != 1 {
                overlaps.withLock { $0 += 1 }
            }
            received.withLock { $0 += 1 }
            inside.withLock { $0 -= 1 }
        })
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for element in 1...1_000 { relay.accept(element) } }
            }
        }
        #expect(await eventually { received.withLock { $0 } == 4_001 })
        #expect(overlaps.withLock { $0 } == 0)
        subscription.dispose()
    }

    @Test("a sequence is bound to relays of each kind, of elements and of optional elements")
    func bindToRelays() {
        let source = Observable.of(1, 2)
        let publish = PublishRelay<Int>()
        let publishOptional = PublishRelay<Int?>()
        let behavior = BehaviorRelay(value: 0)
        let behaviorOptional = BehaviorRelay<Int?>(value: nil)
        let replay = ReplayRelay<Int>.createUnbound()
        let replayOptional = ReplayRelay<Int?>.createUnbound()
        let seen = Recorder<Int>()
        let seenOptional = Recorder<Int?>()
        let bag = DisposeBag()
        publish.subscribe(seen).disposed(by: bag)
        publishOptional.subscribe(seenOptional).disposed(by: bag)

        source.bind(to: publish).disposed(by: bag)
        source.bind(to: publishOptional).disposed(by: bag)
        source.bind(to: behavior).disposed(by: bag)
        source.bind(to: behaviorOptional).disposed(by: bag)
        source.bind(to: replay).disposed(by: bag)
        source.bind(to: replayOptional).disposed(by: bag)
        #expect(seen.text == "1 2")
        #expect(seenOptional.text == "Optional(1) Optional(2)")
        #expect(behavior.value == 2)
        #expect(behaviorOptional.value == 2)
        #expect(marbles(of: replay.asObservable()) == "1 2")
        #expect(marbles(of: replayOptional.asObservable()) == "Optional(1) Optional(2)")
    }

    @Test("a sequence is bound to several relays or observers at once, in order")
    func bindToSeveral() {
        let first = BehaviorRelay(value: 0)
        let second = BehaviorRelay(value: 0)
        _ = Observable.just(3).bind(to: first, second)
        #expect(first.value == 3)
        #expect(second.value == 3)
        let elements = [Recorder<Int>(), Recorder<Int>()]
        _ = Observable.just(3).bind(to: elements[0], elements[1])
        #expect(elements.map(\.text) == ["3 |", "3 |"])
        let optionals = Recorder<Int?>()
        _ = Observable.just(3).bind(to: optionals)
        #expect(optionals.text == "Optional(3) |")
    }

    @Test("a sequence is bound by a function, curried or not, by closures and for an object")
    func bindByFunction() {
        let sum: Observable<Int> = Observable.of(1, 2).bind(to: { $0.reduce(0, accumulator: +) })
        #expect(marbles(of: sum) == "3 |")
        let scaled: Observable<Int> = Observable.of(1, 2).bind(
            to: { source in { factor in source.map { $0 * factor } } }, curriedArgument: 10)
        #expect(marbles(of: scaled) == "10 20 |")
        let log = Log()
        _ = Observable.of(1, 2).bind(onNext: { log.note("\($0)") })
        _ = Observable.of(3).bind(with: log, onNext: { $0.note("\($1)") })
        #expect(log.text == "1, 2, 3")
    }

    @Test("the binding of a sequence that completes leaves the relay alive")
    func completion() {
        let relay = BehaviorRelay(value: 0)
        _ = Observable.just(1).bind(to: relay)
        relay.accept(2)
        #expect(relay.value == 2)
    }

    #if DEBUG
        @Test("an error that is bound to a relay stops a debug build")
        func boundError() async {
            await #expect(processExitsWith: .failure) {
                _ = Observable<Int>.error(Oops()).bind(to: PublishRelay<Int>())
            }
        }
    #else
        @Test("an error that is bound to a relay ends the binding of a release build")
        func boundError() {
            let relay = BehaviorRelay(value: 0)
            _ = Observable.concat(.just(1), .error(Oops())).bind(to: relay)
            #expect(relay.value == 1)
        }
    #endif
}
