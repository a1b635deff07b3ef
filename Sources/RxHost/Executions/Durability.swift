internal import RxRecords
internal import RxStore
internal import Rx
internal import RxJSON

/// When what a durable execution promises is on the disk.
///
/// Its acceptance is told once it is kept; its work begins once its start is, and so runs at most once.
final class Durability: Sendable {
    private let acceptance = ReplaySubject<Void>.create(bufferSize: 1)
    private let start = ReplaySubject<Void>.create(bufferSize: 1)

    /// For one that an earlier host has accepted.
    static func accepted() -> Durability {
        let durability = Durability()
        durability.accepted(nil)
        return durability
    }

    @Sendable func accepted(_ error: StoreError?) { Durability.tell(acceptance, error) }
    @Sendable func started(_ error: StoreError?) { Durability.tell(start, error) }

    /// One that starts at once has the two in one.
    @Sendable func acceptedAndStarted(_ error: StoreError?) {
        accepted(error)
        started(error)
    }

    /// Calls `body` once, on whatever thread tells it.
    func whenAccepted(_ body: @escaping @Sendable (StoreError?) -> Void) {
        _ = acceptance.subscribe(onError: { body($0 as? StoreError) }, onCompleted: { body(nil) })
    }

    /// `work` once the start is kept.
    func afterStart<Element: Sendable>(_ work: Observable<Element>) -> Observable<Element> {
        start.catch { error in
            .error(
                WorkFailure(message: "the start could not be kept: \(error)", facts: ["cause": "store"], mayPass: false)
            )
        }.flatMap { work }
    }

    private static func tell(_ subject: ReplaySubject<Void>, _ error: StoreError?) {
        if let error {
            subject.onError(error)
        } else {
            subject.onNext(())
            subject.onCompleted()
        }
    }
}
