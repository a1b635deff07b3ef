import Dispatch
import Rx
import RxAction
import RxTest
import RxTraits
import Testing
import TestSupport

@Suite("Actions bound to ticks", .leakFree)
struct ActionTriggerTests {
    private let log = Log()
    private let ticks = PublishRelay<Void>()

    private func logging(_ text: String) -> TriggerAction {
        TriggerAction { [log] in
            log.write(text)
            return .just(())
        }
    }

    @Test("releasing the trigger unbinds: its level is false, and the action is released")
    func release() {
        var trigger: ActionTrigger? = ActionTrigger(ticks)
        weak var action: TriggerAction?
        do {
            let bound = logging("bound")
            action = bound
            trigger?.action = bound
        }
        let subscription = trigger?.enabled.subscribe(onNext: { [log] in log.write("\($0)") })
        trigger = nil
        #expect(log.text == "true false")
        #expect(action == nil)
        subscription?.dispose()
    }

    @Test("each tick executes the bound action; another one replaces it, and nil unbinds")
    func binding() {
        let trigger = ActionTrigger(ticks)
        let (first, second) = (logging("first"), logging("second"))
        ticks.accept(())
        trigger.action = first
        #expect(trigger.action === first)
        ticks.accept(())
        trigger.action = second
        ticks.accept(())
        #expect(log.text == "first second")
        trigger.action = nil
        #expect(trigger.action == nil)
        ticks.accept(())
        #expect(log.text == "first second")
        trigger.action = first
        ticks.accept(())
        #expect(log.text == "first second first")
    }

    @Test("ticks while the action executes or its condition is false are ignored, without an error")
    func ignored() {
        let trigger = ActionTrigger(ticks)
        let work = PublishSubject<Void>()
        let condition = BehaviorRelay(value: true)
        let action = TriggerAction(enabledIf: condition.asObservable()) { [log] in
            log.write("executed")
            return work
        }
        let errors = log.record("", action.errors)
        trigger.action = action
        ticks.accept(())
        ticks.accept(())
        #expect(log.text == "executed")
        work.onCompleted()
        condition.accept(false)
        ticks.accept(())
        #expect(log.text == "executed")
        errors.dispose()
    }

    @Test("at most one execution is in flight, and each accepted tick starts one, in virtual time")
    func virtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let ticks = scheduler.createHotObservable([
            .next(210, ()), .next(220, ()), .next(240, ()), .next(250, ()), .next(300, ()),
        ])
        let trigger = ActionTrigger(ticks)
        let action = Action<Void, Int> { Observable.timer(.seconds(30), scheduler: scheduler) }
        let started = scheduler.createObserver(Bool.self)
        let subscription = action.executing.subscribe(started)
        trigger.bind(to: action)
        scheduler.start()
        #expect(
            started.events == [
                .next(0, false), .next(210, true), .next(240, false), .next(250, true), .next(280, false),
                .next(300, true), .next(330, false),
            ])
        #expect(trigger.action == nil)
        trigger.unbind()
        subscription.dispose()
    }

    @Test("enabled follows the bound action and is false without one")
    func enabled() {
        let trigger = ActionTrigger(ticks)
        let subscription = log.record("", trigger.enabled)
        let work = PublishSubject<Void>()
        trigger.action = TriggerAction { work }
        ticks.accept(())
        work.onCompleted()
        trigger.action = nil
        #expect(log.text == "false true false true false")
        subscription.dispose()
    }

    @Test("control events, signals, subjects, and singles tick")
    @MainActor func sources() {
        let subject = PublishSubject<Void>()
        let triggers = [
            ActionTrigger(ControlEvent(events: ticks)), ActionTrigger(ticks.asSignal()), ActionTrigger(subject),
            ActionTrigger(Single.just(())),
        ]
        for (index, trigger) in triggers.enumerated() { trigger.action = logging("\(index)") }
        #expect(log.text == "3")
        ticks.accept(())
        subject.onNext(())
        #expect(log.text == "3 0 1 2")
        for trigger in triggers { trigger.unbind() }
        let bindings = [
            ControlEvent(events: ticks).bind(to: logging("a")), ticks.asSignal().bind(to: logging("b")),
            ticks.asSignal().emit(to: logging("gone").inputs),
        ]
        ticks.accept(())
        #expect(log.text == "3 0 1 2 a b")
        for binding in bindings { binding.dispose() }
    }

    @Test("inputs, elements, and completable actions of other types")
    func otherTypes() {
        let trigger = ActionTrigger(ticks)
        let action = Action<Int, String> { [log] input in
            log.write("\(input)")
            return .just("")
        }
        trigger.bind(to: action, input: 5)
        ticks.accept(())
        trigger.bind(to: action) { 6 }
        ticks.accept(())
        trigger.bind(
            to: CompletableAction<Void> { [log] in
                log.write("done")
                return Completable.empty()
            })
        ticks.accept(())
        #expect(log.text == "5 6 done")
        #expect(trigger.action == nil)
    }

    @Test("an error of the ticks is their end; the trigger keeps its action and goes with its last reference")
    func lifetime() {
        let source = PublishSubject<Void>()
        var trigger: ActionTrigger? = ActionTrigger(source)
        var action: TriggerAction? = logging("executed")
        weak let gone = action
        trigger?.action = action
        action = nil
        source.onNext(())
        source.onError(Oops())
        #expect(gone != nil)
        trigger = nil
        #expect(gone == nil)
        #expect(log.text == "executed")
    }

    @Test("workFactory creates work that counts as no execution")
    func workFactory() {
        let action = Action<Int, Int>(enabledIf: .just(false)) { .just($0 * 2) }
        let factory: Action<Int, Int>.WorkFactory = action.workFactory
        _ = log.record("", factory(4))
        let withContext = Action<Int, Bool>(work: { _, context in
            let handler = context.onCancel { _ in }
            return Observable.just(context.isCancelled).do(onDispose: { handler.dispose() })
        })
        _ = log.record("", withContext.workFactory(1))
        _ = log.record("", action._enabledIf)
        #expect(log.text == "8 | false | false |")
        #expect(!action.isExecuting)
        let cocoa: CocoaAction = TriggerAction { .empty() }
        #expect(cocoa.isEnabled)
    }
}
