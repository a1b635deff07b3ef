import Rx

// The ways in which operators over several sources, on errors and for choosing elements are called: all must compile
// without help for the compiler. Not meant to compile, here as elsewhere: `flatMap { .just($0) }`, whose closure may
// return any kind of observable; `take { … }`, which may be `while:` or `until:`; and `take(until: .never())`.

private let a = Observable.of(1, 2)
private let b = Observable.just("b")
private let c = Observable.just(true)
private let faulty = Observable.concat(.just(1), Observable.error(Failure.one))

/// Implicit members stand as arguments and in closures.
func implicitMembers() {
    expect(a.concat(.error(Failure.one)), gives: [1, 2], then: .failed)
    expect(a.concat(.just(3)), gives: [1, 2, 3])
    expect(a.concat(.empty()), gives: [1, 2])
    expect(a.concat(.of(3, 4)).concat(.just(5)), gives: [1, 2, 3, 4, 5])
    expect(a.concat(a.map { $0 + 2 }), gives: [1, 2, 3, 4])
    expect(a.concat(BehaviorSubject(value: 3)), gives: [1, 2, 3], then: .open)
    expect(Observable.concat(.just(1), .just(2)), gives: [1, 2])
    expect(Observable.concat([.just(1), .empty(), .just(2)]), gives: [1, 2])
    expect(Observable<Int>.concat([]), gives: [])
    expect(Observable<Int>.concat(), gives: [])
    expect(Observable.merge(.just(1), .just(2)), gives: [1, 2])
    expect(Observable.merge([.just(1), .empty(), a]), gives: [1, 1, 2])
    expect(Observable.merge(a, .error(Failure.one)), gives: [], then: .failed)
    expect(Observable<Int>.merge(), gives: [])
    expect(a.amb(.never()), gives: [1, 2])
    expect(a.amb(BehaviorSubject(value: 3)), gives: [3], then: .open)
    expect(Observable.amb([a, .never()]), gives: [1, 2])
    expect(a.ifEmpty(switchTo: .just(4)), gives: [1, 2])
    expect(faulty.catch { _ in .just(2) }, gives: [1, 2])
    expect(faulty.catch { _ in .empty() }, gives: [1])
    expect(faulty.catch { .error($0) }, gives: [1], then: .failed)
    expect(
        faulty.catch { error in
            if error is Failure { return .just(7) }
            throw error
        }, gives: [1, 7])
    expect(
        faulty.catch { error in
            _ = error
            return Observable.just(8)
        }, gives: [1, 8])
    expect(Observable.catch(sequence: [faulty, .just(2)]), gives: [1, 2])
    expect(Observable.deferred { .just(1) }, gives: [1])
    expect(Observable<Int>.deferred { .error(Failure.one) }, gives: [], then: .failed)
    expect(Observable<Int>.using({ BooleanDisposable() }, observableFactory: { _ in .just(1) }), gives: [1])
}

/// Selectors are closures, typed closures and functions.
func selectorForms() {
    expect(a.flatMap { Observable.just($0) }, gives: [1, 2])
    expect(a.flatMap { n -> Observable<Int> in n > 1 ? .just(n) : .empty() }, gives: [2])
    expect(a.flatMap { n in n > 1 ? Observable.just(n) : .empty() }, gives: [2])
    expect(
        a.flatMap { n -> Observable<Int> in
            if n == 1 { return .empty() }
            return .just(n)
        }, gives: [2])
    expect(a.flatMap(tens), gives: [10, 20])
    expect(a.flatMapLatest(tens), gives: [10, 20])
    expect(a.flatMapFirst(tens), gives: [10, 20])
    expect(a.concatMap(tens), gives: [10, 20])
    expect(a.flatMapLatest { n -> Observable<String> in .just("\(n)") }, gives: ["1", "2"])
    expect(a.map(tens).merge(), gives: [10, 20])
    expect(a.map(tens).concat(), gives: [10, 20])
    expect(a.map(tens).switchLatest(), gives: [10, 20])
    expect(a.map(tens).merge(maxConcurrent: 2), gives: [10, 20])
}

/// Tuples, arrays and selectors, of two to nine sources.
func tupleForms() {
    expect(Observable.combineLatest(a, b).map { "\($0)\($1)" }, gives: ["1b", "2b"])
    expect(Observable.combineLatest(a, b).map { "\($0.0)\($0.1)" }, gives: ["1b", "2b"])
    expect(Observable.combineLatest(a, b, c).map { n, s, f in "\(n)\(s)\(f)" }, gives: ["1btrue", "2btrue"])
    expect(Observable.combineLatest(a, b, c).map(join), gives: ["1btrue", "2btrue"])
    expect(Observable.combineLatest(a, b, c, resultSelector: join), gives: ["1btrue", "2btrue"])
    expect(Observable.combineLatest(a, a, resultSelector: sum), gives: [2, 3, 4])
    expect(Observable.combineLatest(a, a, resultSelector: +), gives: [2, 3, 4])
    expect(Observable.combineLatest(a, a) { $0 + $1 }, gives: [2, 3, 4])
    expect(Observable.combineLatest(a, a) { ($0, $1) }.map { $0 + $1 }, gives: [2, 3, 4])
    expect(
        Observable.combineLatest(a, a) { x, y -> Int in
            let z = x * y
            return z + 1
        }, gives: [2, 3, 5])
    expect(
        Observable.combineLatest(a, a) { x, y in
            let z = x * y
            return z + 1
        }, gives: [2, 3, 5])
    expect(Observable.combineLatest(b, a, b) { Profile(name: $0, age: $1, tag: $2) }.map(\.age), gives: [1, 2])
    expect(Observable.combineLatest(b, a, b, resultSelector: Profile.init).map { $0.age }, gives: [1, 2])
    expect(Observable.combineLatest([a, a]), gives: [[1, 1], [2, 1], [2, 2]])
    expect(Observable.combineLatest([a, a]) { $0.reduce(0, +) }, gives: [2, 3, 4])
    expect(
        Observable.combineLatest([BehaviorSubject(value: 1), BehaviorSubject(value: 2)]), gives: [[1, 2]],
        then: .open)
    expect(Observable<Int>.combineLatest([] as [Observable<Int>]), gives: [[]])
    expect(Observable.combineLatest([1, 2].map { Observable.just($0) }).map { $0.count }, gives: [2])
    let typed: Observable<(Int, String)> = Observable.combineLatest(a, b)
    expect(typed.map { $0.0 }, gives: [1, 2])
    let typed2: Observable<String> = Observable.combineLatest(a, b) { n, s in "\(n)\(s)" }
    expect(typed2, gives: ["1b", "2b"])
    let typed4: Observable<String> = .combineLatest(a, b) { "\($0)\($1)" }
    expect(typed4, gives: ["1b", "2b"])
    let typed5: Observable<String> = .zip(a, b) { "\($0)\($1)" }
    expect(typed5, gives: ["1b"])
    let (x, y): (Observable<Int>, Observable<Int>) = (a, a)
    expect(
        Observable.combineLatest(x, y.map { $0 * 2 }.filter { $0 > 1 }, a.startWith(0)) { first, second, third in
            first + second + third
        }.take(1), gives: [3])
    expect(
        Observable.combineLatest(a.map { $0 }, b.map { $0 + "x" }).filter { $0.0 > 1 }.map { $0.1 }, gives: ["bx"])
    expect(
        Observable.combineLatest(a, b, c, a, b, c, a, b) { a, b, c, d, e, f, g, h in "\(a)\(b)\(d)\(e)\(g)\(h)" }
            .takeLast(1),
        gives: ["2b2b2b"])
    expect(
        Observable.combineLatest(a, b, c, a, b, c, a, b).map { "\($0.0)\($0.7)" }.takeLast(1), gives: ["2b"])

    expect(Observable.zip(a, b).map { "\($0)\($1)" }, gives: ["1b"])
    expect(Observable.zip(a, a, resultSelector: sum), gives: [2, 4])
    expect(Observable.zip(a, a, resultSelector: +), gives: [2, 4])
    expect(Observable.zip(a, a) { $0 * $1 }, gives: [1, 4])
    expect(Observable.zip(b, a, b, resultSelector: Profile.init).map { $0.age }, gives: [1])
    expect(Observable.zip(a, a) { ($0, $1) }.map { $0 + $1 }, gives: [2, 4])
    expect(Observable.zip(a, Observable.from(["a", "b"])) { n, s in "\(n)\(s)" }, gives: ["1a", "2b"])
    expect(Observable.zip([a, a]), gives: [[1, 1], [2, 2]])
    expect(Observable.zip([a, a]) { $0.reduce(0, +) }, gives: [2, 4])
    expect(Observable<Int>.zip([] as [Observable<Int>]), gives: [])
    expect(Observable.zip(a, b, c, a, b, c, a, b).map { "\($0.0)\($0.7)" }, gives: ["1b"])
}

/// Further operators, in the ways they are called.
func operatorForms() {
    expect(a.withLatestFrom(b), gives: ["b", "b"])
    expect(a.withLatestFrom(b) { ($0, $1) }.map { "\($0)\($1)" }, gives: ["1b", "2b"])
    expect(a.withLatestFrom(b) { n, s in "\(n)\(s)" }, gives: ["1b", "2b"])
    expect(a.withLatestFrom(b, resultSelector: { "\($0)\($1)" }), gives: ["1b", "2b"])
    expect(
        a.withLatestFrom(Observable.combineLatest(b, c)) { ($0, $1.0, $1.1) }.map(join),
        gives: ["1btrue", "2btrue"])
    expect(a.scan(0, accumulator: +), gives: [1, 3])
    expect(a.scan(0) { $0 + $1 }, gives: [1, 3])
    expect(a.scan(into: []) { $0.append($1) }, gives: [[1], [1, 2]])
    expect(a.scan([]) { $0 + [$1] }, gives: [[1], [1, 2]])
    expect(a.reduce([]) { $0 + [$1] }, gives: [[1, 2]])
    expect(a.reduce(0, accumulator: +), gives: [3])
    expect(a.reduce(0, accumulator: +, mapResult: { "\($0)" }), gives: ["3"])
    expect(a.reduce(0, accumulator: { $0 + $1 }) { "\($0)" }, gives: ["3"])
    expect(a.retry(3), gives: [1, 2])
    expect(faulty.retry(2).catchAndReturn(0), gives: [1, 1, 0])
    expect(faulty.retry { $0.take(1) }, gives: [1, 1])
    expect(faulty.retry { errors in errors.flatMap { _ in Observable.just(()) }.take(1) }, gives: [1, 1])
    expect(faulty.retry { (errors: Observable<Failure>) in errors.map { _ in 1 }.take(1) }, gives: [1, 1])
    expect(
        faulty.retry { (errors: Observable<any Error>) -> Observable<Int> in
            errors.enumerated().flatMap { index, error -> Observable<Int> in
                index < 1 ? .just(index) : .error(error)
            }
        }, gives: [1, 1], then: .failed)
    expect(faulty.retry(when: { $0.take(1) }), gives: [1, 1])
    expect(a.take(until: b), gives: [])
    expect(a.take(until: { $0 == 2 }), gives: [1])
    expect(a.take(while: { $0 < 2 }, behavior: .inclusive), gives: [1, 2])
    expect(a.take(until: { $0 == 1 }, behavior: .inclusive), gives: [1])
    expect(a.skip { $0 < 2 }, gives: [2])
    expect(a.skip(while: { $0 < 2 }), gives: [2])
    expect(a.skip(until: b), gives: [1, 2])
    expect(a.enumerated().map { $0 * $1 }, gives: [0, 2])
    expect(a.enumerated().map { index, element in index + element }, gives: [1, 3])
    expect(a.enumerated().filter { $0.index > 0 }.map { $0.element }, gives: [2])
    expect(a.distinctUntilChanged(), gives: [1, 2])
    expect(a.distinctUntilChanged { $0 }, gives: [1, 2])
    expect(a.distinctUntilChanged { $0 % 1 }, gives: [1])
    expect(a.distinctUntilChanged { $0 == $1 }, gives: [1, 2])
    expect(a.distinctUntilChanged(==), gives: [1, 2])
    expect(a.distinctUntilChanged({ "\($0)" }, comparer: { $0 == $1 }), gives: [1, 2])
    expect(
        a.distinctUntilChanged {
            "\($0)"
        } comparer: {
            $0.count == $1.count
        }, gives: [1])
    expect(a.distinctUntilChanged(at: \.description), gives: [1, 2])
    expect(a.distinctUntilChanged(at: \.bitWidth), gives: [1])
    expect(a.startWith(0), gives: [0, 1, 2])
    expect(a.startWith(-1, 0), gives: [-1, 0, 1, 2])
    expect(Observable<String?>.just("x").startWith(nil), gives: [nil, "x"])
    expect(a.compactMap { $0 > 1 ? $0 : nil }, gives: [2])
    expect(Observable<Int?>.of(1, nil).compactMap { $0 }, gives: [1])
    expect(Observable.of("1", "x").compactMap(Int.init), gives: [1])
    expect(a.map(String.init), gives: ["1", "2"])
    expect(a.map { String($0) }.map(\.count), gives: [1, 1])
    expect(a.materialize().filter { !$0.isCompleted }.dematerialize(), gives: [1, 2])
    expect(a.do(onNext: { _ in }), gives: [1, 2])
    expect(a.do { _ in }, gives: [1, 2])
    expect(
        a.do(
            onNext: { _ in }, onError: { _ in }, onCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {}),
        gives: [1, 2])
    expect(a.do(onSubscribe: {}), gives: [1, 2])
    expect(a.ifEmpty(default: 1), gives: [1, 2])
    expect(a.toArray().map { $0.count }, gives: [2])
    expect(Observable.of(1, 2, 3).element(at: 1), gives: [2])
    expect(Observable.from([1, 2]).takeLast(1), gives: [2])
    expect(Observable.just(a).merge(), gives: [1, 2])
    expect(Observable.of(a, a).concat(), gives: [1, 2, 1, 2])
}

private struct Profile: Sendable {
    var name: String
    var age: Int
    var tag: String
}

private func sum(_ a: Int, _ b: Int) -> Int { a + b }
private func join(_ a: Int, _ b: String, _ c: Bool) -> String { "\(a)\(b)\(c)" }
private func tens(_ number: Int) -> Observable<Int> { .just(number * 10) }
