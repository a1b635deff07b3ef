import Rx
import RxTraits
import RxTest
import Testing
import TestSupport

@Suite("What the subscribers of a driver or a signal share", .leakFree)
struct SharingTests {
    private let scheduler = makeScheduler()
    private let log = Log()

    private func subscribe<Strategy>(_ name: String, _ sequence: SharedSequence<Strategy, Int>) -> any Disposable {
        sequence.asObservable().subscribe(onNext: { [log] in log.note("\(name)\($0)") })
    }

    @Test("a driver replays its latest element, and forgets it with its last subscriber")
    func driver() {
        let source = PublishSubject<Int>()
        SharingScheduler.mock(scheduler: scheduler) {
            let driver = source.asDriver(onErrorJustReturn: 0)
            let first = subscribe("a", driver)
            source.onNext(1)
            scheduler.start()
            let second = subscribe("b", driver)
            source.onNext(2)
            scheduler.start()
            #expect(log.text == "a1 b1 a2 b2")
            first.dispose()
            #expect(source.hasObservers)
            second.dispose()
            #expect(!source.hasObservers)
            let third = subscribe("c", driver)
            #expect(log.text == "a1 b1 a2 b2")
            third.dispose()
        }
    }

    @Test("a signal replays nothing")
    func signal() {
        let source = PublishSubject<Int>()
        SharingScheduler.mock(scheduler: scheduler) {
            let signal = source.asSignal(onErrorJustReturn: 0)
            let first = subscribe("a", signal)
            source.onNext(1)
            scheduler.start()
            let second = subscribe("b", signal)
            source.onNext(2)
            scheduler.start()
            #expect(log.text == "a1 a2 b2")
            first.dispose()
            second.dispose()
        }
        #expect(!source.hasObservers)
    }

    @Test("the closure of an operator runs once for all subscribers")
    func closures() {
        let source = PublishSubject<Int>()
        SharingScheduler.mock(scheduler: scheduler) {
            let driver = source.asDriver(onErrorJustReturn: 0).map { [log] number in
                log.note("map")
                return number * 10
            }
            let subscriptions = [subscribe("a", driver), subscribe("b", driver)]
            source.onNext(1)
            scheduler.start()
            #expect(log.text == "map a10 b10")
            for subscription in subscriptions { subscription.dispose() }
        }
    }
}
