import Rx

/// What happened, in its order.
final class Notes: Sendable {
    private let texts = Locked<[String]>([])

    var all: [String] { texts.withLock { $0 } }
    func callAsFunction(_ text: String) { texts.withLock { $0.append(text) } }
}

extension Observable {
    /// Notes when it is subscribed and disposed.
    func noting(_ name: String, in notes: Notes) -> Observable<Element> {
        Observable.create { observer in
            notes("\(name) subscribed")
            let subscription = self.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                notes("\(name) disposed")
            }
        }
    }
}
