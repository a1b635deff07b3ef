import Dispatch
import Rx
import RxReactor
import RxTest
import Testing
import TestSupport

@Suite("What a host of reactors uses", .leakFree)
struct HostingTests {
    private let log = Log()
    private let bag = DisposeBag()

    private func text(_ end: DispatchEnd<[String]>) -> String {
        switch end {
        case .completed(let snapshot): "completed-\(snapshot.revision)-\(snapshot.state.joined())"
        case .failed(let error, let snapshot): "\(error)-\(snapshot.revision)-\(snapshot.state.joined())"
        case .released: "released"
        }
    }

    private func dispatch(_ action: String, _ reactor: Probe) {
        reactor.dispatch(action) { [log] end in log.write(text(end)) }
    }

    @Test("a dispatch ends when its mutations are reduced, after each was published")
    func ends() {
        let reactor = Probe(mutate: { _, action in .of(action, action) })
        log.record("", reactor.transitions.map { "\($0.revision)\($0.mutation)\($0.state.count)" }).disposed(by: bag)
        dispatch("a", reactor)
        #expect(log.text == "1a1 2a2 completed-2-aa")
        dispatch("b", reactor)
        #expect(log.all.last == "completed-4-aabb")
    }

    @Test("who subscribes to the transitions before the first use misses none, of a restored reactor either")
    func transitionsFromTheStart() {
        let reactor = Probe(mutation: { $0.startWith("at once") })
        log.record("", reactor.transitions.map { "\($0.revision)-\($0.mutation)" }).disposed(by: bag)
        reactor.restore(["kept"], revision: 7)
        #expect(log.all.isEmpty)
        #expect(reactor.snapshot.state == ["kept", "at once"])
        #expect(log.text == "8-at once")
    }

    @Test("a dispatch whose mutations come later ends later, whatever ends meanwhile")
    func endsLater() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(mutate: { _, action in
            action == "slow" ? Observable.just(action).delay(.seconds(10), scheduler: scheduler) : .just(action)
        })
        dispatch("slow", reactor)
        dispatch("a", reactor)
        #expect(log.text == "completed-1-a")
        withExtendedLifetime(reactor) { scheduler.start() }
        #expect(log.text == "completed-1-a completed-2-aslow")
    }

    @Test("a dispatch without mutations, and one that a transform leaves out, ends at once")
    func endsEmpty() {
        let reactor = Probe(action: { $0.filter { $0 != "out" } }, mutate: { _, _ in .empty() })
        dispatch("a", reactor)
        dispatch("out", reactor)
        #expect(log.text == "completed-0- completed-0-")
    }

    @Test("a dispatch whose mutate fails reports that, after what it has led to")
    func fails() {
        let reactor = Probe(mutate: { _, action in Observable.just(action).concat(Observable.error(Oops())) })
        let errors = reactor.errors.subscribe()
        dispatch("a", reactor)
        #expect(log.text == "oops-1-a")
        errors.dispose()
    }

    @Test("a dispatch from within a reduction ends after that")
    func endsWithin() {
        let reactor = Probe()
        reactor.state.subscribe(onNext: { [unowned reactor] state in
            if state == ["a"] { dispatch("b", reactor) }
        }).disposed(by: bag)
        dispatch("a", reactor)
        #expect(log.text == "completed-1-a completed-2-ab")
    }

    @Test("what a mutate sends from within a reduction is reduced before its dispatch ends", arguments: [false, true])
    func endsWithinReduction(isTransformed: Bool) {
        let work = PublishSubject<String>()
        let reactor = Probe(
            mutate: { _, action in action == "wait" ? work.asObservable() : .just(action) },
            mutation: { isTransformed ? $0.map { $0 } : $0 })
        reactor.state.subscribe(onNext: { state in
            guard state == ["a"] else { return }
            work.onNext("w")
            work.onCompleted()
        }).disposed(by: bag)
        dispatch("wait", reactor)
        reactor.action.onNext("a")
        #expect(log.text == "completed-2-aw")
    }

    @Test("when the reactor goes, what has not ended is released")
    func released() {
        let scheduler = TestScheduler(initialClock: 0)
        do {
            let reactor = Probe(mutate: { _, _ in .never() })
            dispatch("a", reactor)
            let other = Probe(scheduler: scheduler)
            // It waits for its turn, which does not come.
            dispatch("b", other)
            withExtendedLifetime((reactor, other)) { #expect(log.all.isEmpty) }
        }
        #expect(log.text == "released released")
    }

    private final class Tag: Sendable {
        let name: String
        init(_ name: String) { self.name = name }
    }

    private func name(_ tag: DispatchTag?) -> String { (tag as? Tag)?.name ?? "-" }

    @Test("transitions and failures bear the tag of the dispatch that they came of", arguments: [false, true])
    func tags(isTransformed: Bool) {
        let scheduler = TestScheduler(initialClock: 0)
        let other = PublishSubject<String>()
        let reactor = Probe(
            mutate: { _, action in
                switch action {
                case "slow": Observable.just(action).delay(.seconds(10), scheduler: scheduler)
                case "bad": Observable.just(action).concat(Observable.error(Oops()))
                default: .just(action)
                }
            },
            mutation: { isTransformed ? .merge($0, other) : $0 })
        log.record("", reactor.transitions.map { [self] in "\($0.mutation)<\(name($0.tag))" }).disposed(by: bag)
        log.record("", reactor.failures.map { [self] in "\($0.error.underlyingError)<\(name($0.tag))" }).disposed(
            by: bag)
        for action in ["slow", "a", "bad"] { reactor.dispatch(action, tag: Tag("\(action)!")) { _ in } }
        reactor.action.onNext("untagged")
        if isTransformed { other.onNext("merged") }
        scheduler.start()
        let merged = isTransformed ? "merged<- " : ""
        #expect(log.text == "a<a! bad<bad! oops<bad! untagged<- \(merged)slow<slow!")
    }

    @Test("what a merged stream sends in the doing of a dispatch bears its tag")
    func tagsOfMerged() {
        let other = PublishSubject<String>()
        let reactor = Probe(
            mutate: { _, action in
                .deferred {
                    other.onNext("of \(action)")
                    return .just(action)
                }
            }, mutation: { .merge($0, other) })
        log.record("", reactor.transitions.map { [self] in "\($0.mutation)<\(name($0.tag))" }).disposed(by: bag)
        reactor.dispatch("a", tag: Tag("A")) { _ in }
        other.onNext("by itself")
        #expect(log.text == "of a<A a<A by itself<-")
    }

    @Test("a mutation that is replayed is reduced, past the transforms")
    func replay() {
        let reactor = Probe(mutate: { _, _ in .of("x", "y") }, mutation: { $0.map { $0 + "!" } })
        log.record("", reactor.transitions.map { "\($0.revision)\($0.mutation)" }).disposed(by: bag)
        reactor.restore(["kept"], revision: 3)
        reactor.replay("m")
        #expect(log.text == "4m")
        #expect(reactor.currentState == ["kept", "m"])
    }

    @Test("a state that is not admitted never is one: of its mutation nothing is published but the error, with the tag")
    func admits() {
        struct TooMany: Error, CustomStringConvertible {
            let description: String
        }
        let reactor = Probe(mutate: { _, action in .of(action, action) })
        reactor.admitStates { mutation, before, after in
            after.count > 3 ? TooMany(description: "\(mutation) after \(before.joined())") : nil
        }
        log.record("", reactor.transitions.map { "\($0.revision)\($0.mutation)" }).disposed(by: bag)
        log.record("", reactor.state.map { "=" + $0.joined() }).disposed(by: bag)
        let tag = Locked(0)
        let tagged = Locked(0)
        reactor.failures.subscribe(onNext: { failure in
            if failure.tag === tag { tagged.withLock { $0 += 1 } }
        }).disposed(by: bag)
        log.record("!", reactor.errors.map { "\($0)" }).disposed(by: bag)
        dispatch("a", reactor)
        reactor.dispatch("b", tag: tag) { [log] end in log.write(text(end)) }
        #expect(
            log.text
                == "= 1a =a 2a =aa completed-2-aa 3b =aab !refused(b after aab) completed-3-aab")
        #expect(tagged.withLock { $0 } == 1)
        #expect(reactor.currentState == ["a", "a", "b"])
    }

    @Test("a reactor that is released ends while it is still there")
    func release() {
        let work = PublishSubject<String>()
        let reactor = Probe(mutate: { _, _ in work.asObservable() })
        log.record("", reactor.state.map(\.count)).disposed(by: bag)
        dispatch("a", reactor)
        reactor.release()
        #expect(!work.hasObservers)
        dispatch("b", reactor)
        work.onNext("late")
        #expect(log.text == "0 released | released")
        reactor.release()
        #expect(reactor.currentState == [])
    }

    @Test("an error that nobody is subscribed for goes to the hook")
    func hook() {
        let before = Hooks.defaultErrorHandler
        defer { Hooks.defaultErrorHandler = before }
        Hooks.defaultErrorHandler = { [log] _, error in
            if case ReactorError.mutate(let error as Oops) = error { log.write("\(error)") }
        }
        let reactor = Probe(mutate: { _, _ in .error(Oops()) })
        reactor.action.onNext("a")
        #expect(log.text == "oops")
    }

    @Test("what observes on the executor is never in between a mutation and its reduction")
    func executor() async {
        let reactor = Probe(mutate: { reactor, _ in
            let step = Observable<String>.deferred { .just("\(reactor.currentState.count)") }
            return .concat([step, step])
        })
        let other = PublishSubject<String>()
        let merged = other.observe(on: reactor.executor).subscribe(onNext: { [unowned reactor] _ in
            reactor.action.onNext("go")
        })
        _ = reactor.state
        await onThreads(4) { _ in for _ in 0..<200 { other.onNext("x") } }
        #expect(await eventually { reactor.currentState.count == 1_600 })
        #expect(reactor.currentState == (0..<1_600).map { "\($0)" })
        merged.dispose()
    }
}
