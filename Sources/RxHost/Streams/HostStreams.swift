internal import Rx
internal import RxJSON
internal import RxRecords

/// The streams of a host: those of the configuration, their feeds, and the taps of their steps.
final class HostStreams: Sendable {
    private let services: HostServices
    private let streams = Locked<[String: any HostedStream]>([:])
    private let feeds: Locked<StreamFeeds>
    private let taps = Locked(Taps())

    /// - Parameter recovered: the feeds of streams that an earlier host had, by name.
    init(_ services: HostServices, recovered: [String: StreamFeed]) {
        self.services = services
        feeds = Locked(StreamFeeds(retired: recovered))
    }

    private var log: EventLog { services.log }

    // MARK: The configuration

    /// The streams of the configuration, by name.
    var all: [String: any HostedStream] { streams.withLock { $0 } }

    /// The feeds of the streams of the configuration, in the order of their names.
    var allFeeds: [StreamFeed] { feeds.withLock { $0.present.values.sorted { $0.name < $1.name } } }

    /// The feeds of streams that are no longer configured, in the order of their names.
    var formerFeeds: [StreamFeed] { feeds.withLock { $0.retired.values.sorted { $0.name < $1.name } } }

    /// What the rights on a stream follow from; nil for one that is not configured, and that only an earlier host had.
    func grounds(_ name: String) -> StreamGrounds? {
        all[name].map { StreamGrounds($0) } ?? feeds.withLock { $0.grounds[name] }
    }

    func feed(_ name: String) -> StreamFeed? { feeds.withLock { $0.present[name] } }

    /// Takes the streams of a new configuration, whose feeds and taps go on.
    func set(_ new: [String: any HostedStream]) {
        let change = feeds.withLock { feeds in
            feeds.set(new.keys, after: all) { StreamFeed($0, services.catchUp) }
        }
        streams.withLock { $0 = new }
        let time = services.time
        let hasStore = services.store != nil
        log.setLogged(
            (change.added + change.kept).map { ($0, hasStore && new[$0.name]?.isPersistent == true) }, at: time)
        for feed in change.added {
            log.restored(feed)
            log.added(feed, at: time)
        }
        for feed in change.kept { log.changed(feed, at: time) }
        for feed in change.removed { log.removed(feed, at: time) }
        renewTaps()
    }

    // MARK: Events

    /// Publishes something to the subscribers of a stream; nothing if the stream is no longer configured.
    func publish(_ news: StreamNews, of stream: String, at time: Int64) {
        guard let feed = feed(stream) else { return }
        let change: HostEvent.Change =
            switch news {
            case .element(let value): .element(value)
            case .failure(let facts): .streamFailure(facts)
            case .firing(let firing): .firing(firing)
            case .drops(let drops): .drops(drops)
            }
        publish(change, of: feed, at: time)
    }

    private func publish(_ change: HostEvent.Change, of feed: StreamFeed, at time: Int64) {
        log.update { state in
            if !feed.feed.isRemoved { state.publish(change, of: feed, at: time) }
        }
    }

    // MARK: Taps

    /// The elements that leave a step of a stream; nil if there is no such stream, or no such step.
    func tap(_ step: String, of stream: String) -> TapFeed? {
        guard all[stream]?.places.contains(step) ?? false else { return nil }
        let cursor = log.cursor
        let feed = taps.withLock { taps in
            taps.feed(Taps.Place(stream: stream, step: step)) {
                TapFeed(stream, step, at: cursor) { [weak self] feed, hasReaders in
                    self?.connect(feed, hasReaders: hasReaders)
                }
            }
        }
        feed.begin(at: cursor)
        return feed
    }

    private func connect(_ feed: TapFeed, hasReaders: Bool) {
        if !hasReaders { taps.withLock { $0.remove(feed) } }
        connect(feed)
        // Its events, which refer to it, would keep it.
        if !feed.isRead { log.forget(feed) }
    }

    private func connect(_ feed: TapFeed) {
        guard let stream = all[feed.name] else { return }
        guard feed.isRead else { return stream.tap(feed.step, nil) }
        stream.tap(feed.step) { [weak self, weak feed] value, time in
            if let self, let feed { self.publish(.element(value), of: feed, at: time) }
        }
    }

    /// Goes on with the taps of streams that are configured anew: those of steps that are gone end.
    private func renewTaps() {
        let streams = all
        for feed in taps.withLock({ $0.read }) {
            guard streams[feed.name]?.places.contains(feed.step) ?? false else {
                log.removed(feed, at: services.time)
                continue
            }
            connect(feed)
            // The rights of its readers are checked again.
            log.changed(feed, at: services.time)
        }
    }
}
