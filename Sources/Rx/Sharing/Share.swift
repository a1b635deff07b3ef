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
            return Multicast(source, .deliverFirst) { PublishSubject() }.refCount()
        case (.whileConnected, 1):
            return Multicast(source, .deliverFirst) { ReplaySubject.create(bufferSize: 1) }.refCount()
        case (.whileConnected, _):
            return Multicast(source) { ReplaySubject.create(bufferSize: replay) }.refCount()
        case (.forever, 0):
            let subject = PublishSubject<Element>()
            return Multicast(source) { subject }.refCount()
        case (.forever, _):
            let subject = ReplaySubject<Element>.create(bufferSize: replay)
            return Multicast(source) { subject }.refCount()
        }
    }
}
