import Rx
import RxAction

/// A button as a toolkit has it.
private final class PushButton: ActionControl, ReactiveCompatible {
    let clicks = PublishRelay<Void>()
    let isOn = Locked(false)
    private let slot = Locked<ActionBinding<PushButton>?>(nil)

    init() {
        let binding = ActionBinding(self, scheduler: CurrentThreadScheduler.instance)
        slot.withLock { $0 = binding }
    }

    var triggers: Observable<Void> { clicks.asObservable() }
    func setEnabled(_ isEnabled: Bool) { isOn.withLock { $0 = isEnabled } }
    var binding: ActionBinding<PushButton> { slot.withLock { $0! } }
}

extension Reactive where Base == PushButton {
    fileprivate var action: TriggerAction? {
        get { base.binding.action }
        nonmutating set { base.binding.action = newValue }
    }
}

/// Actions as their users write them.
func actions() {
    let lengths = Locked<[Int]>([])
    let bag = DisposeBag()

    let length = Action<String, Int>(enabledIf: .just(true)) { .just($0.count) }
    length.elements.subscribe(onNext: { element in lengths.withLock { $0.append(element) } }).disposed(by: bag)
    length.execute("one")
    length.inputs.onNext("three")
    Observable.of("seven").bind(to: length).disposed(by: bag)
    Observable.of(10, 100).bind(to: length) { String($0) }.disposed(by: bag)
    precondition(lengths.withLock { $0 } == [3, 5, 5, 2, 3])

    let save = CompletableAction<Bool>(overlap: .queue(limit: 3)) { $0 ? Completable.empty() : .error(RxError.unknown) }
    let saved = Locked(0)
    save.completions.subscribe(onNext: { saved.withLock { $0 += 1 } }).disposed(by: bag)
    save.execute(true)
    save.execute(false)
    precondition(saved.withLock { $0 } == 1)

    let clicked = Locked(0)
    let click = TriggerAction {
        clicked.withLock { $0 += 1 }
        return .just(())
    }
    let button = PushButton()
    button.rx.action = click
    precondition(button.isOn.withLock { $0 })
    button.clicks.accept(())
    button.rx.action = nil
    button.clicks.accept(())
    precondition(clicked.withLock { $0 } == 1 && !button.isOn.withLock { $0 })
}
