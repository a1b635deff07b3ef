import Rx
import RxAction
import Testing
import TestSupport

@Suite("Sequences bound to actions, and factories of every kind", .leakFree)
struct BindTests {
    private let log = Log()

    @Test("each element is an input; the end and the error of the sequence are ignored", arguments: ["ends", "fails"])
    func bind(how: String) {
        let action = Action<Int, Int> { .just($0 * 2) }
        let elements = log.record("", action.elements)
        let source = PublishSubject<Int>()
        let binding = source.bind(to: action)
        source.onNext(1)
        source.onNext(2)
        if how == "ends" { source.onCompleted() } else { source.onError(Oops()) }
        action.execute(3)
        #expect(log.text == "2 4 6")
        binding.dispose()
        elements.dispose()
    }

    @Test("disposed, nothing more is executed")
    func unbind() {
        let action = Action<Int, Int> { .just($0) }
        let elements = log.record("", action.elements)
        let source = PublishSubject<Int>()
        let binding = source.bind(to: action)
        source.onNext(1)
        binding.dispose()
        source.onNext(2)
        #expect(!source.hasObservers)
        #expect(log.text == "1")
        elements.dispose()
    }

    @Test("the input may be made of each element, or be one for all of them")
    func transform() {
        let action = Action<String, String> { .just($0) }
        let elements = log.record("", action.elements)
        let source = PublishSubject<Int>()
        let bindings = [
            source.bind(to: action) { "made of \($0)" },
            source.bind(to: action, input: "always"),
            source.map { "\($0)" }.bind(to: action.inputs),
        ]
        source.onNext(1)
        #expect(log.text == "made of 1 always 1")
        for binding in bindings { binding.dispose() }
        elements.dispose()
    }

    @Test("taps of a trigger action, of an infallible, a relay and a single bind as observables do")
    func kinds() {
        let taps = PublishRelay<Void>()
        let trigger = TriggerAction { .just(()) }
        let count = Locked(0)
        let counting = trigger.completions.subscribe(onNext: { count.withLock { $0 += 1 } })
        let bindings = [
            taps.bind(to: trigger), taps.asInfallible(onErrorJustReturn: ()).bind(to: trigger),
            Single.just(()).bind(to: trigger),
        ]
        taps.accept(())
        #expect(count.withLock { $0 } == 3)
        for binding in bindings { binding.dispose() }
        counting.dispose()
    }

    @Test("a binding keeps the action alive, bind(to: inputs) does not")
    func lifetime() {
        let source = PublishSubject<Int>()
        var action: Action<Int, Int>? = Action { .just($0) }
        weak let gone = action
        let weakly = action.map { source.bind(to: $0.inputs) }
        let strongly = action.map { source.bind(to: $0) }
        action = nil
        #expect(gone != nil)
        strongly?.dispose()
        #expect(gone == nil)
        source.onNext(1)
        weakly?.dispose()
    }

    @Test("a factory returns what it likes, also a subject, without a word of it")
    func factories() {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        subject.onNext(1)
        subject.onCompleted()
        let actions = [
            Action<Int, Int> { .just($0) },
            Action<Int, Int> { _ in subject },
            Action<Int, Int> { input in Single.just(input) },
            Action<Int, Int> { input in Maybe.just(input) },
            Action<Int, Int> { input in
                let next = input + 1
                return Single.just(next)
            },
            Action<Int, Int>(overlap: .latest) { input in Infallible.just(input) },
            Action<Int, Int>(enabledIf: .just(true), workFactory: { input in Single.just(input) }),
        ]
        for action in actions { _ = log.record("", action.execute(1)) }
        #expect(log.text == "1 | 1 | 1 | 1 | 2 | 1 | 1 |")
    }

    @Test("a completable action of a completable ends as that, and its completions count the good ends")
    func completables() {
        let action = CompletableAction<Bool> { $0 ? Completable.empty() : Completable.error(Oops()) }
        let completions = log.record("", action.completions.map { "done" })
        let ends = Log()
        for succeeds in [true, false] {
            action.execute(succeeds).asCompletable()
                .subscribe(onCompleted: { ends.write("completed") }, onError: { ends.write("\($0)") })
                .dispose()
        }
        #expect(log.text == "done")
        #expect(ends.text == "completed underlying(oops)")
        completions.dispose()
    }

    @Test("without input, an action executes and starts without argument")
    func noInput() {
        let action = Action<Void, Int> { .just(1) }
        _ = log.record("", action.execute())
        #expect(action.start().success?.state == .completed)
        let completable = CompletableAction<Void> { Completable.empty() }
        completable.execute().asCompletable().subscribe(onCompleted: { [log] in log.write("done") }).dispose()
        #expect(log.text == "1 | done")
    }

    @Test("a switch over ActionError has its two cases; the reasons beneath are types of their own")
    func errors() {
        @Sendable func name(_ error: ActionError) -> String {
            switch error {
            case .notEnabled: "notEnabled"
            case .underlyingError(is ExecutionCancelled): "cancelled"
            case .underlyingError(is ExecutionSuperseded): "superseded"
            case .underlyingError(Refusal.queueFull(let limit)): "more than \(limit) wait"
            case .underlyingError(Refusal.released): "released"
            case .underlyingError(let error): "\(error)"
            }
        }
        var action: Action<Int, Int>? = Action(overlap: .queue(limit: 1)) { _ in .never() }
        let errors = action!.errors.subscribe(onNext: { [log] in log.write(name($0)) })
        let first = action?.start(1).success
        let waiting = action?.start(2).success
        action?.start(3)
        first?.cancel()
        action?.overlap = .latest
        let third = action?.start(4).success
        third?.cancel(Oops())
        action?.overlap = .queue(limit: 1)
        let fourth = action?.start(5).success
        let last = action!.execute(6).subscribe(onError: { [log] error in log.write("\(error)") })
        action = nil
        fourth?.cancel()
        #expect(
            log.text == "more than 1 wait cancelled superseded oops released underlying(released)"
                || log.text == "more than 1 wait cancelled superseded oops underlying(released) released")
        #expect(waiting?.state == .cancelled)
        errors.dispose()
        last.dispose()
    }
}
