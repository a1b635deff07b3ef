internal import RxRecords
internal import RxStore
internal import Rx
internal import RxJSON

/// Which records of a durable execution are on the disk.
///
/// Its acceptance is reported once it is stored. Its work begins once its start is stored, and so runs at most once.
final class Durability: Sendable {
    private let acceptance = ReplaySubject<Void>.create(bufferSize: 1)
    private let start = ReplaySubject<Void>.create(bufferSize: 1)

    /// For an execution that an earlier host accepted.
    static func accepted() -> Durability {
        let durability = Durability()
        durability.accepted(nil)
        return durability
    }

    @Sendable func accepted(_ error: StoreError?) { Durability.complete(acceptance, error) }
    @Sendable func started(_ error: StoreError?) { Durability.complete(start, error) }

    /// Both records of an execution that starts at once are stored together.
    @Sendable func acceptedAndStarted(_ error: StoreError?) {
        accepted(error)
        started(error)
    }

    /// Calls `body` once, on any thread, with the error if the acceptance could not be stored.
    func whenAccepted(_ body: @escaping @Sendable (StoreError?) -> Void) {
        _ = acceptance.subscribe(onError: { body($0 as? StoreError) }, onCompleted: { body(nil) })
    }

    /// `work`, subscribed to once the start is stored.
    func afterStart<Element: Sendable>(_ work: Observable<Element>) -> Observable<Element> {
        start.catch { error in
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
