extension Model {
    /// When the sources of `chain` are subscribed and disposed, by number, each list in order.
    mutating func spans(_ chain: Chain) -> [Int: [Span]] {
        var log: [Int: [Span]] = [:]
        spans(chain, from: 200, until: horizon, &log)
        return log.mapValues { $0.sorted { ($0.from, $0.to) < ($1.from, $1.to) } }
    }

    /// `stop` is when the one below disposes it: each sequence ends then or by itself.
    private mutating func spans(_ chain: Chain, from start: Int, until stop: Int, _ log: inout [Int: [Span]]) {
        // At one time it is undefined which comes first.
        tie(start, stop)
        if start >= stop { return }
        let events = events(chain, from: start)
        let own = min(stop, events.end?.time ?? .max)
        switch chain {
        case .source(let source):
            if source.kind != .now { log[source.id, default: []].append(Span(from: start, to: own)) }
        case .one(.take(0), _): break
        case .one(.delaySubscription(let span), let chain):
            spans(chain, from: start + max(1, span), until: own, &log)
        case .one(.subscribeOn, let chain):
            // Both in a turn of the scheduler. Disposed before, it does not subscribe.
            tie(start + 1, own)
            if start + 1 < own { spans(chain, from: start + 1, until: own + 1, &log) }
        case .one(.retry(let count), let chain):
            var time = start
            for _ in 1...count {
                let events = self.events(chain, from: time)
                spans(chain, from: time, until: own, &log)
                guard let end = events.end, end.signal == .error else { break }
                time = end.time
            }
        case .one(_, let chain): spans(chain, from: start, until: own, &log)
        case .two(let step, let first, let second): spans(step, first, second, from: start, until: own, &log)
        case .many(let step, let outer, let inner):
            spans(outer, from: start, until: own, &log)
            let source = self.events(outer, from: start)
            for made in inners(step, source, inner) where made.from <= own {
                spans(made.chain, from: made.from, until: min(own, made.replacedAt), &log)
            }
        }
    }

    private mutating func spans(
        _ step: Binary, _ first: Chain, _ second: Chain, from start: Int, until stop: Int, _ log: inout [Int: [Span]]
    ) {
        let source = events(first, from: start)
        switch step {
        case .concat:
            spans(first, from: start, until: stop, &log)
            if let end = source.end, end.signal == .completed { spans(second, from: end.time, until: stop, &log) }
        case .catch:
            spans(first, from: start, until: stop, &log)
            if let end = source.end, end.signal == .error { spans(second, from: end.time, until: stop, &log) }
        case .ifEmptySwitch:
            spans(first, from: start, until: stop, &log)
            if let end = source.first, end.signal == .completed { spans(second, from: end.time, until: stop, &log) }
        case .timeoutOther(let span):
            var switched = Int.max
            _ = timedOut(source, span, from: start) { _, time in
                switched = time
                return []
            }
            spans(first, from: start, until: min(stop, switched), &log)
            if switched <= stop { spans(second, from: switched, until: stop, &log) }
        case .amb:
            let other = events(second, from: start)
            let decided = min(source.first?.time ?? .max, other.first?.time ?? .max)
            spans(first, from: start, until: source.first?.time == decided ? stop : min(stop, decided), &log)
            spans(second, from: start, until: other.first?.time == decided ? stop : min(stop, decided), &log)
        case .skipUntil:
            let opened = events(second, from: start).first?.time ?? .max
            // When the source has completed before, there is no event, but both are let go of.
            let over = min(stop, source.end?.time ?? .max)
            spans(first, from: start, until: over, &log)
            spans(second, from: start, until: min(over, opened), &log)
        case .merge, .zip, .combineLatest, .withLatestFrom, .takeUntil, .sample, .sampleDefault:
            spans(first, from: start, until: stop, &log)
            spans(second, from: start, until: stop, &log)
        }
    }
}
