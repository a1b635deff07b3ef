import Rx
import RxTraits
import RxTest

struct Oops: Error {}

/// Lines written from anywhere, in order.
final class Log: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined(separator: " ") }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Virtual time without the extra unit of each hop, so that a mock does not move the events.
func makeScheduler() -> TestScheduler { TestScheduler(initialClock: 0, simulateProcessingDelay: false) }

/// The events of a sequence made from a hot source, subscribed from 200 to 1000 within a mock.
func events<Input, Strategy, Output>(
    _ source: [Recorded<Event<Input>>],
    _ make: @escaping @Sendable (Observable<Input>) -> SharedSequence<Strategy, Output>
) -> [Recorded<Event<Output>>] {
    let scheduler = makeScheduler()
    let hot = scheduler.createHotObservable(source).asObservable()
    var events: [Recorded<Event<Output>>] = []
    SharingScheduler.mock(scheduler: scheduler) {
        let observer: TestableObserver<Output> = scheduler.start { make(hot) }
        events = observer.events
    }
    return events
}

/// The elements of a sequence that is created and run within a mock; "|" for its completion.
func results<Strategy, Element>(_ make: () -> SharedSequence<Strategy, Element>) -> String {
    let scheduler = makeScheduler()
    let log = Log()
    SharingScheduler.mock(scheduler: scheduler) {
        let subscription = make().asObservable().subscribe(
            onNext: { log.note("\($0)") }, onError: { log.note("!\($0)") }, onCompleted: { log.note("|") })
        scheduler.start()
        subscription.dispose()
    }
    return log.text
}
