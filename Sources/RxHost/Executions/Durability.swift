internal import RxRecords
internal import RxStore
internal import Rx
internal import RxJSON
internal import Synchronization

/// Which records of an execution are stored, for an execution whose acceptance has to be.
///
/// Its acceptance is reported once it is stored, with the key of the request. The work of a durable execution begins
/// once its start is on the disk, and so runs at most once; the work of another execution with a key begins once the
/// key is stored.
final class Durability: Sendable {
    /// Whether a later host starts the execution if this one does not: its records are on the disk, not only stored.
    let isDurable: Bool
    private let acceptance = ReplaySubject<Void>.create(bufferSize: 1)
    private let start = ReplaySubject<Void>.create(bufferSize: 1)
    private let hasAcceptance = Atomic<Bool>(false)

    init(isDurable: Bool) { self.isDurable = isDurable }

    /// For a durable execution that an earlier host accepted.
    static func accepted() -> Durability {
        let durability = Durability(isDurable: true)
        durability.accepted(nil)
        return durability
    }

    @Sendable func accepted(_ error: StoreError?) {
        if error == nil { hasAcceptance.store(true, ordering: .releasing) }
        Durability.complete(acceptance, error)
    }

    @Sendable func started(_ error: StoreError?) { Durability.complete(start, error) }

    /// Both records of an execution that starts at once are stored together.
    @Sendable func acceptedAndStarted(_ error: StoreError?) {
        accepted(error)
        started(error)
    }

    /// Whether the acceptance is stored.
    var isAccepted: Bool { hasAcceptance.load(ordering: .acquiring) }

    /// Calls `body` once, on any thread, with the error if the acceptance could not be stored.
    func whenAccepted(_ body: @escaping @Sendable (StoreError?) -> Void) {
        _ = acceptance.subscribe(onError: { body($0 as? StoreError) }, onCompleted: { body(nil) })
    }

    /// `work`, subscribed to on `scheduler` once everything is stored that has to be before. The store's own thread
    /// must not execute it: all writes would wait for it.
    func afterStart<Element: Sendable>(
        _ work: Observable<Element>, on scheduler: some ImmediateSchedulerType
    ) -> Observable<Element> {
        (isDurable ? start : acceptance).observe(on: scheduler).catch { error in
            .error(
                WorkFailure(
                    message: "the start could not be stored: \(error)", facts: ["cause": "store"], mayPass: false)
            )
        }.flatMap { work }
    }

    private static func complete(_ subject: ReplaySubject<Void>, _ error: StoreError?) {
        if let error {
            subject.onError(error)
        } else {
            subject.onNext(())
            subject.onCompleted()
        }
    }
}
