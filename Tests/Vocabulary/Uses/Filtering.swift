import Rx

func filtering() {
    let numbers = Observable.of(1, 2, 3, 4)
    let people = Observable.of(Person(name: "Ada", age: 1), Person(name: "Ada", age: 2), Person(name: "Eva", age: 2))
    expect(numbers.filter { $0 % 2 == 0 }, gives: [2, 4])
    expectEnd(numbers.ignoreElements())
    expect(Observable.of(1, 1, 2).distinctUntilChanged(), gives: [1, 2])
    expect(people.distinctUntilChanged { $0.name }.map { $0.age }, gives: [1, 2])
    expect(people.distinctUntilChanged { $0.name == $1.name }.map { $0.age }, gives: [1, 2])
    expect(people.distinctUntilChanged({ $0.age }, comparer: { $0 == $1 }).map(\.name), gives: ["Ada", "Ada"])
    expect(people.distinctUntilChanged(at: \.name).map { $0.age }, gives: [1, 2])
    expect(numbers.element(at: 1), gives: [2])
    expect(numbers.element(at: 7), gives: [], then: .failed)
    expect(numbers.first().map { $0 ?? 0 }, gives: [1])
    expect(numbers.single(), gives: [1], then: .failed)
    expect(numbers.single { $0 == 3 }, gives: [3])
    expect(numbers.skip(2), gives: [3, 4])
    expect(numbers.skip(while: { $0 < 3 }), gives: [3, 4])
    expect(numbers.skip { $0 < 3 }, gives: [3, 4])
    expect(numbers.skip(until: Observable<Int>.never()), gives: [], then: .open)
    expect(numbers.skip(until: Observable.just("go")), gives: [1, 2, 3, 4])
    expect(numbers.take(2), gives: [1, 2])
    expect(numbers.take(until: Observable<Int>.never()), gives: [1, 2, 3, 4])
    expect(numbers.take(until: { $0 == 3 }), gives: [1, 2])
    expect(numbers.take(until: { $0 == 3 }, behavior: .inclusive), gives: [1, 2, 3])
    expect(numbers.take(while: { $0 < 3 }), gives: [1, 2])
    expect(numbers.take(while: { $0 < 3 }, behavior: TakeBehavior.exclusive), gives: [1, 2])
    expect(numbers.takeLast(2), gives: [3, 4])
    expect(numbers.asSingle(), gives: [], then: .failed)
    expect(Observable.just(1).asSingle(), gives: [1])
    expect(Observable<Int>.empty().asMaybe(), gives: [])
    expectEnd(Observable<Never>.empty().asCompletable())
    expect(numbers.ignoreElements().asCompletable().andThen(Observable.just(1)), gives: [1])
}

func failing() {
    let failing = Observable.concat(.just(1), .error(Failure.one))
    expect(failing.catch { _ in .just(2) }, gives: [1, 2])
    expect(
        failing.catch { error -> Observable<Int> in
            guard error is Failure else { throw error }
            return .just(3)
        }, gives: [1, 3])
    expect(failing.catchAndReturn(2), gives: [1, 2])
    expect(Observable.catch(sequence: [failing, .just(2)]), gives: [1, 2])
    expect(failing.retry(2), gives: [1, 1], then: .failed)
    expect(failing.retry().take(3), gives: [1, 1, 1])
    expect(failing.retry { errors in errors.take(1) }, gives: [1, 1])
    expect(failing.retry(when: { (errors: Observable<Failure>) in errors.take(1) }), gives: [1, 1])
    expect(
        failing.retry { (errors: Observable<any Error>) in
            errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                attempt < 1 ? .just(attempt) : .error(error)
            }
        }, gives: [1, 1], then: .failed)
    expect(failing.asInfallible(onErrorJustReturn: 2), gives: [1, 2])
    expect(failing.asInfallible(onErrorFallbackTo: Infallible.just(2)), gives: [1, 2])
    expect(failing.asInfallible(onErrorRecover: { _ in .just(2) }), gives: [1, 2])
    expect(failing.asInfallible { _ in Infallible.just(2) }, gives: [1, 2])
}
