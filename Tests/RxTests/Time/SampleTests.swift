import Rx
import RxTest
import Testing
import TestSupport

@Suite("sample", .leakFree)
struct SampleTests {
    private func sample(
        _ source: [Recorded<Event<Int>>], _ sampler: [Recorded<Event<String>>], defaultValue: Int? = nil
    ) -> (events: [Recorded<Event<Int>>], source: [Subscription], sampler: [Subscription]) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(source)
        let sampler = scheduler.createHotObservable(sampler)
        let observer = scheduler.start { Unhidden(source).sample(Unhidden(sampler), defaultValue: defaultValue) }
        return (observer.events, source.subscriptions, sampler.subscriptions)
    }

    private let source: [Recorded<Event<Int>>] = [
        .next(150, 1), .next(220, 2), .next(240, 3), .next(290, 4), .next(300, 5), .next(310, 6), .completed(400),
    ]
    private let sampler: [Recorded<Event<String>>] = [
        .next(150, ""), .next(210, "a"), .next(250, "b"), .next(260, "c"), .next(320, "d"), .completed(500),
    ]

    @Test("the latest element at each element of the sampler, each once; the end at the next one after the source's")
    func latest() {
        let result = sample(source, sampler)
        #expect(result.events == [.next(250, 3), .next(320, 6), .completed(500)])
        #expect(result.source == [Subscription(200, 400)])
        #expect(result.sampler == [Subscription(200, 500)])
    }

    @Test("the completion of the sampler samples, too")
    func samplerCompletes() {
        let result = sample(Array(source.dropLast()) + [.next(360, 7), .completed(400)], sampler)
        #expect(result.events == [.next(250, 3), .next(320, 6), .next(500, 7), .completed(500)])
    }

    @Test("once the source has completed the next element of the sampler is the last")
    func sourceCompletes() {
        let result = sample([.next(220, 2), .next(240, 3), .next(290, 4), .completed(300)], sampler)
        #expect(result.events == [.next(250, 3), .next(320, 4), .completed(320)])
        #expect(result.source == [Subscription(200, 300)])
        #expect(result.sampler == [Subscription(200, 320)])
    }

    @Test("a sampler that completes before the source leaves silence")
    func samplerCompletesFirst() {
        let result = sample(source, [.next(230, "a"), .completed(295)])
        #expect(result.events == [.next(230, 2), .next(295, 4)])
        #expect(result.source == [Subscription(200, 400)])
        #expect(result.sampler == [Subscription(200, 295)])
    }

    @Test("a default value is sent where there is nothing new")
    func defaultValue() {
        let result = sample(source, sampler, defaultValue: 0)
        #expect(
            result.events == [
                .next(210, 0), .next(250, 3), .next(260, 0), .next(320, 6), .next(500, 0), .completed(500),
            ])
    }

    @Test("an error of the source or of the sampler ends it at once")
    func failing() {
        let ofSource = sample([.next(220, 2), .error(225, Oops())], sampler)
        #expect(ofSource.events == [.error(225, Oops())])
        #expect(ofSource.source == [Subscription(200, 225)])
        #expect(ofSource.sampler == [Subscription(200, 225)])
        let ofSampler = sample(source, [.next(225, "a"), .error(245, Oops())])
        #expect(ofSampler.events == [.next(225, 2), .error(245, Oops())])
        #expect(ofSampler.source == [Subscription(200, 245)])
        #expect(ofSampler.sampler == [Subscription(200, 245)])
    }

    @Test("never and empty")
    func nothing() {
        #expect(sample([], sampler).events == [])
        #expect(sample([.completed(205)], sampler).events == [.completed(210)])
        #expect(sample(source, []).events == [])
    }

    @Test("an element that comes with the sampler's is sampled when it comes first")
    func tie() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        // Sampled by itself: the source is subscribed first, so it has the element before the sampler does.
        _ = subject.sample(subject).subscribe(observer)
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(observer.events == [.next(0, 1), .next(0, 2), .completed(0)])
    }
}
