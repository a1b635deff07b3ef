/// An observable whose events arrive on the main thread: the result of `observe(on: MainScheduler.instance)`.
///
/// The closures of its `subscribe`, `bind`, and `do` are `@MainActor`, as are those of the operators that return this
/// type again: `map`, `filter`, `compactMap`, `distinctUntilChanged`, `scan`, `do`, `take(_:)`, and `skip(_:)`. A
/// closure runs where its event arrives, without a hop. Closures that run wherever a subscription begins or ends stay
/// `@Sendable`: `onSubscribe`, `onSubscribed`, `onDispose`, and `onDisposed`. All other operators return a plain
/// `Observable`.
///
///     @MainActor
///     final class Screen {
///         var title = ""
///         let bag = DisposeBag()
///
///         init(names: Observable<String>) {
///             names.observe(on: MainScheduler.instance)
///                 .subscribe(onNext: { [weak self] in self?.title = $0 })
///                 .disposed(by: bag)
///         }
///     }
public final class MainObservable<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    @usableFromInline let source: Observable<Element>
    @usableFromInline let confinement: Confinement

    /// `source` must deliver its events on the main thread, except under a mock.
    @usableFromInline
    package init(_ source: Observable<Element>, _ confinement: Confinement = .mainThread) {
        self.source = source
        self.confinement = confinement
        super.init()
    }

    /// Starts the sequence into a stage.
    public override func run(_ stage: Stage<Element>) { source.run(stage) }

    /// Starts the sequence into the stage of a subscriber.
    public override func subscribe(into stage: Stage<Element>) { source.subscribe(into: stage) }

    /// The same sequence as a plain observable. Operators use it, so this type costs nothing per event.
    public override consuming func asObservable() -> Observable<Element> { source }
}
