import Dispatch
import Rx
import RxTest

/// Builds a chain with the operators of the library.
final class ChainBuilder {
    let scheduler = TestScheduler(initialClock: 0)
    /// The hot and cold sources, by number.
    private(set) var sources: [Int: TestableObservable<Int>] = [:]

    /// The events of `chain` subscribed at 200 and disposed at `horizon`.
    func run(_ chain: Chain, until horizon: Int) -> [Timed] {
        // Through an operator: a subscription straight to a hot or cold source is not ended by that.
        let sequence = build(chain).map { $0 }
        // A timer that nobody stops would go on for ever.
        scheduler.scheduleAt(horizon + 1_000) { [unowned scheduler] in scheduler.stop() }
        let observer = scheduler.start(created: 100, subscribed: 200, disposed: horizon) { sequence }
        return observer.events.map { record in
            switch record.value {
            case .next(let element): Timed(record.time, .next(element))
            case .error: Timed(record.time, .error)
            case .completed: Timed(record.time, .completed)
            }
        }
    }

    /// When the sources were subscribed and disposed, by number.
    var spans: [Int: [Span]] {
        sources.mapValues { source in
            source.subscriptions.map { Span(from: $0.subscribe, to: $0.unsubscribe) }
                .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        }.filter { !$0.value.isEmpty }
    }

    private func build(_ chain: Chain) -> Observable<Int> {
        switch chain {
        case .source(let source): build(source)
        case .one(let step, let chain): build(step, build(chain))
        case .two(let step, let first, let second): build(step, build(first), build(second))
        case .many(let step, let outer, let inner): build(step, build(outer), inner.map { build($0) })
        }
    }

    private func build(_ source: Chain.Source) -> Observable<Int> {
        let events = source.events.map { event -> Recorded<Event<Int>> in
            switch event.signal {
            case .next(let element): .next(event.time, element)
            case .error: .error(event.time, Oops())
            case .completed: .completed(event.time)
            }
        }
        switch source.kind {
        case .hot:
            let observable = scheduler.createHotObservable(events)
            sources[source.id] = observable
            return observable
        case .cold:
            let observable = scheduler.createColdObservable(events)
            sources[source.id] = observable
            return observable
        case .now:
            let elements = Observable.from(events.compactMap(\.value.element))
            return switch source.events.last?.signal {
            case .completed: elements
            case .error: elements.concat(Observable.error(Oops()))
            case .next, nil: elements.concat(Observable.never())
            }
        }
    }

    private func build(_ step: Unary, _ source: Observable<Int>) -> Observable<Int> {
        let scheduler = scheduler
        switch step {
        case .map(let added): return source.map { $0 + added }
        case .mapThrowing(let divisor): return source.map { if $0 % divisor == 0 { throw Oops() } else { $0 } }
        case .filter(let divisor): return source.filter { $0 % divisor != 0 }
        case .compactMap(let divisor): return source.compactMap { $0 % divisor == 0 ? nil : $0 / 2 }
        case .scan: return source.scan(1) { ($0 * 3 + $1) % 97 }
        case .distinct: return source.distinctUntilChanged()
        case .distinctKey(let divisor): return source.distinctUntilChanged { $0 % divisor }
        case .take(let count): return source.take(count)
        case .takeLast(let count): return source.takeLast(count)
        case .takeWhile(let bound, let inclusive):
            return source.take(while: { $0 < bound }, behavior: inclusive ? .inclusive : .exclusive)
        case .takeUntilElement(let bound, let inclusive):
            return source.take(until: { $0 >= bound }, behavior: inclusive ? .inclusive : .exclusive)
        case .skip(let count): return source.skip(count)
        case .skipWhile(let bound): return source.skip(while: { $0 < bound })
        case .startWith(let elements):
            return elements.count == 1
                ? source.startWith(elements[0]) : source.startWith(elements[0], elements[1])
        case .ifEmpty(let element): return source.ifEmpty(default: element)
        case .elementAt(let index): return source.element(at: index)
        case .enumerated: return source.enumerated().map { $0.index * 10 + $0.element }
        case .ignoreElements: return source.ignoreElements().map(absurd)
        case .single: return source.single()
        case .reduce: return source.reduce(1) { ($0 * 3 + $1) % 97 }
        case .toArray: return source.toArray().asObservable().map { digest($0) }
        case .materialize:
            return source.materialize().map { event in
                switch event {
                case .next(let element): element
                case .error: 501
                case .completed: 502
                }
            }
        case .roundTrip: return source.materialize().dematerialize()
        case .bufferCount(let count):
            return source.buffer(timeSpan: .never, count: count, scheduler: scheduler).map { digest($0) }
        case .buffer(let span, let count):
            return source.buffer(timeSpan: .seconds(span), count: count, scheduler: scheduler).map { digest($0) }
        case .window(let span, let count):
            return source.window(timeSpan: .seconds(span), count: count, scheduler: scheduler)
                .flatMap { $0.concat(Observable.just(closed)) }
        case .delay(let span): return source.delay(.seconds(span), scheduler: scheduler)
        case .debounce(let span): return source.debounce(.seconds(span), scheduler: scheduler)
        case .throttle(let span, let latest):
            return source.throttle(.seconds(span), latest: latest, scheduler: scheduler)
        case .timeout(let span): return source.timeout(.seconds(span), scheduler: scheduler)
        case .takeFor(let span): return source.take(for: .seconds(span), scheduler: scheduler)
        case .skipFor(let span): return source.skip(.seconds(span), scheduler: scheduler)
        case .delaySubscription(let span): return source.delaySubscription(.seconds(span), scheduler: scheduler)
        case .subscribeOn: return source.subscribe(on: scheduler)
        case .observeOn: return source.observe(on: scheduler)
        case .retry(let count): return source.retry(count)
        case .catchAndReturn(let element): return source.catchAndReturn(element)
        // Shared anew by each subscription, for several of them at a time have nothing to do with each other in the
        // model.
        case .share: return Observable.deferred { source.share() }
        case .shareTwice:
            return Observable.deferred {
                let shared = source.share()
                return Observable.merge(shared.map { $0 + 1 }, shared.filter { $0 % 2 == 0 })
            }
        }
    }

    private func build(
        _ step: Binary, _ first: Observable<Int>, _ second: Observable<Int>
    ) -> Observable<Int> {
        switch step {
        case .concat: first.concat(second)
        case .merge: Observable.merge(first, second)
        case .zip: Observable.zip(first, second) { $0 * 10 + $1 }
        case .combineLatest: Observable.combineLatest(first, second) { $0 * 10 + $1 }
        case .withLatestFrom: first.withLatestFrom(second) { $0 * 10 + $1 }
        case .amb: first.amb(second)
        case .sample: first.sample(second)
        case .sampleDefault(let element): first.sample(second, defaultValue: element)
        case .takeUntil: first.take(until: second)
        case .skipUntil: first.skip(until: second)
        case .timeoutOther(let span): first.timeout(.seconds(span), other: second, scheduler: scheduler)
        case .catch: first.catch { _ in second }
        case .ifEmptySwitch: first.ifEmpty(switchTo: second)
        }
    }

    private func build(
        _ step: Flattening, _ outer: Observable<Int>, _ inner: [Observable<Int>]
    ) -> Observable<Int> {
        switch step {
        case .flatMap: outer.flatMap { inner[$0 % inner.count] }
        case .flatMapLatest: outer.flatMapLatest { inner[$0 % inner.count] }
        case .flatMapFirst: outer.flatMapFirst { inner[$0 % inner.count] }
        case .concatMap: outer.concatMap { inner[$0 % inner.count] }
        case .mergeLimited(let limit): outer.map { inner[$0 % inner.count] }.merge(maxConcurrent: limit)
        }
    }
}

/// A number for an array.
func digest(_ elements: [Int]) -> Int { elements.reduce(7) { ($0 * 31 + $1 + 1) % 1009 } }

/// Stands for the end of a window.
let closed = 999

/// There is no element to make one of.
@Sendable private func absurd(_ never: Never) -> Int {}
