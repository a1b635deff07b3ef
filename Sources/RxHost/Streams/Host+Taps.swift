internal import Rx
internal import RxJSON

extension Host {
    /// The elements that leave a step of a stream; nil if there is no such stream, or no such step.
    ///
    /// - Parameters:
    ///   - step: one of the stream's `places`.
    ///   - stream: the name of the stream.
    public func tap(_ step: String, of stream: String) -> TapFeed? {
        guard streams[stream]?.places.contains(step) ?? false else { return nil }
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
    }

    private func connect(_ feed: TapFeed) {
        guard let stream = streams[feed.name] else { return }
        guard feed.isRead else { return stream.tap(feed.step, nil) }
        stream.tap(feed.step) { [weak self, weak feed] value, time in
            guard let self, let feed else { return }
            self.log.update { state in
                if !feed.feed.isRemoved { state.publish(.element(value), of: feed, at: time) }
            }
        }
    }

    /// Goes on with the taps of streams that are configured anew: those of steps that are gone end.
    func renewTaps() {
        let streams = streams
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
