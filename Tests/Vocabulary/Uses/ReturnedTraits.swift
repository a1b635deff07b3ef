import Rx

/// A model whose functions return traits, and whose last operator uses the state of the main actor.
@MainActor
private final class ReturningModel {
    var title = ""
    private func format(_ text: String) -> String { title + text }
    private func isLong(_ text: String) -> Bool { text.count > title.count }

    lazy var stored: Single<String> = Single.just("stored").observe(on: MainScheduler.instance)
        .map { [unowned self] in format($0) }
    var cleared: Completable {
        Completable.empty().observe(on: MainScheduler.instance).do(onCompleted: { [weak self] in self?.title = "" })
    }

    func load(_ name: Single<String>) -> Single<String> {
        name.observe(on: MainScheduler.instance).do(onSuccess: { [weak self] in self?.title = $0 })
    }

    func formatted(_ name: Single<String>) -> Single<String> { name.observe(on: MainScheduler.instance).map(format) }

    func long(_ name: Single<String>) -> Maybe<String> {
        name.observe(on: MainScheduler.instance).filter { [unowned self] in isLong($0) }
    }

    func number(_ name: Single<String>) -> Maybe<Int> {
        name.observe(on: MainScheduler.instance).compactMap { [weak self] in self?.format($0).count }
    }

    func long(_ name: Maybe<String>) -> Maybe<String> {
        name.observe(on: MainScheduler.instance)
            .do(onNext: { self.title = $0 }).map { self.format($0) }.filter { self.isLong($0) }
    }

    func chained(_ name: Single<String>) -> Single<String> {
        name.observe(on: MainScheduler.instance)
            .do(onSuccess: { self.title = $0 }).map { self.format($0) }.do(onSuccess: { self.title = $0 })
            .map { self.format($0).count }.map { self.format("\($0)") }.do(onError: { _ in self.title = "" })
    }

    func names(_ names: Infallible<String>) -> Infallible<String> {
        names.observe(on: MainScheduler.instance)
            .map { self.format($0) }.filter { self.isLong($0) }.scan("") { $0 + self.format($1) }
            .do(onNext: { self.title = $0 })
    }

    func lengths(_ names: Infallible<String>) -> Infallible<Int> {
        names.observe(on: MainScheduler.instance).scan(into: 0) { $0 += self.title.count + $1.count }
    }

    func distinct(_ names: Infallible<String>) -> Infallible<String> {
        names.observe(on: MainScheduler.instance).distinctUntilChanged { self.format($0) == $1 }
    }

    func distinctKeys(_ names: Infallible<String>) -> Infallible<String> {
        names.observe(on: MainScheduler.instance).distinctUntilChanged { self.format($0) }
    }

    /// Within a chain, the operators still return the types of the main actor.
    func types(_ name: Single<String>) {
        let request = name.observe(on: MainScheduler.instance).do(onSuccess: { self.title = $0 }).map {
            self.format($0)
        }
        let maybe = request.filter { self.isLong($0) }.compactMap { self.format($0) }.do(onNext: { self.title = $0 })
        request.subscribe(onSuccess: { self.title = $0 }).dispose()
        maybe.subscribe(onSuccess: { self.title = $0 }).dispose()
    }
}

@MainActor
func returnedTraits() async throws {
    let model = ReturningModel()
    check(try await model.load(.just("Ada")).value, "Ada")
    check(model.title, "Ada")
    check(try await model.stored.value, "Adastored")
    check(try await model.formatted(.just("!")).value, "Ada!")
    check(try await model.long(.just("!") as Single).value, nil)
    check(try await model.number(.just("!")).value, 4)
    check(try await model.long(.just("a") as Maybe).value, "aa")
    try await model.cleared.value
    check(model.title, "")
    check(try await model.chained(.just("a")).value, "aa4")
    try await model.cleared.value
    check(try await all(model.names(.of("a", "b"))), ["a", "aaab"])
    try await model.cleared.value
    check(try await all(model.lengths(.of("a", "b"))), [1, 2])
    check(try await all(model.distinct(.of("a", "a", "b"))), ["a", "b"])
    check(try await all(model.distinctKeys(.of("a", "a", "b"))), ["a", "b"])
    model.types(.just("a"))
}

private func all<Element: Sendable>(_ sequence: Infallible<Element>) async throws -> [Element] {
    try await sequence.asObservable().toArray().value
}
