import Rx

@MainActor
func asynchronous() async throws {
    var found: [Int] = []
    for try await number in Observable.of(1, 2).values { found.append(number) }
    for await number in Infallible.of(3, 4).values { found.append(number) }
    for try await number in Observable.just(5).observe(on: MainScheduler.instance).values { found.append(number) }
    for try await number in Observable.just(6).observe(on: MainScheduler.asyncInstance).values { found.append(number) }
    check(found, [1, 2, 3, 4, 5, 6])

    check(try await Single.just(1).value, 1)
    check(try await Maybe.just(1).value, 1)
    check(try await Maybe<Int>.empty().value, nil)
    try await Completable.empty().value
    do {
        _ = try await Single<Int>.error(Failure.one).value
        check(false, true)
    } catch Failure.one {
        check(true, true)
    }

    let made = Single.create { 7 }
    check(try await made.value, 7)
    check(
        try await Single<Int>.create(detached: true, priority: .high, work: { throw Failure.one }).catchAndReturn(8)
            .value, 8)

    let stream = AsyncStream<Int> { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish()
    }
    check(try await stream.asObservable().toArray().value, [1, 2])
    let another = AsyncStream<Int> { $0.finish() }
    check(try await another.asObservable(priority: .high).toArray().value, [])
}
