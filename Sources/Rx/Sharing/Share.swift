/// How long the subject of a shared sequence lives, and with it what it replays.
public enum SubjectLifetimeScope: Sendable {
    /// As long as the connection: when the last subscriber has left or the sequence has ended, what is replayed is gone,
    /// and the next subscriber starts it anew.
    case whileConnected
    /// Forever: who comes later gets what is replayed, and the end if there was one. When all had left before it, the
    /// source is subscribed again, into the same subject.
    case forever
}

extension ObservableType {
    /// One subscription to the sequence for all subscribers: it begins with the first and is disposed when the last leaves.
    ///
    /// - Parameter replay: how many of the latest elements a new subscriber gets first.
    /// - Parameter scope: how long these are kept.
    ///
    /// ```
    /// source                --1--2--3--|
    /// share(replay: 1)
    ///   first               ^-1--2--3--|
    ///   second                    ^(2)-3--|
    /// after the end, .whileConnected    ^--1--2--3--|
    /// after the end, .forever           ^(3|)
    /// ```
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<Element> {
        precondition(replay >= 0, "a number of elements to replay is not negative")
        let source = asObservable()
        switch (scope, replay) {
        case (.whileConnected, 0):
            return shared(Multicast(source, .deliverFirst) { PublishSubject() })
        case (.whileConnected, 1):
            return shared(Multicast(source, .deliverFirst) { ReplaySubject.create(bufferSize: 1) })
        case (.whileConnected, _):
            return shared(Multicast(source) { ReplaySubject.create(bufferSize: replay) })
        case (.forever, 0):
            let subject = PublishSubject<Element>()
            return shared(Multicast(source) { subject })
        case (.forever, _):
            let subject = ReplaySubject<Element>.create(bufferSize: replay)
            return shared(Multicast(source) { subject })
        }
    }
}

private func shared<Connectable: ConnectableObservableType>(_ connectable: Connectable) -> Observable<
    Connectable.Element
> {
    RefCount(connectable, shareName: "share")
}
