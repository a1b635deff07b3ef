/// Computes what a chain sends, from the definitions of the operators: lists of events in, lists of events out.
///
/// Nothing of the library is used, and no operator is defined by another here that is so there. Where two streams have
/// something at the same time, the definitions alone leave open what comes first; then `isAmbiguous` is set and the
/// result means nothing (ties have tests of their own).
struct Model {
    /// What is later does not matter.
    let horizon: Int
    private(set) var isAmbiguous = false

    init(horizon: Int) {
        self.horizon = horizon
    }

    /// What `chain` sends when it is subscribed at `start` and never disposed.
    mutating func events(_ chain: Chain, from start: Int) -> [Timed] {
        if start > horizon { return [] }
        let events =
            switch chain {
            case .source(let source): self.events(source, from: start)
            case .one(let step, let chain): unary(step, chain, from: start)
            case .two(let step, let first, let second): binary(step, first, second, from: start)
            case .many(let step, let outer, let inner): flattening(step, outer, inner, from: start)
            }
        return events.filter { $0.time <= horizon }
    }

    private mutating func events(_ source: Chain.Source, from start: Int) -> [Timed] {
        switch source.kind {
        case .hot:
            for event in source.events { tie(event.time, start) }
            return source.events.filter { $0.time > start }
        case .cold, .now:
            return source.events.map { Timed($0.time + start, $0.signal) }
        }
    }

    mutating func tie(_ one: Int, _ other: Int) {
        if one == other { isAmbiguous = true }
    }

    /// The events of several streams in the order of their times, each with the number of its stream.
    mutating func interleave(_ streams: [[Timed]]) -> [(stream: Int, event: Timed)] {
        let all = streams.enumerated().flatMap { stream, events in events.map { (stream: stream, event: $0) } }
            .enumerated().sorted { ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset) }
            .map(\.element)
        for (one, next) in zip(all, all.dropFirst()) where one.stream != next.stream {
            tie(one.event.time, next.event.time)
        }
        return all
    }

    /// What a sequence has sent, up to its end.
    struct Output {
        private(set) var events: [Timed] = []
        private(set) var isOver = false

        mutating func next(_ time: Int, _ element: Int) {
            if !isOver { events.append(Timed(time, .next(element))) }
        }

        mutating func error(_ time: Int) { end(Timed(time, .error)) }
        mutating func completed(_ time: Int) { end(Timed(time, .completed)) }

        mutating func end(_ event: Timed) {
            if !isOver { events.append(event) }
            isOver = true
        }
    }

    // MARK: - One sequence

    private mutating func unary(_ step: Unary, _ chain: Chain, from start: Int) -> [Timed] {
        switch step {
        case .delaySubscription(let span): return events(chain, from: start + max(1, span))
        case .subscribeOn: return events(chain, from: start + 1)
        case .retry(let count): return retried(chain, count, from: start)
        case .take(0): return [Timed(start, .completed)]
        default: break
        }
        let source = events(chain, from: start)
        return switch step {
        case .map(let added): each(source) { $0.next($1, $2 + added) }
        case .mapThrowing(let divisor):
            each(source) { if $2 % divisor == 0 { $0.error($1) } else { $0.next($1, $2) } }
        case .filter(let divisor): each(source) { if $2 % divisor != 0 { $0.next($1, $2) } }
        case .compactMap(let divisor): each(source) { if $2 % divisor != 0 { $0.next($1, $2 / 2) } }
        case .scan:
            folded(source, into: 1) { accumulated, out, time, element in
                accumulated = (accumulated * 3 + element) % 97
                out.next(time, accumulated)
            }
        case .distinct: distinct(source, modulo: .max)
        case .distinctKey(let divisor): distinct(source, modulo: divisor)
        case .take(let count):
            folded(source, into: 0) { seen, out, time, element in
                seen += 1
                out.next(time, element)
                if seen == count { out.completed(time) }
            }
        case .takeLast(let count): atEnd(source) { $0.suffix(count) }
        case .takeWhile(let bound, let inclusive), .takeUntilElement(let bound, let inclusive):
            each(source) { out, time, element in
                if element < bound || inclusive { out.next(time, element) }
                if element >= bound { out.completed(time) }
            }
        case .skip(let count):
            folded(source, into: 0) { seen, out, time, element in
                seen += 1
                if seen > count { out.next(time, element) }
            }
        case .skipWhile(let bound):
            folded(source, into: false) { isOpen, out, time, element in
                isOpen = isOpen || element >= bound
                if isOpen { out.next(time, element) }
            }
        case .startWith(let elements): elements.map { Timed(start, .next($0)) } + source
        case .ifEmpty(let element):
            source.first?.signal == .completed ? [Timed(source[0].time, .next(element)), source[0]] : source
        case .elementAt(let index): elementAt(index, source)
        case .enumerated:
            folded(source, into: 0) { index, out, time, element in
                out.next(time, index * 10 + element)
                index += 1
            }
        case .ignoreElements: source.filter(\.signal.isEnd)
        case .single: single(source)
        case .reduce: atEnd(source) { [$0.reduce(1) { ($0 * 3 + $1) % 97 }] }
        case .toArray: atEnd(source) { [digest($0)] }
        case .materialize: materialized(source)
        case .roundTrip, .share: source
        case .shareTwice: sharedTwice(source, from: start)
        case .bufferCount(let count): buffered(source, span: nil, count: count, from: start)
        case .buffer(let span, let count): buffered(source, span: span, count: count, from: start)
        case .window(let span, let count): windowed(source, span: span, count: count, from: start)
        case .delay(let span): delayed(source, by: span)
        case .debounce(let span): debounced(source, span)
        case .throttle(let span, let latest): throttled(source, span, latest: latest)
        case .timeout(let span): timedOut(source, span, from: start) { _, time in [Timed(time, .error)] }
        case .takeFor(let span): until(start + span, source) { $0.completed(start + span) }
        case .skipFor(let span): after(start + span, source)
        case .observeOn: inTurns(source)
        case .catchAndReturn(let element):
            source.last?.signal == .error
                ? source.dropLast() + [Timed(source.last!.time, .next(element)), Timed(source.last!.time, .completed)]
                : source
        // Above.
        case .delaySubscription, .subscribeOn, .retry: []
        }
    }

    /// An element at a time; the ends are handed on.
    private func each(_ source: [Timed], _ take: (inout Output, Int, Int) -> Void) -> [Timed] {
        var out = Output()
        for event in source where !out.isOver {
            if case .next(let element) = event.signal { take(&out, event.time, element) } else { out.end(event) }
        }
        return out.events
    }

    private func folded<State>(
        _ source: [Timed], into initial: State, _ take: (inout State, inout Output, Int, Int) -> Void
    ) -> [Timed] {
        var state = initial
        return each(source) { take(&state, &$0, $1, $2) }
    }

    /// At the completion, what `make` makes of all elements.
    private func atEnd(_ source: [Timed], _ make: ([Int]) -> [Int]) -> [Timed] {
        guard let end = source.last, end.signal.isEnd else { return [] }
        if end.signal == .error { return [end] }
        return make(source.elements).map { Timed(end.time, .next($0)) } + [end]
    }

    private func distinct(_ source: [Timed], modulo divisor: Int) -> [Timed] {
        folded(source, into: nil as Int?) { previous, out, time, element in
            if previous != element % divisor { out.next(time, element) }
            previous = element % divisor
        }
    }

    private func elementAt(_ index: Int, _ source: [Timed]) -> [Timed] {
        let elements = source.filter { !$0.signal.isEnd }
        if index < elements.count { return [elements[index], Timed(elements[index].time, .completed)] }
        // Out of range is an error.
        return source.filter(\.signal.isEnd).map { Timed($0.time, .error) }
    }

    private func single(_ source: [Timed]) -> [Timed] {
        let elements = source.filter { !$0.signal.isEnd }
        if elements.count > 1 { return [elements[0], Timed(elements[1].time, .error)] }
        guard let end = source.last, end.signal.isEnd else { return source }
        return elements + [elements.isEmpty ? Timed(end.time, .error) : end]
    }

    private func materialized(_ source: [Timed]) -> [Timed] {
        source.flatMap { event -> [Timed] in
            switch event.signal {
            case .next: [event]
            case .error: [Timed(event.time, .next(501)), Timed(event.time, .completed)]
            case .completed: [Timed(event.time, .next(502)), event]
            }
        }
    }

    /// Two subscriptions of one shared source, merged: each element in the first, then in the second.
    private mutating func sharedTwice(_ source: [Timed], from start: Int) -> [Timed] {
        for event in source { tie(event.time, start) }
        return each(source) { out, time, element in
            out.next(time, element + 1)
            if element % 2 == 0 { out.next(time, element) }
        }
    }

    private mutating func retried(_ chain: Chain, _ count: Int, from start: Int) -> [Timed] {
        var time = start
        var all: [Timed] = []
        for attempt in 1...count {
            let events = events(chain, from: time)
            guard attempt < count, let end = events.last, end.signal == .error else { return all + events }
            all += events.dropLast()
            time = end.time
        }
        return all
    }

    // MARK: - Time

    private mutating func buffered(_ source: [Timed], span: Int?, count: Int, from start: Int) -> [Timed] {
        var out = Output()
        var held: [Int] = []
        split(source, span, from: start) { event, isTimeOver in
            if case .next(let element)? = event?.signal { held.append(element) }
            let isFull = count > 0 && held.count == count
            guard isTimeOver != nil || isFull || event?.signal.isEnd == true else { return nil }
            let time = isTimeOver ?? event!.time
            if event?.signal != .error { out.next(time, digest(held)) }
            held = []
            if let event, event.signal.isEnd { out.end(event) }
            return time
        }
        return out.events
    }

    private mutating func windowed(_ source: [Timed], span: Int, count: Int, from start: Int) -> [Timed] {
        var out = Output()
        var elements = 0
        split(source, span, from: start) { event, isTimeOver in
            if case .next(let element)? = event?.signal {
                out.next(event!.time, element)
                elements += 1
            }
            let isFull = count > 0 && elements == count
            guard isTimeOver != nil || isFull || event?.signal.isEnd == true else { return nil }
            let time = isTimeOver ?? event!.time
            if event?.signal != .error { out.next(time, closed) }
            elements = 0
            if let event, event.signal.isEnd { out.end(event) }
            return time
        }
        return out.events
    }

    /// Calls `take` with each event, and in between with each time at which a span is over; it returns the time from
    /// which the next span runs, or nil when the same goes on.
    private mutating func split(
        _ source: [Timed], _ span: Int?, from start: Int, _ take: (Timed?, Int?) -> Int?
    ) {
        var due = span.map { start + $0 } ?? .max
        func restart(_ time: Int?) { if let time, let span { due = time + span } }
        for event in source {
            while due < event.time { restart(take(nil, due)) }
            tie(due, event.time)
            restart(take(event, nil))
            if event.signal.isEnd { return }
        }
        while due <= horizon { restart(take(nil, due)) }
    }

    private mutating func delayed(_ source: [Timed], by span: Int) -> [Timed] {
        var all: [Timed] = []
        for event in source {
            if event.signal == .error {
                for waiting in all { tie(waiting.time, event.time) }
                return all.filter { $0.time < event.time } + [event]
            }
            // One turn of the scheduler each.
            all.append(Timed(max(event.time + span, (all.last?.time ?? 0) + 1), event.signal))
        }
        return all
    }

    private func inTurns(_ source: [Timed]) -> [Timed] {
        var all: [Timed] = []
        for event in source { all.append(Timed(max(event.time, all.last?.time ?? 0) + 1, event.signal)) }
        return all
    }

    private mutating func debounced(_ source: [Timed], _ span: Int) -> [Timed] {
        var out = Output()
        for (index, event) in source.enumerated() {
            let next = index + 1 < source.count ? source[index + 1] : nil
            switch event.signal {
            case .error, .completed: out.end(event)
            case .next(let element):
                let due = event.time + span
                guard let next else {
                    out.next(due, element)
                    continue
                }
                tie(due, next.time)
                if due < next.time {
                    out.next(due, element)
                } else if next.signal == .completed {
                    out.next(next.time, element)
                }
            }
        }
        return out.events
    }

    private mutating func throttled(_ source: [Timed], _ span: Int, latest: Bool) -> [Timed] {
        var out = Output()
        var blockedUntil = Int.min
        var waiting: Int?
        for event in source {
            if let element = waiting {
                tie(blockedUntil, event.time)
                if blockedUntil < event.time {
                    out.next(blockedUntil, element)
                    waiting = nil
                    blockedUntil += span
                }
            }
            switch event.signal {
            case .next(let element) where event.time >= blockedUntil:
                out.next(event.time, element)
                blockedUntil = event.time + span
            case .next(let element): if latest { waiting = element }
            case .error: out.end(event)
            case .completed:
                if let element = waiting { out.next(blockedUntil, element) }
                out.completed(waiting == nil ? event.time : blockedUntil)
            }
        }
        if let element = waiting { out.next(blockedUntil, element) }
        return out.events
    }

    /// What `other` makes of itself and the time takes the place of events from the first gap longer than `span` on.
    mutating func timedOut(
        _ source: [Timed], _ span: Int, from start: Int, _ other: (inout Model, Int) -> [Timed]
    ) -> [Timed] {
        var due = start + span
        for (index, event) in source.enumerated() {
            tie(due, event.time)
            if due < event.time { return source[..<index] + other(&self, due) }
            if event.signal.isEnd { return source }
            due = event.time + span
        }
        return due <= horizon ? source + other(&self, due) : source
    }

    private mutating func until(_ time: Int, _ source: [Timed], _ end: (inout Output) -> Void) -> [Timed] {
        var out = Output()
        for event in source {
            tie(event.time, time)
            if event.time > time { break }
            if case .next(let element) = event.signal { out.next(event.time, element) } else { out.end(event) }
        }
        end(&out)
        return out.events
    }

    private mutating func after(_ time: Int, _ source: [Timed]) -> [Timed] {
        for event in source { tie(event.time, time) }
        return source.filter { $0.time > time || $0.signal.isEnd }
    }

    // MARK: - Two sequences

    private mutating func binary(_ step: Binary, _ first: Chain, _ second: Chain, from start: Int) -> [Timed] {
        let source = events(first, from: start)
        switch step {
        case .concat:
            guard let end = source.last, end.signal == .completed else { return source }
            return source.dropLast() + events(second, from: end.time)
        case .catch:
            guard let end = source.last, end.signal == .error else { return source }
            return source.dropLast() + events(second, from: end.time)
        case .ifEmptySwitch:
            guard let end = source.first, end.signal == .completed else { return source }
            return events(second, from: end.time)
        case .timeoutOther(let span):
            return timedOut(source, span, from: start) { $0.events(second, from: $1) }
        default: break
        }
        let other = events(second, from: start)
        return switch step {
        case .merge: flattened(outerEnd: Timed(.min, .completed), [source, other], mustComplete: [0, 1])
        case .zip: zipped(source, other)
        case .combineLatest: combined(source, other)
        case .withLatestFrom: withLatest(source, other)
        case .amb: earlier(source, other)
        case .sample: sampled(source, other, nil)
        case .sampleDefault(let element): sampled(source, other, element)
        case .takeUntil: taken(source, until: other)
        case .skipUntil: skipped(source, until: other)
        // Above.
        case .concat, .catch, .ifEmptySwitch, .timeoutOther: []
        }
    }

    private mutating func zipped(_ first: [Timed], _ second: [Timed]) -> [Timed] {
        var out = Output()
        var waiting: [[Int]] = [[], []]
        var done = [false, false]
        for (stream, event) in interleave([first, second]) where !out.isOver {
            switch event.signal {
            case .next(let element):
                waiting[stream].append(element)
                if !waiting[0].isEmpty, !waiting[1].isEmpty {
                    out.next(event.time, waiting[0].removeFirst() * 10 + waiting[1].removeFirst())
                }
            case .error: out.end(event)
            case .completed:
                done[stream] = true
                if done == [true, true] { out.end(event) }
            }
        }
        return out.events
    }

    private mutating func combined(_ first: [Timed], _ second: [Timed]) -> [Timed] {
        var out = Output()
        var latest: [Int?] = [nil, nil]
        var done = [false, false]
        for (stream, event) in interleave([first, second]) where !out.isOver {
            switch event.signal {
            case .next(let element):
                latest[stream] = element
                if let one = latest[0], let other = latest[1] {
                    out.next(event.time, one * 10 + other)
                } else if done[1 - stream] {
                    out.completed(event.time)
                }
            case .error: out.end(event)
            case .completed:
                done[stream] = true
                if done == [true, true] { out.end(event) }
            }
        }
        return out.events
    }

    private mutating func withLatest(_ source: [Timed], _ other: [Timed]) -> [Timed] {
        var out = Output()
        var latest: Int?
        for (stream, event) in interleave([source, other]) {
            switch (stream, event.signal) {
            case (0, .next(let element)): if let latest { out.next(event.time, element * 10 + latest) }
            case (0, _), (_, .error): out.end(event)
            case (_, .next(let element)): latest = element
            case (_, .completed): break
            }
        }
        return out.events
    }

    private mutating func earlier(_ one: [Timed], _ other: [Timed]) -> [Timed] {
        guard let ofOne = one.first else { return other }
        guard let ofOther = other.first else { return one }
        tie(ofOne.time, ofOther.time)
        return ofOne.time < ofOther.time ? one : other
    }

    private mutating func sampled(_ source: [Timed], _ sampler: [Timed], _ defaultValue: Int?) -> [Timed] {
        var out = Output()
        var latest: Int?
        var isAtEnd = false
        for (stream, event) in interleave([source, sampler]) {
            switch (stream, event.signal) {
            case (_, .error): out.end(event)
            case (0, .next(let element)): latest = element
            case (0, .completed): isAtEnd = true
            case (_, .next), (_, .completed):
                if let element = latest ?? defaultValue { out.next(event.time, element) }
                latest = nil
                if isAtEnd { out.completed(event.time) }
            }
        }
        return out.events
    }

    private mutating func taken(_ source: [Timed], until other: [Timed]) -> [Timed] {
        _ = interleave([source, other])
        guard let stop = other.first, stop.signal != .completed else { return source }
        if let end = source.last, end.signal.isEnd, end.time < stop.time { return source }
        return source.filter { $0.time < stop.time }
            + [Timed(stop.time, stop.signal == .error ? .error : .completed)]
    }

    private mutating func skipped(_ source: [Timed], until other: [Timed]) -> [Timed] {
        _ = interleave([source, other])
        let failure = source.last?.signal == .error ? source.suffix(1) : []
        guard let start = other.first, start.time < source.end?.time ?? .max, start.signal != .completed else {
            // Never opened: its completion is silent.
            return Array(failure)
        }
        if start.signal == .error { return [start] }
        return source.filter { $0.time > start.time }
    }

    // MARK: - Sequences of sequences

    /// A sequence made of an element: when it is subscribed, and when it is disposed in favor of another, if it is.
    struct Inner {
        var chain: Chain
        var from: Int
        var replacedAt = Int.max
    }

    private mutating func flattening(
        _ step: Flattening, _ outer: Chain, _ inner: [Chain], from start: Int
    ) -> [Timed] {
        let source = events(outer, from: start)
        let made = inners(step, source, inner)
        let streams = made.map { made in events(made.chain, from: made.from).filter { $0.time < made.replacedAt } }
        let mustComplete = made.indices.filter { made[$0].replacedAt == .max }
        return flattened(outerEnd: source.end, streams, mustComplete: mustComplete)
    }

    mutating func inners(_ step: Flattening, _ outer: [Timed], _ inner: [Chain]) -> [Inner] {
        let made = outer.compactMap { event in
            if case .next(let element) = event.signal {
                Inner(chain: inner[element % inner.count], from: event.time)
            } else {
                nil
            }
        }
        return switch step {
        case .flatMap: made
        case .flatMapLatest: latest(made)
        case .flatMapFirst: whenIdle(made)
        case .concatMap: limited(made, to: 1)
        case .mergeLimited(let limit): limited(made, to: limit)
        }
    }

    private mutating func latest(_ made: [Inner]) -> [Inner] {
        var made = made
        for index in made.indices.dropLast() {
            made[index].replacedAt = made[index + 1].from
            for event in events(made[index].chain, from: made[index].from) { tie(event.time, made[index].replacedAt) }
        }
        return made
    }

    private mutating func whenIdle(_ made: [Inner]) -> [Inner] {
        var started: [Inner] = []
        var busyUntil = Int.min
        for inner in made {
            tie(inner.from, busyUntil)
            if inner.from < busyUntil { continue }
            started.append(inner)
            busyUntil = endTime(events(inner.chain, from: inner.from))
        }
        return started
    }

    private mutating func limited(_ made: [Inner], to limit: Int) -> [Inner] {
        var freeFrom = Array(repeating: Int.min, count: limit)
        var started: [Inner] = []
        for var inner in made {
            for free in freeFrom { tie(free, inner.from) }
            let place = freeFrom.indices.min { freeFrom[$0] < freeFrom[$1] }!
            inner.from = max(inner.from, freeFrom[place])
            started.append(inner)
            freeFrom[place] = inner.from > horizon ? .max : endTime(events(inner.chain, from: inner.from))
        }
        return started
    }

    /// When a sequence completes; never otherwise.
    private func endTime(_ events: [Timed]) -> Int {
        events.last.flatMap { $0.signal == .completed ? $0.time : nil } ?? .max
    }

    /// All streams together, until the first error or until the outer one and those that must have completed.
    private mutating func flattened(outerEnd: Timed?, _ streams: [[Timed]], mustComplete: [Int]) -> [Timed] {
        var out = Output()
        var open = Set(mustComplete)
        var isOuterOpen = true
        let outer = outerEnd.map { [$0] } ?? []
        for (stream, event) in interleave(streams + [outer]) {
            switch event.signal {
            case .next(let element): out.next(event.time, element)
            case .error: out.end(event)
            case .completed:
                if stream == streams.count { isOuterOpen = false } else { open.remove(stream) }
                if !isOuterOpen, open.isEmpty { out.end(event) }
            }
        }
        return out.events
    }
}

extension [Timed] {
    var end: Timed? { last.flatMap { $0.signal.isEnd ? $0 : nil } }

    var elements: [Int] {
        compactMap { if case .next(let element) = $0.signal { element } else { nil } }
    }
}
