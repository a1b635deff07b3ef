import Rx

func completables() {
    let bag = DisposeBag()
    let log = Log<String>()
    let done = Completable.empty()
    let failing = Completable.error(Failure.one)

    let made = Completable.create { completable in
        completable(.completed)
        completable(.error(Failure.one))
        return Disposables.create()
    }
    let observer: Completable.CompletableObserver = { event in log.append("\(event)") }
    made.subscribe(observer).disposed(by: bag)
    made.subscribe { event in
        switch event {
        case .completed: log.append("done")
        case .error(let error): log.append("\(error)")
        }
    }
    .disposed(by: bag)
    made.subscribe(
        onCompleted: { log.append("done") }, onError: { log.append("\($0)") }, onDisposed: { log.append("gone") }
    )
    .disposed(by: bag)
    check(log.entries, ["completed", "done", "done", "gone"])
    let screen = Screen()
    made.subscribe(
        with: screen, onCompleted: { $0.show("completed") }, onError: { $0.show("\($1)") },
        onDisposed: { $0.show("gone") }
    )
    .disposed(by: bag)
    failing.subscribe(with: screen, onError: { screen, error in screen.show("\(error)") }).disposed(by: bag)
    check(screen.shown.entries, ["completed", "gone", "one"])

    expect(Completable.never().andThen(Single.just(1)), gives: [], then: .open)
    expect(done.andThen(Single.just(1)), gives: [1])
    expect(done.andThen(Maybe.just(1)), gives: [1])
    expect(done.andThen(Completable.empty()).andThen(Observable.of(1, 2)), gives: [1, 2])
    expect(done.andThen(Observable.of(1, 2)), gives: [1, 2])
    expect(done.concat(failing).andThen(Single.just(1)), gives: [], then: .failed)
    expect(Completable.concat(done, done).andThen(Single.just(1)), gives: [1])
    expect(Completable.concat([done, done]).andThen(Single.just(1)), gives: [1])
    expect(Completable.concat(Sources(list: [done, done])).andThen(Single.just(1)), gives: [1])
    expect(Completable.concat(ContiguousArray([done, done])).andThen(Single.just(1)), gives: [1])
    expect(Completable.zip(done, failing).andThen(Single.just(1)), gives: [], then: .failed)
    expect(Completable.zip([done, done]).andThen(Single.just(1)), gives: [1])
    expect(Completable.zip(ContiguousArray([done, done])).andThen(Single.just(1)), gives: [1])
    expect(failing.catch { _ in .empty() }.andThen(Single.just(1)), gives: [1])
    expect(Completable.deferred { .empty() }.andThen(Single.just(1)), gives: [1])
    expect(
        done.do(
            onError: { log.append("\($0)") }, afterError: { log.append("after \($0)") },
            onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") }
        ).andThen(Single.just(1)), gives: [1])
    let generic: PrimitiveSequence<CompletableTrait, Never> = done
    check(describe(generic), "CompletableTrait of Never")
}
