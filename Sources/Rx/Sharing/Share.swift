/// The lifetime of the subject of a shared sequence, including the elements it replays.
public enum SubjectLifetimeScope: Sendable {
    /// As long as the connection. After the last subscriber or the end of the sequence, the replayed elements are
    /// discarded, and the next subscriber starts the sequence anew.
    case whileConnected
    /// Unlimited. Later subscribers get the replayed elements and the end, if there was one. If all subscribers left
    /// before the end, the next one subscribes to the source again, with the same subject.
    case forever
}

extension ObservableType {
    /// Shares one subscription to the sequence. It begins with the first subscriber and is disposed after the last one.
    ///
    /// - Parameter replay: how many of the latest elements a new subscriber gets first.
    /// - Parameter scope: how long these elements are kept.
    ///
    /// ```
    /// source    --1------2--3--|
    /// share(replay: 1)
    ///   first   ^-1------2--3--|
    ///   second      (^1)-2--3--|
    /// share(replay: 1, scope: .forever)
    ///   first   ^-1------2--3--|
    ///   later                    (^3|)
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
