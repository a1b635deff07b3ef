/// An operator or a source of this library: a description that each subscription starts anew.
///
/// A subclass stores its parameters and overrides `run(_:)`.
open class Producer<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.

    public override init() { super.init() }

    open override func run(_ stage: Stage<Element>) {
        preconditionFailure("a producer overrides run(_:)")
    }

    /// Subscribes `stage`. Work that the sources schedule on the current thread takes turns from here on.
    public final override func subscribe(into stage: Stage<Element>) {
        if Tracing.isOn { Tracing.note(stage, subscribedTo: self) }
        guard let trampoline = Trampoline.enter() else { return run(stage) }
        run(stage)
        trampoline.leave()
    }
}
