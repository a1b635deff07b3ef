import Dispatch
import Rx
import RxTraits
import Testing
import TestSupport

@Suite("drive and emit", .leakFree)
struct DriveTests {
    private let log = Log()

    @Test("the closures of drive run on the main thread, and the latest element comes at once")
    @MainActor func closures() {
        let relay = BehaviorRelay(value: 1)
        var seen: [Int] = []
        let subscription = relay.asDriver().drive(
            onNext: { seen.append($0) }, onCompleted: { seen.append(-1) }, onDisposed: { [log] in log.note("disposed") }
        )
        #expect(seen == [1])
        relay.accept(2)
        #expect(seen == [1, 2])
        subscription.dispose()
        #expect(log.text == "disposed")
    }

    @Test("elements that are sent on another thread reach the closures on the main thread")
    @MainActor func hop() async {
        let source = PublishSubject<Int>()
        var seen: [Int] = []
        let signal = source.asSignal(onErrorJustReturn: 0).map { number in
            MainActor.assertIsolated()
            return number * 10
        }
        let subscription = signal.emit(onNext: { number in
            MainActor.assertIsolated()
            seen.append(number)
        })
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                source.onNext(1)
                source.onNext(2)
                continuation.resume()
            }
        }
        while seen.count < 2 { await Task.yield() }
        #expect(seen == [10, 20])
        subscription.dispose()
    }

    @Test("drive and emit hold the object of `with` weakly")
    @MainActor func with() {
        let (state, taps) = (BehaviorRelay(value: 1), PublishRelay<Int>())
        var screen: Screen? = Screen()
        weak let gone = screen
        let driven = state.asDriver().drive(
            with: screen!, onNext: { $0.title = "\($1)" }, onDisposed: { [log] _ in log.note("disposed") })
        let emitted = taps.asSignal().emit(with: screen!, onNext: { $0.count += $1 })
        taps.accept(3)
        #expect(screen?.title == "1")
        #expect(screen?.count == 3)
        screen = nil
        #expect(gone == nil)
        state.accept(2)
        taps.accept(1)
        driven.dispose()
        emitted.dispose()
        #expect(log.text == "")
    }

    @Test("drive passes elements to observers, optional observers, and relays, one or several")
    @MainActor func targets() {
        let driver = BehaviorRelay(value: 1).asDriver()
        let (a, b) = (BehaviorSubject(value: 0), BehaviorSubject(value: 0))
        let (c, d) = (BehaviorSubject<Int?>(value: nil), BehaviorRelay(value: 0))
        let (e, f, g) = (
            BehaviorRelay<Int?>(value: nil), ReplayRelay<Int>.create(bufferSize: 1),
            ReplayRelay<Int?>.create(bufferSize: 1)
        )
        let subscriptions = [
            driver.drive(a, b), driver.drive(c), driver.drive(d), driver.drive(e), driver.drive(f), driver.drive(g),
            driver.drive(),
        ]
        #expect(try! a.value() == 1)
        #expect(try! b.value() == 1)
        #expect(try! c.value() == 1)
        #expect(d.value == 1)
        #expect(e.value == 1)
        for subscription in subscriptions { subscription.dispose() }
        _ = f.subscribe(onNext: { [log] in log.note("f\($0)") })
        _ = g.subscribe(onNext: { [log] in log.note("g\($0 ?? 0)") })
        #expect(log.text == "f1 g1")
    }

    @Test("drive hands the sequence to a function, with and without an argument")
    @MainActor func functions() {
        let driver = BehaviorRelay(value: 1).asDriver()
        func subscribed(_ name: String) -> (Observable<Int>) -> any Disposable {
            { [log] in $0.subscribe(onNext: { log.note("\(name)\($0)") }) }
        }
        driver.drive(subscribed("a")).dispose()
        driver.drive({ source in { name in subscribed(name)(source) } }, curriedArgument: "b").dispose()
        #expect(log.text == "a1 b1")
    }

    @Test("emit passes elements to observers, optional observers, and relays, one or several")
    @MainActor func emitTargets() {
        let taps = PublishRelay<Int>()
        let signal = taps.asSignal()
        let (a, b) = (BehaviorSubject(value: 0), BehaviorSubject(value: 0))
        let (c, d) = (BehaviorSubject<Int?>(value: nil), BehaviorRelay(value: 0))
        let (e, f, g) = (BehaviorRelay<Int?>(value: nil), PublishRelay<Int>(), PublishRelay<Int?>())
        let (h, i) = (ReplayRelay<Int>.create(bufferSize: 1), ReplayRelay<Int?>.create(bufferSize: 1))
        let notes = [
            f.subscribe(onNext: { [log] in log.note("f\($0)") }),
            g.subscribe(onNext: { [log] in log.note("g\($0 ?? 0)") }),
            h.subscribe(onNext: { [log] in log.note("h\($0)") }),
            i.subscribe(onNext: { [log] in log.note("i\($0 ?? 0)") }),
        ]
        let subscriptions = [
            signal.emit(to: a, b), signal.emit(to: c), signal.emit(to: d), signal.emit(to: e), signal.emit(to: f),
            signal.emit(to: g), signal.emit(to: h), signal.emit(to: i), signal.emit(),
        ]
        taps.accept(1)
        #expect(try! a.value() == 1)
        #expect(try! b.value() == 1)
        #expect(try! c.value() == 1)
        #expect(d.value == 1)
        #expect(e.value == 1)
        #expect(log.text == "f1 g1 h1 i1")
        for subscription in notes + subscriptions { subscription.dispose() }
    }

    @Test("drive on another thread stops the process")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            await Task.detached { _ = BehaviorRelay(value: 1).asDriver().drive() }.value
        }
    }

    @Test("a closure that would run on another thread stops the process before it runs")
    func otherThreadClosure() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await Task.detached {
                _ = Signal<Int>.never().startWith(1).emit(onNext: { _ in print("called") })
            }.value
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("reached a @MainActor closure outside the main thread"))
    }

    @Test("under a mock, drive and its closures run on any thread")
    func mocked() {
        let scheduler = makeScheduler()
        SharingScheduler.mock(scheduler: scheduler) {
            let subscription = BehaviorRelay(value: 1).asDriver().map { $0 + 1 }
                .drive(onNext: { [log] in log.note("\($0)") })
            scheduler.start()
            subscription.dispose()
        }
        #expect(log.text == "2")
    }
}

@MainActor
private final class Screen {
    var title = ""
    var count = 0
}
