public import Rx

/// An object that shows a reactor: a screen, a window, a command. It is ReactorKit's `View` without a UI toolkit.
///
/// A conforming class declares `let hosting = Hosting()`, which stores the reactor and the bag, and implements
/// `bind(reactor:)`. A class on the main actor conforms on the main actor:
///
/// ```
/// @MainActor
/// final class LightPanel: @MainActor ReactorHost {
///     let hosting = Hosting()
///
///     func bind(reactor: LightSwitch) {
///         reactor.state.map(\.isOn).subscribe(onNext: { print($0) }).disposed(by: disposeBag)
///     }
/// }
///
/// let panel = LightPanel()
/// panel.reactor = LightSwitch()  // binds
/// panel.reactor = nil            // disposes
/// ```
///
/// The host owns its reactor and its bag. Capture the host weakly in subscriptions that you put into the bag, or the
/// host and its bag retain each other.
#if Migration
    @preconcurrency
#endif
public protocol ReactorHost<Reactor>: AnyObject {
    /// The type of the reactors that this host shows.
    associatedtype Reactor: RxReactor.Reactor

    typealias Hosting = ReactorHosting<Reactor>

    /// The reactor and the bag of this host. Must be a stored property that no other host shares.
    var hosting: ReactorHosting<Reactor> { get }

    /// The subscriptions of the current binding. Every assignment of `reactor` replaces it.
    ///
    /// A class may declare it itself, as ReactorKit's views do: `var disposeBag = DisposeBag()`.
    var disposeBag: DisposeBag { get set }

    /// The reactor that this host shows; nil at first.
    ///
    /// Each assignment stores the value, replaces `disposeBag`, which disposes what was bound before, and then calls
    /// `bind(reactor:)` exactly once, unless the value is nil. This includes an assignment of the current reactor,
    /// which binds it anew.
    var reactor: Reactor? { get set }

    /// Connects this host with `reactor`: sends actions, subscribes to states, and puts the subscriptions into
    /// `disposeBag`. Called by assignments of `reactor`; do not call it directly.
    func bind(reactor: Reactor)
}

extension ReactorHost {
    /// The subscriptions of the current binding, stored in `hosting`. Every assignment of `reactor` replaces it.
    public var disposeBag: DisposeBag {
        get { hosting.disposeBag }
        set { hosting.disposeBag = newValue }
    }

    /// The reactor that this host shows; nil at first.
    ///
    /// Each assignment stores the value, replaces `disposeBag`, which disposes what was bound before, and then calls
    /// `bind(reactor:)` exactly once, unless the value is nil.
    public var reactor: Reactor? {
        get { hosting.reactor }
        set {
            // Outlives its bag, so that its release does not complete what is about to be disposed.
            let previous = hosting.reactor
            hosting.reactor = newValue
            withExtendedLifetime(previous) { disposeBag = DisposeBag() }
            // Disposing may have assigned another one.
            if let newValue, hosting.reactor === newValue { bind(reactor: newValue) }
        }
    }
}
