import Rx
import RxAction
import Testing
import TestSupport

/// A button as a toolkit has it.
private final class Button: ActionControl {
    let clicks = PublishRelay<String>()
    let levels = Log()

    var triggers: Observable<String> { clicks.asObservable() }
    func setEnabled(_ isEnabled: Bool) { levels.write(isEnabled ? "on" : "off") }
}

private final class PlainButton: ActionControl {
    let clicks = PublishRelay<Void>()
    let levels = Log()
    private let slot = Locked<ActionBinding<PlainButton>?>(nil)

    init() { slot.withLock { [self] in $0 = ActionBinding(self, scheduler: CurrentThreadScheduler.instance) } }

    var triggers: Observable<Void> { clicks.asObservable() }
    func setEnabled(_ isEnabled: Bool) { levels.write(isEnabled ? "on" : "off") }

    var binding: ActionBinding<PlainButton> { slot.withLock { $0! } }
}

extension PlainButton: ReactiveCompatible {}

/// As the documentation of `ActionBinding` has it.
extension Reactive where Base == PlainButton {
    fileprivate var action: TriggerAction? {
        get { base.binding.action }
        nonmutating set { base.binding.action = newValue }
    }
}

@Suite("Controls bound to actions", .leakFree)
struct ActionBindingTests {
    private let log = Log()
    private let here = CurrentThreadScheduler.instance

    @Test("a control follows enabled, its triggers execute, and unbound it is disabled and executes nothing")
    func bind() {
        let button = Button()
        let work = PublishSubject<Int>()
        let action = Action<String, Int> { [log] input in
            log.write(input)
            return work
        }
        let binding = button.bind(to: action, scheduler: here)
        #expect(button.levels.text == "on")
        button.clicks.accept("a")
        #expect(button.levels.text == "on off")
        button.clicks.accept("b")
        work.onCompleted()
        #expect(button.levels.text == "on off on")
        binding.dispose()
        #expect(button.levels.text == "on off on off")
        button.clicks.accept("c")
        #expect(log.text == "a")
    }

    @Test("the input may be made of the trigger, or be one for all")
    func inputs() {
        let button = Button()
        let action = Action<Int, Int>(overlap: .queue(limit: 9)) { .just($0) }
        let elements = log.record("", action.elements)
        let bindings = [
            button.bind(to: action, scheduler: here) { $0.count },
            button.bind(to: action, input: 7, scheduler: here),
        ]
        button.clicks.accept("four")
        #expect(log.text == "4 7")
        for binding in bindings { binding.dispose() }
        elements.dispose()
    }

    @Test("rx.action: another action takes the place of the one before, without a moment of both, and nil disables")
    func property() {
        let button = PlainButton()
        let slow = PublishSubject<Void>()
        let first = TriggerAction { [log] in
            log.write("first")
            return slow
        }
        let second = TriggerAction { [log] in
            log.write("second")
            return .just(())
        }
        button.rx.action = first
        #expect(button.rx.action === first)
        button.clicks.accept(())
        #expect(button.levels.text == "on off")
        button.rx.action = second
        // The first one still executes; the control is that of the second.
        #expect(button.levels.text == "on off on")
        button.clicks.accept(())
        slow.onCompleted()
        #expect(log.text == "first second")
        #expect(button.levels.text == "on off on off on")
        button.rx.action = nil
        #expect(button.rx.action == nil)
        button.clicks.accept(())
        #expect(log.text == "first second")
        #expect(button.levels.all.last == "off")
        // And again.
        button.rx.action = second
        button.clicks.accept(())
        #expect(log.text == "first second second")
        button.rx.action = nil
    }

    @Test("actions of other types are bound with their input, and are not what `action` returns")
    func otherTypes() {
        let button = PlainButton()
        let action = Action<Int, String> { .just("\($0)") }
        let elements = log.record("", action.elements)
        button.binding.bind(to: action, input: 5)
        #expect(button.binding.action == nil)
        button.clicks.accept(())
        button.binding.bind(to: action) { 6 }
        button.clicks.accept(())
        #expect(log.text == "5 6")
        button.binding.unbind()
        elements.dispose()
    }

    @Test("a binding keeps the action, a control nobody else has goes with its binding")
    func lifetime() {
        var button: PlainButton? = PlainButton()
        var action: TriggerAction? = TriggerAction { .just(()) }
        weak let goneButton = button
        weak let goneAction = action
        button?.rx.action = action
        action = nil
        #expect(goneAction != nil)
        button = nil
        #expect(goneButton == nil)
        #expect(goneAction == nil)
    }

    @Test("by default the control is notified on the main thread", .ownThreads(limit: .seconds(60)))
    func mainThread() async {
        final class Main: ActionControl {
            let isOnMain = Locked<[Bool]>([])
            let triggers = Observable<Void>.never()
            func setEnabled(_ isEnabled: Bool) {
                MainActor.assumeIsolated { isOnMain.withLock { $0.append(isEnabled) } }
            }
        }
        let control = Main()
        let action = TriggerAction { .just(()) }
        let binding = control.bind(to: action)
        while control.isOnMain.withLock({ $0.isEmpty }) { await Task.yield() }
        binding.dispose()
        while control.isOnMain.withLock({ $0.count }) < 2 { await Task.yield() }
        #expect(control.isOnMain.withLock { $0 } == [true, false])
    }
}
