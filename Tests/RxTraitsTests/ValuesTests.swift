import Rx
import RxTraits
import Testing
import TestSupport

@Suite("Shared sequences as asynchronous sequences", .leakFree)
struct ValuesTests {
    @Test("values has the latest element of a driver and the later ones, and leaving the loop unsubscribes")
    @MainActor func values() async {
        let source = PublishSubject<Int>()
        let driver = source.asDriver(onErrorJustReturn: 9).startWith(0)
        var seen: [Int] = []
        for await element in driver.values {
            seen.append(element)
            if element == 2 { break }
            source.onNext(element + 1)
        }
        #expect(seen == [0, 1, 2])
        while source.hasObservers { await Task.yield() }
    }

    @Test("the loop ends with the sequence")
    @MainActor func completion() async {
        let source = PublishSubject<Int>()
        let values = source.asSignal(onErrorJustReturn: 9).values
        source.onNext(1)
        source.onError(Oops())
        var seen: [Int] = []
        for await element in values { seen.append(element) }
        #expect(seen == [1, 9])
    }
}
