import Rx
import RxTraits
import RxTest
import Testing
import TestSupport

@Suite("SharingScheduler and its mock", .leakFree)
struct SharingSchedulerTests {
    @Test("without a mock, the scheduler is that of the main thread")
    func standard() {
        #expect(SharingScheduler.make() is MainScheduler)
        #expect(DriverSharingStrategy.scheduler is MainScheduler)
        #expect(SignalSharingStrategy.scheduler is MainScheduler)
    }

    @Test("a mock ends with its action, also by an error, and an inner one hides an outer one")
    func scope() {
        let (outer, inner) = (makeScheduler(), makeScheduler())
        SharingScheduler.mock(scheduler: outer) {
            #expect(SharingScheduler.make() as? TestScheduler === outer)
            SharingScheduler.mock(
                makeScheduler: { inner },
                action: {
                    #expect(DriverSharingStrategy.scheduler as? TestScheduler === inner)
                })
            #expect(SignalSharingStrategy.scheduler as? TestScheduler === outer)
        }
        #expect(throws: Oops.self) { try SharingScheduler.mock(scheduler: outer) { throw Oops() } }
        #expect(SharingScheduler.make() is MainScheduler)
    }

    @Test("tasks that run at the same time do not see the mock; child tasks do")
    func tasks() async {
        let scheduler = makeScheduler()
        await SharingScheduler.mock(scheduler: scheduler) {
            let elsewhere = await Task.detached { SharingScheduler.make() is MainScheduler }.value
            #expect(elsewhere)
            async let child = SharingScheduler.make() as? TestScheduler === scheduler
            #expect(await child)
        }
    }

    @Test("closures of a sequence that was created within a mock run anywhere, also after the mock")
    func after() {
        let scheduler = makeScheduler()
        let source = PublishSubject<Int>()
        let log = Log()
        var driver = Driver<Int>.empty()
        SharingScheduler.mock(scheduler: scheduler) { driver = source.asDriver(onErrorJustReturn: 0) }
        let subscription = driver.map { $0 + 1 }.drive(onNext: { log.note("\($0)") })
        source.onNext(1)
        scheduler.start()
        #expect(log.text == "2")
        subscription.dispose()
    }
}
