import Rx

func joining() {
    let a = Observable.of(1, 2)
    let b = Observable.of(3, 4)
    expect(a.amb(b), gives: [1, 2])
    expect(Observable.amb([a, b]), gives: [1, 2])
    expect(a.concat(b), gives: [1, 2, 3, 4])
    expect(a.concat(Single.just(3)), gives: [1, 2, 3])
    expect(Observable.concat(a, b), gives: [1, 2, 3, 4])
    expect(Observable.concat([a, b]), gives: [1, 2, 3, 4])
    expect(Observable.concat(ContiguousArray([a, b])), gives: [1, 2, 3, 4])
    expect(Observable.concat(Sources(list: [a, b])), gives: [1, 2, 3, 4])
    expect(Observable.of(a, b).concat(), gives: [1, 2, 3, 4])
    expect(Observable.merge(a, .never()), gives: [1, 2], then: .open)
    expect(Observable.merge([a, .empty()]), gives: [1, 2])
    expect(Observable.merge(ContiguousArray([a, .empty()])), gives: [1, 2])
    expect(Observable.of(a, .empty()).merge(), gives: [1, 2])
    expect(Observable.of(a, b).merge(maxConcurrent: 1), gives: [1, 2, 3, 4])
    expect(Observable.just(a).switchLatest(), gives: [1, 2])
    expect(a.withLatestFrom(Observable<Int>.never()), gives: [])
    expect(a.withLatestFrom(Observable.just(9)), gives: [9, 9])
    expect(a.withLatestFrom(Observable.just("x")) { "\($0)\($1)" }, gives: ["1x", "2x"])
    expect(a.withLatestFrom(Observable.just(9), resultSelector: { $0 + $1 }), gives: [10, 11])
    expect(a.sample(Observable<Int>.never()), gives: [], then: .open)
    expect(Observable<Int>.never().sample(Observable.just(0), defaultValue: 7).take(1), gives: [7])

    let typed: [Observable<Int>] = [a, b]
    expect(Observable.concat(typed.map { $0.map { $0 * 2 } }), gives: [2, 4, 6, 8])
}

/// A sequence that is no collection.
struct Sources<Source: Sendable>: Sequence, IteratorProtocol, Sendable {
    var list: [Source]

    mutating func next() -> Source? { list.isEmpty ? nil : list.removeFirst() }
}

func combiningLatest() {
    let a = Observable.just(1)
    let b = Observable.just(2)
    let s = Observable.just("s")
    expect(Observable.combineLatest([a, b]).map { $0 }, gives: [[1, 2]])
    expect(Observable.combineLatest([a, b]) { $0.reduce(0, +) }, gives: [3])
    expect(Observable.combineLatest([a, b], resultSelector: { $0.count }), gives: [2])
    expect(Observable.combineLatest(a, s).map { number, text in "\(number)\(text)" }, gives: ["1s"])
    expect(Observable.combineLatest(a, b).map { $0 + $1 }, gives: [3])
    expect(Observable.combineLatest(a, b).map { $0.0 + $0.1 }, gives: [3])
    expect(Observable.combineLatest(a, b).map(+), gives: [3])
    expect(Observable.combineLatest(a, b, a).map { $0 + $1 + $2 }, gives: [4])
    expect(Observable.combineLatest(a, b, a, b).map { $0 + $1 + $2 + $3 }, gives: [6])
    expect(Observable.combineLatest(a, b, a, b, a).map { $0 + $1 + $2 + $3 + $4 }, gives: [7])
    expect(Observable.combineLatest(a, b, a, b, a, b).map { $0.0 + $0.5 }, gives: [3])
    expect(Observable.combineLatest(a, b, a, b, a, b, s).map { $0.6 }, gives: ["s"])
    expect(Observable.combineLatest(a, b, a, b, a, b, s, a).map { $0.7 }, gives: [1])
    expect(Observable.combineLatest(a, b, resultSelector: +), gives: [3])
    expect(Observable.combineLatest(a, s) { "\($0)\($1)" }, gives: ["1s"])
    expect(Observable.combineLatest(a, s) { number, text -> String in "\(number)\(text)" }, gives: ["1s"])
    expect(Observable.combineLatest(a, b, a) { $0 + $1 + $2 }, gives: [4])
    expect(Observable.combineLatest(a, b, a, b) { $0 + $1 + $2 + $3 }, gives: [6])
    expect(Observable.combineLatest(a, b, a, b, a) { $0 + $1 + $2 + $3 + $4 }, gives: [7])
    expect(Observable.combineLatest(a, b, a, b, a, b) { a, _, _, _, _, b in a + b }, gives: [3])
    expect(Observable.combineLatest(a, b, a, b, a, b, s) { _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Observable.combineLatest(a, b, a, b, a, b, s, a) { _, _, _, _, _, _, _, a in a }, gives: [1])
    expect(Observable<Int>.combineLatest(a, b) { $0 + $1 }, gives: [3])
    expect(Observable.combineLatest(a, b, a, b, a, b, a, b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12])
    expect(Observable.combineLatest(a, b, a, b, a, b, a, b).map { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12])
    expect(Observable.combineLatest(a, b, a, b, a, b, a, b, s) { $7 + $8.count }, gives: [3])
}

func zipping() {
    let a = Observable.of(1, 5)
    let b = Observable.of(2, 6)
    let s = Observable.of("s", "t")
    expect(Observable.zip([a, b]), gives: [[1, 2], [5, 6]])
    expect(Observable.zip([a, b]) { $0.reduce(0, +) }, gives: [3, 11])
    expect(Observable.zip(a, s).map { number, text in "\(number)\(text)" }, gives: ["1s", "5t"])
    expect(Observable.zip(a, b, a).map { $0 + $1 + $2 }, gives: [4, 16])
    expect(Observable.zip(a, b, a, b).map { $0 + $1 + $2 + $3 }, gives: [6, 22])
    expect(Observable.zip(a, b, a, b, a).map { $0 + $1 + $2 + $3 + $4 }, gives: [7, 27])
    expect(Observable.zip(a, b, a, b, a, b).map { $0.0 + $0.5 }, gives: [3, 11])
    expect(Observable.zip(a, b, a, b, a, b, s).map { $0.6 }, gives: ["s", "t"])
    expect(Observable.zip(a, b, a, b, a, b, s, a).map { $0.7 }, gives: [1, 5])
    expect(Observable.zip(a, b) { $0 + $1 }, gives: [3, 11])
    expect(Observable.zip(a, Observable.range(start: 0, count: 9), resultSelector: { $0 + $1 }), gives: [1, 6])
    expect(Observable.zip(a, b, a) { $0 + $1 + $2 }, gives: [4, 16])
    expect(Observable.zip(a, b, a, b) { $0 + $1 + $2 + $3 }, gives: [6, 22])
    expect(Observable.zip(a, b, a, b, a) { $0 + $1 + $2 + $3 + $4 }, gives: [7, 27])
    expect(Observable.zip(a, b, a, b, a, b) { a, _, _, _, _, b in a + b }, gives: [3, 11])
    expect(Observable.zip(a, b, a, b, a, b, s) { _, _, _, _, _, _, s in s }, gives: ["s", "t"])
    expect(Observable.zip(a, b, a, b, a, b, s, a) { _, _, _, _, _, _, _, a in a }, gives: [1, 5])
    expect(Observable.zip(a, b, a, b, a, b, a, b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12, 44])
    expect(Observable.zip(a, b, a, b, a, b, a, b).map { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12, 44])
    expect(Observable.zip(a, b, a, b, a, b, a, b, s) { $8 }, gives: ["s", "t"])
}
