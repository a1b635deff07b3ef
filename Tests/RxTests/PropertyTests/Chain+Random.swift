/// Makes chains and event tables from a seed.
struct ChainMaker {
    private var generator: SeededGenerator
    private var sources = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    private mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
    /// Long enough that equal times are rare.
    private mutating func span() -> Int { number(5...130) }

    /// When the subscription is disposed: mostly after everything, sometimes in the middle.
    mutating func horizon() -> Int { chance(75) ? number(2_000...2_400) : number(230...900) }

    mutating func chain() -> Chain { chain(depth: number(1...5)) }

    private mutating func chain(depth: Int) -> Chain {
        if depth == 0 { return .source(source()) }
        switch number(1...100) {
        case ...66: return .one(unary(), chain(depth: depth - 1))
        case ...86:
            let binary = binary()
            return .two(binary, chain(depth: depth - 1), chain(depth: number(0...min(2, depth - 1))))
        default:
            let flattening = flattening()
            let outer = chain(depth: depth - 1)
            return .many(flattening, outer, (0..<number(1...3)).map { _ in chain(depth: number(0...1)) })
        }
    }

    private mutating func source() -> Chain.Source {
        sources += 1
        switch number(1...10) {
        case ...4: return Chain.Source(id: sources, kind: .hot, events: events(from: 130, gaps: 1...90))
        case ...8: return Chain.Source(id: sources, kind: .cold, events: events(from: 0, gaps: 1...70))
        default:
            let elements = (0..<number(0...3)).map { _ in Timed(0, .next(number(0...9))) }
            return Chain.Source(id: sources, kind: .now, events: elements + end(at: 0))
        }
    }

    private mutating func events(from start: Int, gaps: ClosedRange<Int>) -> [Timed] {
        var time = start
        var events: [Timed] = []
        for _ in 0..<number(0...9) {
            if events.isEmpty || !chance(4) { time += number(gaps) }
            events.append(Timed(time, .next(number(0...9))))
        }
        return events + end(at: time + number(gaps))
    }

    private mutating func end(at time: Int) -> [Timed] {
        switch number(1...100) {
        case ...72: [Timed(time, .completed)]
        case ...90: [Timed(time, .error)]
        default: []
        }
    }

    private mutating func unary() -> Unary {
        switch number(1...39) {
        case 1: .map(adding: number(1...9))
        case 2: .mapThrowing(multiplesOf: number(4...9))
        case 3: .filter(notMultiplesOf: number(2...4))
        case 4: .compactMap(halvesNotMultiplesOf: number(2...5))
        case 5: .scan
        case 6: .distinct
        case 7: .distinctKey(modulo: number(2...3))
        case 8: .take(number(0...5))
        case 9: .takeLast(number(0...4))
        case 10: .takeWhile(below: number(3...9), inclusive: chance(50))
        case 11: .takeUntilElement(atLeast: number(3...9), inclusive: chance(50))
        case 12: .skip(number(0...4))
        case 13: .skipWhile(below: number(2...7))
        case 14: .startWith((0..<number(1...2)).map { _ in number(0...9) })
        case 15: .ifEmpty(number(0...9))
        case 16: .elementAt(number(0...4))
        case 17: .enumerated
        case 18: .ignoreElements
        case 19: .single
        case 20: .reduce
        case 21: .toArray
        case 22: .materialize
        case 23: .roundTrip
        case 24: .bufferCount(number(1...4))
        case 25: .buffer(span: span(), count: number(0...4))
        case 26: .window(span: span(), count: number(0...4))
        case 27: .delay(span())
        case 28: .debounce(span())
        case 29: .throttle(span(), latest: chance(60))
        case 30: .timeout(span())
        case 31: .takeFor(number(20...500))
        case 32: .skipFor(number(10...300))
        case 33: .delaySubscription(number(0...100))
        case 34: .subscribeOn
        case 35: .observeOn
        case 36: .retry(number(1...3))
        case 37: .catchAndReturn(number(0...9))
        case 38: .share
        default: .shareTwice
        }
    }

    private mutating func binary() -> Binary {
        switch number(1...13) {
        case 1: .concat
        case 2: .merge
        case 3: .zip
        case 4: .combineLatest
        case 5: .withLatestFrom
        case 6: .amb
        case 7: .sample
        case 8: .sampleDefault(number(0...9))
        case 9: .takeUntil
        case 10: .skipUntil
        case 11: .timeoutOther(span())
        case 12: .catch
        default: .ifEmptySwitch
        }
    }

    private mutating func flattening() -> Flattening {
        switch number(1...5) {
        case 1: .flatMap
        case 2: .flatMapLatest
        case 3: .flatMapFirst
        case 4: .concatMap
        default: .mergeLimited(number(1...3))
        }
    }
}
