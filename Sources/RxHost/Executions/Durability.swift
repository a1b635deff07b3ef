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
///
/// While its start cannot be stored, or the acceptance of an execution that has a slot of a stream, the store tries
/// again, and the execution waits. If it is to end meanwhile, nothing of it has begun.
final class Durability: Sendable {
    /// Whether a later host starts the execution if this one does not: its records are on the disk, not only stored.
    let isDurable: Bool
    private let acceptance = ReplaySubject<Void>.create(bufferSize: 1)
    private let start = ReplaySubject<Void>.create(bufferSize: 1)
    private let hasAcceptance = Atomic<Bool>(false)
    private let hasStart = Atomic<Bool>(false)
    /// The courses of the writes that are tried again.
    let acceptanceRetry = WriteRetry()
    let startRetry = WriteRetry()

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

    @Sendable func started(_ error: StoreError?) {
        if error == nil { hasStart.store(true, ordering: .releasing) }
        Durability.complete(start, error)
    }

    /// Both records of an execution that starts at once are stored together.
    @Sendable func acceptedAndStarted(_ error: StoreError?) {
        accepted(error)
        started(error)
    }

    /// Whether the acceptance is stored.
    var isAccepted: Bool { hasAcceptance.load(ordering: .acquiring) }

    /// Whether the start is stored.
    var isStarted: Bool { hasStart.load(ordering: .acquiring) }

    /// Whether it waits because the file cannot be written.
    var isHeld: Bool { startRetry.isHeld || acceptanceRetry.isHeld }

    /// The host stops: if it waits because the file cannot be written, a later host starts it, or the stream requests
    /// it again.
    ///
    /// - Returns: whether it did.
    func postpone() -> Bool { startRetry.revoke(leaving: .nothing) || acceptanceRetry.revoke(leaving: .nothing) }

    /// It is withdrawn: if it waits because the file cannot be written, or is about to, it never starts.
    ///
    /// - Returns: whether the file has its acceptance, so that its end has to be stored first.
    func withdraw() -> Bool {
        let isUnknown = acceptanceRetry.revokeOrLater(leaving: .claim)
        return startRetry.revokeOrLater(leaving: .nothing) && !isUnknown
    }

    /// Calls `body` once, on any thread, when the work may begin; not at all if it never may.
    func whenStarted(_ body: @escaping @Sendable () -> Void) {
        _ = (isDurable ? start : acceptance).subscribe(onError: { _ in }, onCompleted: body)
    }

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
