import Rx
import RxTraits
import RxTest
import Testing
import TestSupport

@Suite("Conversions to drivers and signals", .leakFree)
struct ConversionTests {
    private let failing: [Recorded<Event<Int>>] = [.next(210, 1), .error(220, Oops())]

    @Test("an error becomes an element, another sequence, or what a closure returns for it")
    func errors() {
        let returned: [Recorded<Event<Int>>] = [.next(210, 1), .next(220, 7), .completed(220)]
        #expect(events(failing) { $0.asDriver(onErrorJustReturn: 7) } == returned)
        #expect(events(failing) { $0.asSignal(onErrorJustReturn: 7) } == returned)
        #expect(events(failing) { $0.asDriver(onErrorDriveWith: .just(7)) } == returned)
        #expect(events(failing) { $0.asSignal(onErrorSignalWith: .just(7)) } == returned)
        #expect(events(failing) { $0.asDriver(onErrorRecover: { .just($0 is Oops ? 7 : 0) }) } == returned)
        #expect(events(failing) { $0.asSignal(onErrorRecover: { .just($0 is Oops ? 7 : 0) }) } == returned)
        #expect(events(failing) { $0.asDriver(onErrorDriveWith: .empty()) } == [.next(210, 1), .completed(220)])
        #expect(
            events(failing) {
                $0.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorJustReturn: 7)
            } == returned)
    }

    @Test("singles, maybes, completables, and infallibles convert")
    func traits() {
        #expect(results { Single.just(1).asDriver(onErrorJustReturn: 0) } == "1 |")
        #expect(results { Single<Int>.error(Oops()).asDriver(onErrorJustReturn: 0) } == "0 |")
        #expect(results { Maybe<Int>.empty().asSignal(onErrorJustReturn: 0) } == "|")
        #expect(results { Completable.empty().asDriver(onErrorDriveWith: .empty()) } == "|")
        #expect(results { Completable.error(Oops()).asSignal(onErrorSignalWith: .empty()) } == "|")
        #expect(results { Infallible.of(1, 2).asDriver() } == "1 2 |")
        #expect(results { Infallible.of(1, 2).asSignal() } == "1 2 |")
    }

    @Test("relays convert, with what they replay")
    func relays() {
        let behavior = BehaviorRelay(value: 1)
        let publish = PublishRelay<Int>()
        let replay = ReplayRelay<Int>.create(bufferSize: 2)
        replay.accept(1)
        replay.accept(2)
        #expect(results { behavior.asDriver() } == "1")
        #expect(results { publish.asSignal() } == "")
        #expect(results { replay.asDriver() } == "1 2")
        let scheduler = makeScheduler()
        let log = Log()
        SharingScheduler.mock(scheduler: scheduler) {
            let subscription = publish.asSignal().emit(onNext: { log.note("\($0)") })
            publish.accept(5)
            scheduler.start()
            subscription.dispose()
        }
        #expect(log.text == "5")
    }

    @Test("a driver and a signal convert to themselves and to observables")
    func identity() {
        #expect(results { Driver.just(1).asDriver().asSharedSequence() } == "1 |")
        #expect(results { Signal.just(1).asSignal() } == "1 |")
        #expect(results { Driver.just(1).asObservable().asSignal(onErrorJustReturn: 0) } == "1 |")
    }

    @Test("a strategy of one's own decides about scheduler and sharing")
    func ownStrategy() {
        let sequence: SharedSequence<ReplayTwo, Int> = PublishSubject<Int>().asSharedSequence(onErrorJustReturn: 0)
            .startWith(1).startWith(2)
        let log = Log()
        let first = sequence.asObservable().subscribe(onNext: { log.note("a\($0)") })
        let second = sequence.asObservable().subscribe(onNext: { log.note("b\($0)") })
        #expect(log.text == "a2 a1 b2 b1")
        first.dispose()
        second.dispose()
    }
}

private enum ReplayTwo: SharingStrategyProtocol {
    static var scheduler: any SchedulerType { SharingScheduler.make() }

    static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 2, scope: .whileConnected)
    }
}
